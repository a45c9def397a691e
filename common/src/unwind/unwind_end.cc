#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {

std::string_view ToText(UnwindEnd end) {
  switch (end) {
    case UnwindEnd::kReachedStart:
      return "reached the start";
    case UnwindEnd::kNoModule:
      return "code outside any module";
    case UnwindEnd::kNoRule:
      return "no unwind data";
    case UnwindEnd::kStackCut:
      return "stack cut";
    case UnwindEnd::kRegisterUnknown:
      return "register unknown";
    case UnwindEnd::kBadRule:
      return "bad unwind data";
    case UnwindEnd::kDepthLimit:
      return "too many frames";
    case UnwindEnd::kNoProgress:
      return "no progress";
    case UnwindEnd::kNotCalled:
      return "called by nothing";
  }
  return "unknown";
}

}  // namespace geckoprof
