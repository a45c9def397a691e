// Rows of call frame information. A row tells how to find the caller at one instruction.
#ifndef GECKOPROF_UNWIND_CFI_ROW_H_
#define GECKOPROF_UNWIND_CFI_ROW_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/arch/registers.h"
#include "geckoprof/unwind/dwarf_expression.h"
#include "geckoprof/unwind/frame_description.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// The rule for the caller's value of one register (DWARF 5, 6.4.1).
struct RegisterRule {
  enum class Kind : uint8_t {
    kUnspecified,
    kUndefined,
    kSameValue,
    kOffset,         // at CFA + offset
    kValOffset,      // CFA + offset itself
    kRegister,       // in register `number`
    kExpression,     // at the address that the expression gives
    kValExpression,  // the result of the expression
  };
  Kind kind = Kind::kUnspecified;
  uint8_t number = 0;
  uint32_t expression_bytes = 0;
  union {
    int64_t offset = 0;
    const uint8_t* expression;
  };
};

// CfiRow is one row of the table that the instructions of an entry describe. It has the CFA and the registers. The CFA
// rule uses kRegister (number plus offset) or kValExpression.
struct CfiRow {
  RegisterRule cfa;
  std::array<RegisterRule, kDwarfRegisterCount> registers;
};

// Runs the instructions of `description` up to `pc_svma`, which it covers. Returns false if the instructions are
// damaged, of an unknown kind, or remember more than kMaxRememberedRows rows. Rules for other registers, such as vector
// registers, are skipped. A call takes some hundred nanoseconds and about 5 KiB of stack, and allocates nothing.
bool FindRow(const FrameDescription& description, uint64_t pc_svma, CfiRow& row);

// Fills in the row that a CIE's own instructions describe. Returns false as FindRow does.
bool FindInitialRow(const CommonInformation& common, CfiRow& row);

// Compilers nest DW_CFA_remember_state once, hand-written code twice.
inline constexpr unsigned kMaxRememberedRows = 6;

// Changes `registers` to the caller's. Registers that a call does not preserve become unknown. A signal frame has all
// registers, so they stay known there. Returns nothing on success. A problem leaves `registers` as they were. An
// undefined return address is the problem kReachedStart.
std::optional<UnwindProblem> StepByRow(const CfiRow& row, const FrameDescription& description,
                                       std::span<const StackView> stacks, Registers& registers);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CFI_ROW_H_
