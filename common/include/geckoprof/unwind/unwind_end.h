// Why an unwinding ended.
#ifndef GECKOPROF_UNWIND_UNWIND_END_H_
#define GECKOPROF_UNWIND_UNWIND_END_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

enum class UnwindEnd : uint8_t {
  kReachedStart,     // The last frame is where the thread began: its unwind data says so, or its return address is 0.
  kNoModule,         // The last frame lies in no known module, and nothing on the stack looks like its caller.
  kNoRule,           // The last frame's module says nothing about it, and nothing on the stack looks like its caller.
  kStackCut,         // The caller is saved in memory that was not copied.
  kRegisterUnknown,  // The caller is found through a register whose value is not known.
  kBadRule,          // The unwind data for the last frame is damaged or of an unknown kind.
  kDepthLimit,       // There are more frames than may be returned.
  kNoProgress,       // The caller's stack pointer would not lie above the last frame's.
};
inline constexpr unsigned kUnwindEndCount = 8;

// A short text for the end of a stack: "reached the start", "stack cut", ...
std::string_view ToText(UnwindEnd end);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_UNWIND_END_H_
