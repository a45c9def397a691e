#ifndef GECKOPROF_READER_STRING_TABLE_H_
#define GECKOPROF_READER_STRING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace geckoprof {

// StringTable holds the texts of a profile by row number. It does not look for equal texts. SegmentTables does that for
// texts that repeat.
//
//   places_  [ 0 3 5 ... ]      one number a row, in units of kUnitBytes
//   blocks_  [ length text  length text ... ] [ length text ... ]      a text never spans two blocks
//
// Invariants: a view of a text stays valid while the table lives and after the table was moved.
// Threads: one at a time. Context: allocates.
class StringTable {
 public:
  StringTable() = default;
  StringTable(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts) push_back(text);
  }

  void push_back(std::string_view text);
  // REQUIRES: row < size().
  std::string_view operator[](size_t row) const;

  size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }

 private:
  // 2^32 units of 4 bytes are 16 GiB, far more than a recording holds.
  static constexpr size_t kUnitBytes = 4;
  static constexpr size_t kUnitsPerBlock = 16 * 1024;
  static constexpr size_t kFirstBlockBytes = 1024;

  std::vector<uint32_t> places_;
  std::vector<std::vector<char>> blocks_;  // a longer text has a larger block of its own
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_STRING_TABLE_H_
