#ifndef GECKOPROF_READER_SEGMENT_TABLES_H_
#define GECKOPROF_READER_SEGMENT_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "category_rows.h"
#include "geckoprof/reader/process_profile.h"
#include "index_map.h"

namespace geckoprof {

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
