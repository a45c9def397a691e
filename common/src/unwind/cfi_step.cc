#include "geckoprof/unwind/cfi_step.h"

#include "geckoprof/arch/dwarf_registers.h"

namespace geckoprof {

namespace {

using Kind = RegisterRule::Kind;

// CallerFinder: evaluates the rules of one row; remembers the first problem.
class CallerFinder {
 public:
  CallerFinder(const Registers& callee, std::span<const StackView> stacks)
      : callee_(callee), stacks_(stacks), expression_(callee, stacks) {}

  std::optional<uint64_t> Cfa(const RegisterRule& rule) {
    if (rule.kind == Kind::kRegister) return Register(rule.number, rule.offset);
    return Expression(rule, std::nullopt);
  }

  // Nothing for a register whose value is not known; a problem only if memory was needed.
  std::optional<uint64_t> Value(const RegisterRule& rule, size_t number, uint64_t cfa) {
    switch (rule.kind) {
      case Kind::kUndefined:
        return std::nullopt;
      case Kind::kUnspecified:
      case Kind::kSameValue:
        return Register(number, 0);
      case Kind::kOffset: {
        const std::optional<uint64_t> saved = Word(cfa + static_cast<uint64_t>(rule.offset));
        return saved.has_value() || !IsPopped(cfa + static_cast<uint64_t>(rule.offset)) ? saved : Register(number, 0);
      }
      case Kind::kValOffset:
        return cfa + static_cast<uint64_t>(rule.offset);
      case Kind::kRegister:
        return Register(rule.number, 0);
      case Kind::kExpression: {
        const std::optional<uint64_t> avma = Expression(rule, cfa);
        return avma.has_value() ? Word(*avma) : avma;
      }
      case Kind::kValExpression:
        return Expression(rule, cfa);
    }
    return std::nullopt;
  }

  const UnwindProblem& problem() const { return problem_; }

 private:
  // In an epilogue compilers go on saying where a register was saved after it was popped. The slot then lies below the
  // stack pointer, where nothing was copied, and the register has its caller's value again.
  bool IsPopped(uint64_t slot_avma) const { return slot_avma < callee_.sp(); }

  std::optional<uint64_t> Register(size_t number, int64_t offset) {
    if (callee_.Has(number)) return callee_.values[number] + static_cast<uint64_t>(offset);
    problem_ = {UnwindEnd::kRegisterUnknown, 0, static_cast<uint8_t>(number)};
    return std::nullopt;
  }
  std::optional<uint64_t> Word(uint64_t avma) {
    uint64_t value = 0;
    if (ReadStackWord(stacks_, avma, value)) return value;
    problem_ = {UnwindEnd::kStackCut, avma, 0};
    return std::nullopt;
  }
  std::optional<uint64_t> Expression(const RegisterRule& rule, std::optional<uint64_t> initial) {
    const auto value = expression_.Evaluate(CfiReader(rule.expression, rule.expression_bytes), initial);
    if (!value.has_value()) problem_ = expression_.problem();
    return value;
  }

  const Registers& callee_;
  std::span<const StackView> stacks_;
  DwarfExpression expression_;
  UnwindProblem problem_;
};

}  // namespace

std::optional<UnwindProblem> StepByRow(const CfiRow& row, const FrameDescription& description,
                                       std::span<const StackView> stacks, Registers& registers) {
  const uint64_t return_column = description.return_address_column;
  if (return_column >= kDwarfRegisterCount) return UnwindProblem{};
  const RegisterRule& return_rule = row.registers[return_column];
  if (return_rule.kind == Kind::kUndefined) return UnwindProblem{UnwindEnd::kReachedStart, 0, 0};

  CallerFinder finder(registers, stacks);
  const std::optional<uint64_t> cfa = finder.Cfa(row.cfa);
  if (!cfa.has_value()) return finder.problem();
  if (return_column == kDwarfPc && return_rule.kind == Kind::kUnspecified) return UnwindProblem{};
  const std::optional<uint64_t> return_address = finder.Value(return_rule, return_column, *cfa);
  if (!return_address.has_value()) return finder.problem();

  Registers caller = registers;
  for (size_t number = 0; number < kDwarfRegisterCount; ++number) {
    const RegisterRule& rule = row.registers[number];
    const bool preserved = description.is_signal_frame || (kCalleeSavedRegisters >> number & 1) != 0;
    if (rule.kind == Kind::kUnspecified) {
      if (!preserved) caller.Forget(number);
      continue;
    }
    // A register that cannot be found is unknown from here on; whether that matters will be seen.
    const std::optional<uint64_t> value = finder.Value(rule, number, *cfa);
    caller.Forget(number);
    if (value.has_value()) caller.Set(number, *value);
  }
  if (row.registers[kDwarfSp].kind == Kind::kUnspecified) caller.Set(kDwarfSp, *cfa);
  if (!caller.Has(kDwarfSp)) return UnwindProblem{UnwindEnd::kRegisterUnknown, 0, kDwarfSp};
  caller.Set(kDwarfPc, StripReturnAddress(*return_address));
  registers = caller;
  return std::nullopt;
}

}  // namespace geckoprof
