#include "geckoprof/unwind/cfi_row.h"

#include "geckoprof/arch/registers.h"

namespace geckoprof {

namespace {

using Kind = RegisterRule::Kind;

// The instructions (DWARF 5, 6.4.2 and table 7.29). The first three have their operand in the low six bits.
enum : uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kAarch64NegateRaState = 0x2d,
  kGnuArgsSize = 0x2e,
  kGnuNegativeOffsetExtended = 0x2f,
};

// RowMachine: runs instructions on a row.
class RowMachine {
 public:
  // `initial`: what DW_CFA_restore goes back to.
  RowMachine(const FrameDescription& description, const CfiRow& initial, CfiRow& row)
      : description_(description), initial_(initial), row_(row), location_svma_(description.start_svma) {}

  // Runs until the location passes `pc_svma`.
  bool Run(CfiReader reader, uint64_t pc_svma) {
    reader_ = reader;
    size_bytes_ = reader.remaining();
    for (;;) {
      RunUsual(pc_svma);
      if (reader_.AtEnd() || location_svma_ > pc_svma) break;
      if (!Step(reader_.U8())) return false;
    }
    return reader_.ok();
  }

 private:
  // Runs the most common instructions. These advance the location, save a register, or move the CFA with a pushed
  // argument. It stops at the first other instruction or at damage, which Step handles. An entry has some two dozen
  // instructions.
  void RunUsual(uint64_t pc_svma) {
    if (row_.cfa.kind != Kind::kRegister) return;
    constexpr ptrdiff_t kLongest = 3;
    const uint8_t* at = reader_.position();
    const uint8_t* const end = at + reader_.remaining();
    const uint64_t alignment = description_.code_alignment;
    uint64_t location = location_svma_;
    int64_t cfa_offset = row_.cfa.offset;
    while (end - at >= kLongest && location <= pc_svma) {
      const uint8_t operand = at[0] & 0x3f;
      if ((at[0] & 0xc0) == kAdvanceLoc) {
        const uint64_t next = location + operand * alignment;
        if (next < location) break;
        location = next;
        at += 1;
      } else if ((at[0] & 0xc0) == kOffset && at[1] < 0x80) {
        SetOffset(operand, Scaled(at[1]));
        at += 2;
      } else if (at[0] == kDefCfaOffset && at[1] < 0x80) {
        cfa_offset = at[1];
        at += 2;
      } else if (at[0] == kDefCfaOffset && at[2] < 0x80) {
        cfa_offset = (at[1] & 0x7f) | at[2] << 7;
        at += 3;
      } else {
        break;
      }
    }
    row_.cfa.offset = cfa_offset;
    location_svma_ = location;
    reader_.Skip(static_cast<uint64_t>(at - reader_.position()));
  }
  bool Step(uint8_t instruction) {
    const uint8_t operand = instruction & 0x3f;
    switch (instruction & 0xc0) {
      case kAdvanceLoc:
        return Advance(operand);
      case kOffset:
        return SetOffset(operand, Scaled(reader_.Uleb()));
      case kRestore:
        return Restore(operand);
      default:
        return StepCfa(instruction);
    }
  }

  // Location, CFA and rows.
  bool StepCfa(uint8_t instruction) {
    switch (instruction) {
      case kNop:
      case kAarch64NegateRaState:  // see StripReturnAddress
        return true;
      case kGnuArgsSize:
        reader_.Uleb();
        return true;
      case kSetLoc:
        return SetLocation();
      case kAdvanceLoc1:
        return Advance(reader_.U8());
      case kAdvanceLoc2:
        return Advance(reader_.Fixed<uint16_t>());
      case kAdvanceLoc4:
        return Advance(reader_.Fixed<uint32_t>());
      case kRememberState:
        if (remembered_count_ == kMaxRememberedRows) return false;
        remembered_[remembered_count_++] = row_;
        return true;
      case kRestoreState:
        if (remembered_count_ == 0) return false;
        row_ = remembered_[--remembered_count_];
        return true;
      case kDefCfa:
      case kDefCfaSf:
        if (!SetCfaRegister(reader_.Uleb())) return false;
        row_.cfa.offset = instruction == kDefCfa ? static_cast<int64_t>(reader_.Uleb()) : ScaledSigned(reader_.Sleb());
        return true;
      case kDefCfaRegister: {
        const int64_t offset = row_.cfa.kind == Kind::kRegister ? row_.cfa.offset : 0;
        if (row_.cfa.kind != Kind::kRegister || !SetCfaRegister(reader_.Uleb())) return false;
        row_.cfa.offset = offset;
        return true;
      }
      case kDefCfaOffset:
      case kDefCfaOffsetSf:
        if (row_.cfa.kind != Kind::kRegister) return false;
        row_.cfa.offset =
            instruction == kDefCfaOffset ? static_cast<int64_t>(reader_.Uleb()) : ScaledSigned(reader_.Sleb());
        return true;
      case kDefCfaExpression:
        return SetExpression(row_.cfa, Kind::kValExpression);
      default:
        return StepRegister(instruction, reader_.Uleb());
    }
  }

  // Runs an instruction about one register. The register's number comes first.
  bool StepRegister(uint8_t instruction, uint64_t number) {
    switch (instruction) {
      case kOffsetExtended:
        return SetOffset(number, Scaled(reader_.Uleb()));
      case kOffsetExtendedSf:
        return SetOffset(number, ScaledSigned(reader_.Sleb()));
      case kGnuNegativeOffsetExtended:
        return SetOffset(number, -Scaled(reader_.Uleb()));
      case kRestoreExtended:
        return Restore(number);
      case kUndefined:
        return Set(number, Kind::kUndefined, 0);
      case kSameValue:
        return Set(number, Kind::kSameValue, 0);
      case kRegister:
        return SetFromRegister(number, reader_.Uleb());
      case kValOffset:
        return Set(number, Kind::kValOffset, Scaled(reader_.Uleb()));
      case kValOffsetSf:
        return Set(number, Kind::kValOffset, ScaledSigned(reader_.Sleb()));
      case kExpression:
      case kValExpression: {
        RegisterRule rule;
        if (!SetExpression(rule, instruction == kExpression ? Kind::kExpression : Kind::kValExpression)) return false;
        if (number < kDwarfRegisterCount) row_.registers[number] = rule;
        return true;
      }
      default:
        return false;
    }
  }

  // Offsets wrap instead of overflowing. A damaged offset gives an address that was not copied.
  int64_t Scaled(uint64_t value) const {
    return static_cast<int64_t>(value * static_cast<uint64_t>(description_.data_alignment));
  }
  int64_t ScaledSigned(int64_t value) const { return Scaled(static_cast<uint64_t>(value)); }
  bool Advance(uint64_t delta) {
    const uint64_t next = location_svma_ + delta * description_.code_alignment;
    if (next < location_svma_) return false;
    location_svma_ = next;
    return true;
  }
  bool SetLocation() {
    const uint64_t consumed = size_bytes_ - reader_.remaining();
    PointerBases bases = description_.instruction_bases;
    bases.reader_svma += consumed;
    return ReadPointer(reader_, description_.pointer_encoding, bases, location_svma_);
  }
  bool Set(uint64_t number, Kind kind, int64_t offset) {
    if (number >= kDwarfRegisterCount) return true;
    RegisterRule& rule = row_.registers[number];
    rule.kind = kind;
    rule.offset = offset;
    return true;
  }
  bool SetOffset(uint64_t number, int64_t offset) { return Set(number, Kind::kOffset, offset); }
  bool SetFromRegister(uint64_t number, uint64_t from) {
    if (from >= kDwarfRegisterCount) return Set(number, Kind::kUndefined, 0);
    if (number < kDwarfRegisterCount) row_.registers[number].number = static_cast<uint8_t>(from);
    return Set(number, Kind::kRegister, 0);
  }
  bool Restore(uint64_t number) {
    if (number < kDwarfRegisterCount) row_.registers[number] = initial_.registers[number];
    return true;
  }
  bool SetCfaRegister(uint64_t number) {
    if (number >= kDwarfRegisterCount) return false;
    row_.cfa.kind = Kind::kRegister;
    row_.cfa.number = static_cast<uint8_t>(number);
    return true;
  }
  bool SetExpression(RegisterRule& rule, Kind kind) {
    const CfiReader expression = reader_.ReadBlock(reader_.Uleb());
    if (!reader_.ok() || expression.remaining() > UINT32_MAX) return false;
    rule.kind = kind;
    rule.expression_bytes = static_cast<uint32_t>(expression.remaining());
    rule.expression = expression.position();
    return true;
  }

  const FrameDescription& description_;
  const CfiRow& initial_;
  CfiRow& row_;
  CfiReader reader_;
  uint64_t size_bytes_ = 0;
  uint64_t location_svma_;
  union {
    CfiRow remembered_[kMaxRememberedRows];  // not initialised: only those below remembered_count_ are read
  };
  unsigned remembered_count_ = 0;
};

}  // namespace

bool FindInitialRow(const CommonInformation& common, CfiRow& row) {
  row = CfiRow();
  FrameDescription description;
  static_cast<CommonInformation&>(description) = common;
  const CfiRow nothing{};
  // The instructions of a CIE do not move the location, because they describe the first row.
  return RowMachine(description, nothing, row).Run(common.initial_instructions, ~uint64_t{0});
}

bool FindRow(const FrameDescription& description, uint64_t pc_svma, CfiRow& row) {
  if (description.initial_row == nullptr) {
    CfiRow initial;
    FrameDescription with_row = description;
    with_row.initial_row = &initial;
    return FindInitialRow(description, initial) && FindRow(with_row, pc_svma, row);
  }
  row = *description.initial_row;
  return RowMachine(description, *description.initial_row, row).Run(description.instructions, pc_svma) &&
         row.cfa.kind != Kind::kUnspecified;
}

namespace {

using Kind = RegisterRule::Kind;

// CallerFinder evaluates the rules of one row. It stores the first problem.
class CallerFinder {
 public:
  CallerFinder(const Registers& callee, std::span<const StackView> stacks)
      : callee_(callee), stacks_(stacks), expression_(callee, stacks) {}

  std::optional<uint64_t> Cfa(const RegisterRule& rule) {
    if (rule.kind == Kind::kRegister) return Register(rule.number, rule.offset);
    return Expression(rule, std::nullopt);
  }

  // Returns nothing if the register's value is unknown. It is a problem only if memory was needed.
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
    // A register without a value is unknown from here on. A later step reports it if it needs the register.
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
