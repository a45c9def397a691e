#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_UNNAMED_CODE_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_UNNAMED_CODE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "geckoprof/base/page_memory.h"
#include "tools/text/concat.h"

namespace geckoprof {

// Returns the function that stands for all code of a program that it made at run time and that has no name. A frame
// where no code can be has its address as its name.
inline std::string UnnamedCode(std::string_view program, uint64_t avma) {
  return avma < kLowestCodeAvma ? Concat("0x", HexText(avma)) : Concat("JIT code of ", program);
}

// The address that the frame of such code keeps for a later look-up. It is -1 for one that a number in JSON cannot
// have.
inline int64_t AddressOfUnnamedCode(uint64_t avma) {
  constexpr uint64_t kMaxExact = uint64_t{1} << 53;
  return avma < kMaxExact ? static_cast<int64_t>(avma) : -1;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_UNNAMED_CODE_H_
