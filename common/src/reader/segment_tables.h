#ifndef GECKOPROF_READER_SEGMENT_TABLES_H_
#define GECKOPROF_READER_SEGMENT_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
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

// SegmentTables fills the tables of a ProcessProfile that all threads share. It finds equal strings, frames and stacks,
// so that each has one row. Threads: one. Context: allocates.
class SegmentTables {
 public:
  explicit SegmentTables(ProcessProfile* profile);

  // Returns the row of an equal text, or a new one. Use it for texts that repeat.
  int32_t String(std::string_view text);
  // Returns the row of an equal name of a marker, or a new one. A program that gives each marker a name of its own gets
  // a row for each, once the index of equal texts is large.
  int32_t Name(std::string_view name);
  // Returns a new row for the text of a marker. Such texts seldom repeat, and the index would outweigh them.
  int32_t Text(std::string_view text);
  // Returns a new row for bytes that need not be UTF-8.
  int32_t Bytes(std::span<const uint8_t> bytes);
  // Returns the row of an equal frame, or a new one.
  int32_t Frame(const FrameRow& frame);
  int32_t Stack(int32_t prefix, int32_t frame);

  CategoryRows& categories() { return categories_; }

 private:
  int32_t FindString(uint64_t key, std::string_view text) const;

  ProcessProfile& profile_;
  IndexMap strings_, frames_, stacks_;
  size_t indexed_strings_ = 0;
  CategoryRows categories_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_SEGMENT_TABLES_H_
