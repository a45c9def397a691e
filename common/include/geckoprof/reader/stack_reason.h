#ifndef GECKOPROF_READER_STACK_REASON_H_
#define GECKOPROF_READER_STACK_REASON_H_

#include <cstdint>
#include <string_view>

namespace geckoprof {

// Returns the text of the frame that stands where a stack is incomplete (FrameKind::kReason). `number` is an UnwindEnd
// or a StackProblem.
std::string_view StackReasonText(uint64_t number);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_STACK_REASON_H_
