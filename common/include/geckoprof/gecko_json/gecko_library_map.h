#ifndef GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_
#define GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_

#include <cstdint>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// GeckoLibraryMap gives every library of a process an address range of its own. The format demands this, because its
// list has no times. If a range held two libraries one after the other, the viewer would confuse them.
//
//   recorded   0x1000 [ a.so ] until 5 s        0x1000 [ b.so ] from 5 s      0x9000 [ c.so ]
//   written    0x1000 [ a.so ]                  0x9000 [ c.so ]      0x200000 [ b.so ]   <- moved past all others
//
// If libraries overlap, the one with the lower start stays, and then the one that was mapped first. The same file that
// was mapped again at the same place shares its row. Addresses in a moved library move with it.
//
// Lifetime: a view of the profile's libraries.
class GeckoLibraryMap {
 public:
  explicit GeckoLibraryMap(const std::vector<LibraryRow>& libraries);

  struct Row {
    int32_t library = 0;  // row of the profile's libraries
    uint64_t start = 0;
    uint64_t end = 0;
  };
  // The rows are sorted by start and disjoint. They lie below 2^53, because JSON numbers are doubles.
  const std::vector<Row>& rows() const { return rows_; }

  // Returns the address to write for a frame at `avma` in `library`. kNone stands for no library.
  uint64_t ToWrittenAddress(uint64_t avma, int32_t library) const;

 private:
  const std::vector<LibraryRow>& libraries_;
  std::vector<Row> rows_;
  std::vector<uint64_t> shift_;  // by library; added modulo 2^64
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_LIBRARY_MAP_H_
