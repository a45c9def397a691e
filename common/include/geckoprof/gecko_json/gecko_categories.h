#ifndef GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
#define GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/gecko_json/state_categories.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

class JsonWriter;

// Writes the list of categories of a file, an array.
void WriteCategories(std::span<const CategoryRow> categories, JsonWriter& writer);

// GeckoCategories is the category list of a file. The viewer looks up the numbers of every process in the first
// process's list. The lists of several processes are therefore merged here by name, and so are their lists of
// subcategories. There is always a grey category, because the viewer needs a default. The categories of waiting threads
// are there, too (StateLook).
class GeckoCategories {
 public:
  explicit GeckoCategories(const std::vector<CategoryRow>& first);

  // Returns the number of the category with this name. A new name is added.
  int32_t Add(const CategoryRow& category);
  // Returns, for each row of a process's own list, its number here.
  std::vector<int32_t> AddAll(const std::vector<CategoryRow>& categories);

  // The first grey category. Markers and frames without a valid category have it.
  int32_t fallback() const { return fallback_; }
  // Returns the number of a subcategory here. `own` is a row of a process, and `subcategory` is a number in it.
  // `category` is the row here with the same name. Returns 0 if it has no such subcategory.
  int32_t Subcategory(int32_t category, const CategoryRow& own, int32_t subcategory) const;

  // Returns the category and the subcategory that show a thread's state. REQUIRES: the thread does not run.
  struct Place {
    int32_t category, subcategory;
  };
  Place PlaceOf(StateLook look) const { return states_[look.number()]; }

  const std::vector<CategoryRow>& rows() const { return rows_; }

 private:
  std::vector<CategoryRow> rows_;
  int32_t fallback_ = 0;
  Place states_[StateLook::kCount] = {};  // by StateLook::number()
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
