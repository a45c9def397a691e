// From a frame's registers to its caller's, by a row of call frame information.
#ifndef GECKOPROF_UNWIND_CFI_STEP_H_
#define GECKOPROF_UNWIND_CFI_STEP_H_

#include <optional>
#include <span>

#include "geckoprof/unwind/cfi_row.h"
#include "geckoprof/unwind/dwarf_expression.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// Changes `registers` to the caller's. Registers that a call does not preserve become unknown, except across a signal
// frame, which has them all. Returns nothing on success; a problem leaves `registers` as they were. An undefined return
// address is the problem kReachedStart.
std::optional<UnwindProblem> StepByRow(const CfiRow& row, const FrameDescription& description,
                                       std::span<const StackView> stacks, Registers& registers);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CFI_STEP_H_
