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

// CategoryRows maps numbers of categories and subcategories to rows of `profile.categories`. The initial rows have the
// numbers of their places. Categories of the program have numbers of their own (category_numbers.h), which a hostile
// file may choose freely.
//
// Threads: one. Context: allocates.
class CategoryRows {
 public:
  explicit CategoryRows(ProcessProfile* profile) : profile_(*profile) {}

  // Reads the fields of kCategory, kSubcategory and kRefusedCategories. Returns false and changes nothing if they make
  // no sense.
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
// and gives them one row.
//
// Threads: one. Context: allocates.
class SegmentTables {
 public:
  explicit SegmentTables(ProcessProfile* profile);

  // Returns the row of an equal text, or a new one. Use it for texts that repeat.
  int32_t String(std::string_view text);
  // Returns the row of an equal name of a marker, or a new one. A program that gives each marker a name of its own gets
  // a row for each, once the index of equal texts is large.
  int32_t Name(std::string_view name);
  // Returns a new row for the text of a marker. The index is not used, because these texts seldom repeat.
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
