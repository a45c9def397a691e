#include "geckoprof/unwind/compact_rule.h"

#include <catch2/catch.hpp>

using namespace geckoprof;
using Kind = RegisterRule::Kind;

namespace {

// A row with CFA = sp + 32, the return address at CFA - 8 and the frame pointer at CFA - 16.
struct Fixture {
  CfiRow row;
  FrameDescription description;

  Fixture() {
    description.return_address_column = kDwarfLink;
    SetCfa(kDwarfSp, 32);
    SetSaved(kDwarfLink, -8);
    SetSaved(kDwarfFp, -16);
  }
  void SetCfa(uint8_t number, int64_t offset) {
    row.cfa.kind = Kind::kRegister;
    row.cfa.number = number;
    row.cfa.offset = offset;
  }
  void SetSaved(size_t number, int64_t offset) {
    row.registers[number].kind = Kind::kOffset;
    row.registers[number].offset = offset;
  }
  CompactRule Rule() const { return CompactRule::FromRow(row, description); }
  void SetExpression(RegisterRule& rule, Kind kind, const uint8_t* bytes, uint32_t size_bytes) {
    rule.kind = kind;
    rule.expression = bytes;
    rule.expression_bytes = size_bytes;
  }
};

}  // namespace

TEST_CASE("rows over sp and over the frame pointer") {
  Fixture f;
  CompactRule rule = f.Rule();
  CHECK((rule.kind == CompactRule::kFromSp && rule.cfa == 4 && rule.ra == -1 && rule.fp == -2));
  f.SetCfa(kDwarfFp, 16);
  f.row.registers[kDwarfFp].kind = Kind::kUnspecified;
  rule = f.Rule();
  CHECK((rule.kind == CompactRule::kFromFp && rule.cfa == 2 && rule.ra == -1));
  CHECK(rule.fp == CompactRule::kNotSaved);
}

TEST_CASE("an undefined return address is the start") {
  Fixture f;
  f.row.registers[kDwarfLink].kind = Kind::kUndefined;
  CHECK(f.Rule().kind == CompactRule::kStart);
}

TEST_CASE("a return address that is nowhere on the stack needs a link register") {
  Fixture f;
  f.row.registers[kDwarfLink].kind = Kind::kUnspecified;
  const CompactRule rule = f.Rule();
  if (kDwarfLink == kDwarfPc) {
    CHECK(rule.kind == CompactRule::kRow);
  } else {
    CHECK((rule.kind == CompactRule::kFromSp && rule.ra == CompactRule::kNotSaved));
  }
}

TEST_CASE("the largest offsets that fit, and the first that do not") {
  Fixture f;
  constexpr int64_t kMost = -CompactRule::kNotSaved - 1;
  f.SetCfa(kDwarfSp, 8 * kMost);
  f.SetSaved(kDwarfFp, -8 * kMost);
  const CompactRule rule = f.Rule();
  CHECK((rule.kind == CompactRule::kFromSp && rule.cfa == kMost && rule.fp == -kMost));
  f.SetCfa(kDwarfSp, 8 * (kMost + 1));
  CHECK(f.Rule().kind == CompactRule::kRow);
  f.SetCfa(kDwarfSp, 32);
  f.SetSaved(kDwarfFp, 8 * CompactRule::kNotSaved);  // would read as "not saved"
  CHECK(f.Rule().kind == CompactRule::kRow);
}

TEST_CASE("rows that say something else stay rows") {
  Fixture f;
  f.SetCfa(kDwarfSp, 36);  // no whole word
  CHECK(f.Rule().kind == CompactRule::kRow);
  f = Fixture();
  f.SetCfa(3, 16);  // another register
  CHECK(f.Rule().kind == CompactRule::kRow);
  f = Fixture();
  f.row.registers[kDwarfFp].kind = Kind::kUndefined;
  CHECK(f.Rule().kind == CompactRule::kRow);
  f = Fixture();
  f.SetSaved(kDwarfSp, -24);  // sp is not the CFA
  CHECK(f.Rule().kind == CompactRule::kRow);
  f = Fixture();
  f.description.is_signal_frame = true;
  CHECK(f.Rule().kind == CompactRule::kRow);
  f = Fixture();
  f.description.return_address_column = 3;
  CHECK(f.Rule().kind == CompactRule::kRow);
}

TEST_CASE("a realigned stack: the CFA is a word below the frame pointer, which is saved where it points") {
  Fixture f;
  const uint8_t cfa[] = {0x70 + kDwarfFp, 0x78, 0x06};  // *(fp - 8)
  const uint8_t saved[] = {0x70 + kDwarfFp, 0};         // at fp
  const uint8_t elsewhere[] = {0x70 + kDwarfFp, 8};     // at fp + 8
  f.SetExpression(f.row.cfa, Kind::kValExpression, cfa, sizeof cfa);
  f.SetExpression(f.row.registers[kDwarfFp], Kind::kExpression, saved, sizeof saved);
  const CompactRule rule = f.Rule();
  CHECK((rule.kind == CompactRule::kFromFpSlot && rule.cfa == -1 && rule.ra == -1));
  f.SetExpression(f.row.registers[kDwarfFp], Kind::kExpression, elsewhere, sizeof elsewhere);
  CHECK(f.Rule().kind == CompactRule::kRow);
  f.SetExpression(f.row.registers[kDwarfFp], Kind::kExpression, saved, sizeof saved);
  f.SetExpression(f.row.cfa, Kind::kValExpression, cfa, 2);  // without the dereference
  CHECK(f.Rule().kind == CompactRule::kRow);
}
