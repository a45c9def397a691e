#ifndef GECKOPROF_TOOLS_SYMBOLS_ADDRESS_MAP_H_
#define GECKOPROF_TOOLS_SYMBOLS_ADDRESS_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace geckoprof {

// AddressMap: which of many ranges, that may lie in one another, is the innermost at an address.
//
//   Add      [.....0.....)        Build    |0 |1  |2|1|0 |
//              [...1..)                    sorted, so that an address is found by halving
//                  [2)
//
// Wherever ranges overlap, the one added last is the innermost. Threads: one at a time until Build, any afterwards.
class AddressMap {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Empty ranges are left out.
  void Add(uint64_t start, uint64_t end, uint32_t value) {
    if (start < end) ranges_.push_back({start, end, value});
  }
  void Build();
  // REQUIRES: Build was called. kNone: no range has it.
  uint32_t Find(uint64_t address) const;

  size_t range_count() const { return ranges_.size(); }

 private:
  struct Range {
    uint64_t start, end;
    uint32_t value;
  };
  struct Part {
    uint64_t start;
    uint32_t value;
  };

  void StartPart(uint64_t start, uint32_t value);

  std::vector<Range> ranges_;  // as added; empty after Build
  std::vector<Part> parts_;    // each up to the next one's start
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_ADDRESS_MAP_H_
