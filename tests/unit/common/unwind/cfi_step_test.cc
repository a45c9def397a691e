#include <catch2/catch.hpp>

#include "geckoprof/unwind/cfi_row.h"

using namespace geckoprof;
using Kind = RegisterRule::Kind;

namespace {

constexpr uint64_t kStackAvma = 0x7ffe00000000;
constexpr size_t kSaved = kDwarfFp;  // a register that calls preserve
constexpr size_t kScratch = 1;       // one that they do not

// CFA = sp + 32; the return address at CFA - 8, kSaved at CFA - 16.
struct Fixture {
  uint64_t words[8] = {0x10, 0x11, 0xcafe, 0x400500, 0x14, 0x15, 0x16, 0x17};
  StackView stack{reinterpret_cast<const uint8_t*>(words), kStackAvma, sizeof words};
  CfiRow row;
  FrameDescription description;
  Registers registers;

  Fixture() {
    for (size_t i = 0; i < kDwarfRegisterCount; ++i) registers.Set(i, 0x1000 + i);
    registers.Set(kDwarfSp, kStackAvma);
    registers.Set(kDwarfPc, 0x400100);
    description.return_address_column = kDwarfLink;
    row.cfa.kind = Kind::kRegister;
    row.cfa.number = kDwarfSp;
    row.cfa.offset = 32;
    Save(kDwarfLink, -8);
    Save(kSaved, -16);
  }
  void Save(size_t number, int64_t offset) {
    row.registers[number].kind = Kind::kOffset;
    row.registers[number].offset = offset;
  }
  std::optional<UnwindProblem> Step() { return StepByRow(row, description, std::span(&stack, 1), registers); }
};

}  // namespace

TEST_CASE("saved registers come from the stack, scratch registers are forgotten, sp is the CFA") {
  Fixture f;
  REQUIRE_FALSE(f.Step().has_value());
  CHECK(f.registers.pc() == 0x400500);
  CHECK(f.registers.sp() == kStackAvma + 32);
  CHECK(f.registers.values[kSaved] == 0xcafe);
  CHECK_FALSE(f.registers.Has(kScratch));
}

TEST_CASE("a signal frame keeps all registers") {
  Fixture f;
  f.description.is_signal_frame = true;
  REQUIRE_FALSE(f.Step().has_value());
  CHECK((f.registers.Has(kScratch) && f.registers.values[kScratch] == 0x1000 + kScratch));
}

TEST_CASE("each kind of rule") {
  Fixture f;
  const uint8_t at_cfa[] = {0x38, 0x22};  // the CFA, which is on the stack at the beginning, + 8
  f.row.registers[0].kind = Kind::kValOffset;
  f.row.registers[0].offset = 24;
  f.row.registers[1].kind = Kind::kRegister;
  f.row.registers[1].number = 2;
  f.row.registers[3].kind = Kind::kExpression;
  f.row.registers[3].expression = at_cfa;
  f.row.registers[3].expression_bytes = sizeof at_cfa;
  f.row.registers[4].kind = Kind::kValExpression;
  f.row.registers[4].expression = at_cfa;
  f.row.registers[4].expression_bytes = sizeof at_cfa;
  f.row.registers[5].kind = Kind::kSameValue;
  f.row.registers[kSaved].kind = Kind::kUndefined;
  REQUIRE_FALSE(f.Step().has_value());
  const uint64_t cfa = kStackAvma + 32;
  CHECK(f.registers.values[0] == cfa + 24);
  CHECK(f.registers.values[1] == 0x1002);
  CHECK(f.registers.values[3] == 0x15);
  CHECK(f.registers.values[4] == cfa + 8);
  CHECK((f.registers.Has(5) && f.registers.values[5] == 0x1005));
  CHECK_FALSE(f.registers.Has(kSaved));
}

TEST_CASE("an undefined return address is the start, and changes nothing") {
  Fixture f;
  f.row.registers[kDwarfLink].kind = Kind::kUndefined;
  const auto problem = f.Step();
  REQUIRE(problem.has_value());
  CHECK(problem->end == UnwindEnd::kReachedStart);
  CHECK(f.registers.pc() == 0x400100);
}

TEST_CASE("what is missing is named, and nothing is changed") {
  Fixture f;
  f.stack.size_bytes = 24;
  auto problem = f.Step();
  REQUIRE(problem.has_value());
  CHECK((problem->end == UnwindEnd::kStackCut && problem->avma == kStackAvma + 24));
  f.row.cfa.number = kSaved;
  f.registers.Forget(kSaved);
  problem = f.Step();
  REQUIRE(problem.has_value());
  CHECK((problem->end == UnwindEnd::kRegisterUnknown && problem->register_number == kSaved));
  CHECK(f.registers.sp() == kStackAvma);
  f.description.return_address_column = kDwarfRegisterCount;
  problem = f.Step();
  REQUIRE(problem.has_value());
  CHECK(problem->end == UnwindEnd::kBadRule);
}

TEST_CASE("a register whose slot lies below sp was popped; one whose slot was cut off is unknown") {
  Fixture f;
  f.Save(kSaved, -40);  // below sp
  REQUIRE_FALSE(f.Step().has_value());
  CHECK((f.registers.Has(kSaved) && f.registers.values[kSaved] == 0x1000 + kSaved));
  Fixture g;
  g.Save(kSaved, 64);  // above what was copied
  REQUIRE_FALSE(g.Step().has_value());
  CHECK_FALSE(g.registers.Has(kSaved));
  CHECK(g.registers.pc() == 0x400500);
}
