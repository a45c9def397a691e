#ifndef GECKOPROF_TOOLS_MERGE_MERGED_CATEGORIES_H_
#define GECKOPROF_TOOLS_MERGE_MERGED_CATEGORIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/reader/process_profile.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// CategoryNumbers has the numbers that the categories of one profile get in the merged one.
struct CategoryNumbers {
  struct Row {
    int32_t category = 0;
    std::vector<int32_t> subcategories;
  };
  std::vector<Row> rows;
  int32_t fallback = 0;  // the category of stacks and markers that have none

  // Returns a number of the merged profile. A number without a category gives `none`.
  int32_t Category(JsonView number, int32_t none) const;
  int32_t Subcategory(int32_t category, int32_t subcategory) const;
};

// MergedCategories joins the lists of categories of several profiles. Categories of the same name and color are one,
// with the subcategories of both. A category of the same name and another color is a further one.
class MergedCategories {
 public:
  // Adds the value of meta.categories.
  CategoryNumbers Add(JsonView categories);
  // The viewer needs a grey category. Its first one is that of all stacks without a category.
  void Finish();

  std::span<const CategoryRow> rows() const { return rows_; }
  int32_t fallback() const { return FirstGrey(); }

 private:
  CategoryNumbers::Row AddRow(JsonView category);
  int32_t FirstGrey() const;

  std::vector<CategoryRow> rows_;
  absl::flat_hash_map<std::pair<std::string, std::string>, size_t> numbers_;   // by name and color
  absl::flat_hash_map<std::pair<size_t, std::string>, size_t> subcategories_;  // by category and name
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_MERGED_CATEGORIES_H_
