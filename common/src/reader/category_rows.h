#ifndef GECKOPROF_READER_CATEGORY_ROWS_H_
#define GECKOPROF_READER_CATEGORY_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "index_map.h"

namespace geckoprof {

// CategoryRows: which row of `profile.categories` the number of a category is, and which of its subcategories. The rows
// that the profile has at first are numbered as they stand there; what the program added has numbers of its own
// (category_numbers.h), which a hostile file may choose freely. Threads: one. Context: allocates.
class CategoryRows {
 public:
  explicit CategoryRows(ProcessProfile* profile) : profile_(*profile) {}

  // The fields of kCategory, kSubcategory and kRefusedCategories. False: they make no sense, and nothing was taken.
  bool ReadCategory(Leb128Reader& reader);
  bool ReadSubcategory(Leb128Reader& reader);
  bool ReadRefused(Leb128Reader& reader);

  struct Place {
    int32_t category = kNone;  // of a later version, or never written: none
    int32_t subcategory = kNone;
  };
  Place Find(uint64_t pair) const;

  uint64_t refused() const { return refused_; }

 private:
  int32_t FindRow(uint64_t number) const;
  size_t AddedTo(int32_t row) const;

  ProcessProfile& profile_;
  size_t added_ = 0;                         // rows at the end of the profile's
  std::vector<size_t> added_subcategories_;  // by row
  IndexMap categories_, subcategories_;      // by number, by pair
  uint64_t refused_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_CATEGORY_ROWS_H_
