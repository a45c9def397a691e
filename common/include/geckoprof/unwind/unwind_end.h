// The reasons for the end of an unwinding.
#ifndef GECKOPROF_UNWIND_UNWIND_END_H_
#define GECKOPROF_UNWIND_UNWIND_END_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

enum class UnwindEnd : uint8_t {
  kReachedStart,     // The last frame is where the thread began: its unwind data says so.
  kNoModule,         // The last frame lies in no known module, and nothing on the stack looks like its caller.
  kNoRule,           // The last frame's module says nothing about it, and nothing on the stack looks like its caller.
  kStackCut,         // The caller is saved in memory that was not copied.
  kRegisterUnknown,  // The caller is found through a register with an unknown value.
  kBadRule,          // The unwind data for the last frame is damaged or of an unknown kind.
  kDepthLimit,       // There are more frames than may be returned.
  kNoProgress,       // The caller's stack pointer would not lie above the last frame's.
  kNotCalled,        // Nothing called the last frame: it returns to 0, or was itself returned to at the first
                     // instruction of a function. On a stack of the program's own making that is the start.
};
inline constexpr unsigned kUnwindEndCount = 9;

// Returns true if the walk ended at the start of the stack. `is_known` means that the stack is a thread's own, made by
// libc. Its start is marked by libc's unwind data. Other stacks, such as a coroutine's, have a 0 there, or the function
// that ends the coroutine (makecontext).
constexpr bool IsStart(UnwindEnd end, bool is_known) {
  return end == UnwindEnd::kReachedStart || (end == UnwindEnd::kNotCalled && !is_known);
}

// Returns a short text for the end of a stack, such as "reached the start" or "stack cut".
std::string_view ToText(UnwindEnd end);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_UNWIND_END_H_
