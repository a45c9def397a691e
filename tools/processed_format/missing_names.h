#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "geckoprof/base/page_memory.h"
#include "tools/text/concat.h"

namespace geckoprof {

// MissingNames counts the samples whose innermost function has no name, by the reason.
class MissingNames {
 public:
  void AddSample() { ++samples_; }
  // A sample in code that a program made at run time.
  void AddMadeCode(std::string_view program) { ++made_code_[std::string(program)]; }
  // A sample in a library, or program, without symbols.
  void AddLibrary(std::string_view path) { ++libraries_[std::string(path)]; }

  // Returns one sentence or two that tell how many names are missing and how to get them. The text is empty if the
  // share is small.
  std::string Note() const;

 private:
  using Counts = std::map<std::string, uint64_t>;

  uint64_t samples_ = 0;
  Counts made_code_, libraries_;
};

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

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_
