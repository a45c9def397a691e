#include "geckoprof/reader/stack_reason.h"

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {

std::string_view StackReasonText(uint64_t number) {
  constexpr std::string_view kUnknown = "(stack incomplete)";
  if (number > UINT8_MAX) return kUnknown;  // of a later version, and more than an UnwindEnd holds
  switch (static_cast<StackProblem>(number)) {
    case StackProblem::kUnknownStack:
      return "(stack incomplete: not on a known stack)";
    case StackProblem::kCopyLimit:
      return "(stack incomplete: deeper than what is copied)";
    case StackProblem::kUnreadable:
      return "(no stack: it could not be read)";
    case StackProblem::kSignalBlocked:
      return "(no stack: the thread blocks the profiler's signal)";
    case StackProblem::kSmallSignalStack:
      return "(no stack: the alternate signal stack is too small, give it 32 KiB more than sysconf(_SC_SIGSTKSZ))";
    case StackProblem::kNotLearnt:
      return "(stack incomplete: too many markers for the sampler at once)";
    case StackProblem::kUnloaded:
      return "(no stack: a library was unloaded at once)";
    case StackProblem::kUnknownCode:
      return "(stack incomplete: code of no known library, frames may be missing)";
    case StackProblem::kCodeUnloaded:
      return "(a library that was unloaded)";
    case StackProblem::kTraced:
      return "(no stack: the thread asked to be traced, and a signal would stop it)";
    case StackProblem::kSignalInUse:
      return "(no stack: the program's own use of SIGURG and SIGWINCH leaves the profiler no signal)";
    case StackProblem::kInSignalHandler:
      return "(no stack: in a signal handler on an alternate stack)";
    case StackProblem::kFoundByScan:
      return "(caller found by a scan, may be wrong)";
    case StackProblem::kNoProblem:
      break;
  }
  switch (static_cast<UnwindEnd>(number)) {
    case UnwindEnd::kReachedStart:
      return "(stack complete)";
    case UnwindEnd::kNoModule:
      return "(stack incomplete: code without a module)";
    case UnwindEnd::kNoRule:
      return "(stack incomplete: code without unwind data)";
    case UnwindEnd::kStackCut:
      return "(stack incomplete: memory that was not copied)";
    case UnwindEnd::kRegisterUnknown:
      return "(stack incomplete: a register is not known)";
    case UnwindEnd::kBadRule:
      return "(stack incomplete: damaged unwind data)";
    case UnwindEnd::kDepthLimit:
      return "(stack incomplete: more frames than the limit)";
    case UnwindEnd::kNoProgress:
      return "(stack incomplete: the stack does not grow)";
    case UnwindEnd::kNotCalled:
      return "(stack incomplete: nothing called the last frame)";
  }
  return kUnknown;
}

}  // namespace geckoprof
