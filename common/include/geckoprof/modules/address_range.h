#ifndef GECKOPROF_MODULES_ADDRESS_RANGE_H_
#define GECKOPROF_MODULES_ADDRESS_RANGE_H_

#include <cstdint>

namespace geckoprof {

// A half-open range of addresses in the process, [start, end).
struct AddressRange {
  uint64_t start_avma = 0;
  uint64_t end_avma = 0;
  bool Contains(uint64_t avma) const { return avma - start_avma < end_avma - start_avma; }
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_ADDRESS_RANGE_H_
