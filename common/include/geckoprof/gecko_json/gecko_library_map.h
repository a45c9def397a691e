#ifndef GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_
#define GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// GeckoLibraryMap: gives every library of a process an address range of its own, as the format demands: its list has no
// times, so a range that held one library and later another would be read wrongly.
//
//   recorded   0x1000 [ a.so ] until 5 s        0x1000 [ b.so ] from 5 s      0x9000 [ c.so ]
//   written    0x1000 [ a.so ]                  0x9000 [ c.so ]      0x200000 [ b.so ]   <- moved past all others
//
// Of libraries that overlap, the one that starts lower stays, then the one mapped first; the same file mapped at the
// same place again shares its row. Addresses in a moved library move with it. Lifetime: a view of the profile's
// libraries.
class GeckoLibraryMap {
 public:
  explicit GeckoLibraryMap(const std::vector<LibraryRow>& libraries);

  struct Row {
    int32_t library = 0;  // row of the profile's libraries
    uint64_t start = 0;
    uint64_t end = 0;
  };
  // Sorted by start, disjoint, below 2^53 (JSON numbers are doubles).
  const std::vector<Row>& rows() const { return rows_; }

  // The address to write for a frame at `avma` in `library` (kNone: in none).
  uint64_t ToWrittenAddress(uint64_t avma, int32_t library) const;

 private:
  const std::vector<LibraryRow>& libraries_;
  std::vector<Row> rows_;
  std::vector<uint64_t> shift_;  // by library; added modulo 2^64
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_
