// DWARF expressions, as call frame information uses them.
#ifndef GECKOPROF_UNWIND_DWARF_EXPRESSION_H_
#define GECKOPROF_UNWIND_DWARF_EXPRESSION_H_

#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/modules/cfi_reader.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {

// The cause of a failed step.
struct UnwindProblem {
  UnwindEnd end = UnwindEnd::kBadRule;
  uint64_t avma = 0;            // kStackCut: the address that was needed
  uint8_t register_number = 0;  // kRegisterUnknown: the one that was needed
};

// DwarfExpression evaluates an expression (DWARF 5, 2.5) over known registers and copied stacks. Its stack holds 64
// values. It runs at most 1,000 operations, because loops are possible. It allocates nothing.
class DwarfExpression {
 public:
  DwarfExpression(const Registers& registers, std::span<const StackView> stacks)
      : registers_(registers), stacks_(stacks) {}

  // Returns the last value on the stack. `initial`, if it has a value (the CFA), is on the stack at the beginning.
  std::optional<uint64_t> Evaluate(CfiReader expression, std::optional<uint64_t> initial);
  // The reason why Evaluate returned nothing.
  const UnwindProblem& problem() const { return problem_; }

 private:
  static constexpr unsigned kMaxDepth = 64;

  bool Step(CfiReader& rest, const CfiReader& whole);
  bool PushConstant(uint8_t operation, CfiReader& rest);
  bool PushRegister(uint64_t number, int64_t offset);
  bool Rearrange(uint8_t operation, CfiReader& rest);
  bool Unary(uint8_t operation, CfiReader& rest);
  bool Binary(uint8_t operation);
  bool Dereference(unsigned size_bytes);
  bool Push(uint64_t value);

  const Registers& registers_;
  std::span<const StackView> stacks_;
  UnwindProblem problem_;
  uint64_t values_[kMaxDepth];
  unsigned depth_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_DWARF_EXPRESSION_H_
