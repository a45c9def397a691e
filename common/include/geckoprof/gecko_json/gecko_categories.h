#ifndef GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
#define GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

class JsonWriter;

// GeckoCategories: the one category list of a file. The viewer looks every process's numbers up in the first process's
// list, so the lists of several processes are merged by name here, and so are those of subcategories. There is always a
// grey category: the viewer needs a default.
class GeckoCategories {
 public:
  explicit GeckoCategories(const std::vector<CategoryRow>& first);

  // The number of the category of this name, added if new.
  int32_t Add(const CategoryRow& category);
  // For each row of a process's own list, its number here.
  std::vector<int32_t> AddAll(const std::vector<CategoryRow>& categories);

  // The first grey category: of markers and frames without a valid one.
  int32_t fallback() const { return fallback_; }
  // The number that subcategory `subcategory` of `own`, a process's row, has in `category`, the row here of that name.
  // 0: there is none of that name here.
  int32_t Subcategory(int32_t category, const CategoryRow& own, int32_t subcategory) const;

  const std::vector<CategoryRow>& rows() const { return rows_; }
  void WriteArray(JsonWriter& writer) const;

 private:
  std::vector<CategoryRow> rows_;
  int32_t fallback_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
