#include "geckoprof/unwind/cfi_row.h"

#include <catch2/catch.hpp>
#include <random>

#include "cfi_builder.h"
#include "geckoprof/unwind/compact_rule.h"

using namespace geckoprof;
using Kind = RegisterRule::Kind;

namespace {

constexpr uint64_t kStart = 0x1000;

// The row at kStart + offset of one function; nothing if its instructions are refused.
struct Found {
  bool ok = false;
  CfiRow row;
  FrameDescription description;
};
Found RowAt(uint64_t offset, const std::vector<uint8_t>& instructions, CfiBuilder& cfi) {
  cfi.AddCie("zR", {0x0c, 7, 8, 0x80 | 16, 1});
  const uint64_t entry = cfi.bytes().size();
  cfi.AddFde(kStart, 0x1000, instructions);
  Found found;
  uint64_t next = 0;
  REQUIRE(ReadEntry(cfi.Section(), entry, found.description, next) == EntryKind::kFde);
  REQUIRE(found.description.Covers(kStart + offset));
  found.ok = FindRow(found.description, kStart + offset, found.row);
  return found;
}

void AppendUleb(std::vector<uint8_t>& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

void AppendSleb(std::vector<uint8_t>& bytes, int64_t value) {
  for (; value < -0x40 || value >= 0x40; value >>= 7) bytes.push_back(static_cast<uint8_t>((value & 0x7f) | 0x80));
  bytes.push_back(static_cast<uint8_t>(value & 0x7f));
}

// Random instructions: those that nearly all entries consist of, and others that mean the same.
struct TwoForms {
  std::vector<uint8_t> usual, longer;
  uint32_t location = 0;

  TwoForms(std::mt19937& random, uint32_t most_words) {
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    for (uint32_t count = 1 + below(30); count != 0; --count) {
      const uint32_t words = below(most_words);  // up to three bytes as an offset
      const uint32_t kind = below(3);
      if (kind == 0) {
        const uint32_t delta = below(0x40);
        location += delta;
        usual.push_back(static_cast<uint8_t>(0x40 | delta));               // advance_loc
        longer.insert(longer.end(), {0x02, static_cast<uint8_t>(delta)});  // advance_loc1
      } else if (kind == 1) {
        const uint32_t number = below(40);                                  // not all of them are followed
        usual.push_back(static_cast<uint8_t>(0x80 | number));               // offset
        longer.insert(longer.end(), {0x05, static_cast<uint8_t>(number)});  // offset_extended
        AppendUleb(usual, words);
        AppendUleb(longer, words);
      } else {
        usual.push_back(0x0e);  // def_cfa_offset
        AppendUleb(usual, 8 * words);
        longer.push_back(0x13);  // def_cfa_offset_sf, in units of -8
        AppendSleb(longer, -int64_t{words});
      }
    }
  }
};

}  // namespace

TEST_CASE("an entry's fields are decoded") {
  CfiBuilder cfi;
  const Found found = RowAt(0, {}, cfi);
  CHECK(found.description.start_svma == kStart);
  CHECK(found.description.end_svma == kStart + 0x1000);
  CHECK(found.description.data_alignment == -8);
  CHECK(found.description.return_address_column == 16);
  CHECK_FALSE(found.description.is_signal_frame);
}

TEST_CASE("rows begin where the location says") {
  // push rbp; mov rsp,rbp; ...; leave: the classic prologue and epilogue
  const std::vector<uint8_t> code = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x80, 0x0c, 7, 8, 0xc6};
  const struct {
    uint64_t offset;
    uint8_t cfa_register;
    int64_t cfa_offset;
    Kind fp;
  } kRows[] = {{0, 7, 8, Kind::kUnspecified}, {1, 7, 16, Kind::kOffset},    {3, 7, 16, Kind::kOffset},
               {4, 6, 16, Kind::kOffset},     {0x83, 6, 16, Kind::kOffset}, {0x84, 7, 8, Kind::kUnspecified}};
  for (const auto& expected : kRows) {
    CfiBuilder cfi;
    const Found found = RowAt(expected.offset, code, cfi);
    REQUIRE(found.ok);
    CAPTURE(expected.offset);
    CHECK(found.row.cfa.number == expected.cfa_register);
    CHECK(found.row.cfa.offset == expected.cfa_offset);
    CHECK(found.row.registers[6].kind == expected.fp);
    CHECK(found.row.registers[16].offset == -8);
  }
}

TEST_CASE("usual instructions give the rows that their longer forms give") {
  std::mt19937 random(20240229);
  for (int i = 0; i < 200; ++i) {
    const TwoForms forms(random, i % 3 == 0 ? 3000 : 20);
    CAPTURE(i);
    for (uint32_t offset = 0; offset <= forms.location + 1; ++offset) {
      CfiBuilder usual_cfi, longer_cfi;
      const Found found = RowAt(offset, forms.usual, usual_cfi);
      const Found expected = RowAt(offset, forms.longer, longer_cfi);
      REQUIRE((found.ok && expected.ok));
      REQUIRE(found.row.cfa.offset == expected.row.cfa.offset);
      for (size_t number = 0; number < kDwarfRegisterCount; ++number) {
        REQUIRE(found.row.registers[number].kind == expected.row.registers[number].kind);
        REQUIRE(found.row.registers[number].offset == expected.row.registers[number].offset);
      }
    }
  }
}

TEST_CASE("remembered rows come back whole") {
  const std::vector<uint8_t> code = {0x0e, 32, 0x83, 3, 0x0a, 0x41, 0x0e, 8, 0xc3, 0x41, 0x0b};
  for (const uint64_t offset : {0, 1, 2}) {
    CfiBuilder cfi;
    const Found found = RowAt(offset, code, cfi);
    REQUIRE(found.ok);
    CHECK(found.row.cfa.offset == (offset == 1 ? 8 : 32));
    CHECK((found.row.registers[3].kind == Kind::kOffset) == (offset != 1));
  }
}

TEST_CASE("all kinds of register rules") {
  CfiBuilder cfi;
  const Found found = RowAt(0, {0x05, 0,  2,              // offset_extended rax, cfa-16
                                0x07, 1,                  // undefined rdx
                                0x08, 2,                  // same_value rcx
                                0x09, 3,  4,              // rbx in rsi
                                0x10, 5,  2,    0x77, 8,  // rdi at the address breg7+8
                                0x11, 8,  0x7f,           // offset_extended_sf r8, cfa+8
                                0x14, 9,  1,              // val_offset r9, cfa-8
                                0x15, 10, 0x7e,           // val_offset_sf r10, cfa+16
                                0x16, 11, 1,    0x30,     // r11 is lit0
                                0x2f, 12, 1,              // GNU_negative_offset_extended r12
                                0x2e, 16,                 // GNU_args_size
                                0x05, 40, 2},             // a vector register: passed over
                            cfi);
  REQUIRE(found.ok);
  const auto& rules = found.row.registers;
  CHECK((rules[0].kind == Kind::kOffset && rules[0].offset == -16));
  CHECK(rules[1].kind == Kind::kUndefined);
  CHECK(rules[2].kind == Kind::kSameValue);
  CHECK((rules[3].kind == Kind::kRegister && rules[3].number == 4));
  CHECK((rules[5].kind == Kind::kExpression && rules[5].expression_bytes == 2));
  CHECK((rules[8].kind == Kind::kOffset && rules[8].offset == 8));
  CHECK((rules[9].kind == Kind::kValOffset && rules[9].offset == -8));
  CHECK((rules[10].kind == Kind::kValOffset && rules[10].offset == 16));
  CHECK((rules[11].kind == Kind::kValExpression && rules[11].expression_bytes == 1));
  CHECK((rules[12].kind == Kind::kOffset && rules[12].offset == 8));
}

TEST_CASE("damaged instructions are refused") {
  const std::vector<std::vector<uint8_t>> kBad = {
      {0x0b},                                      // restore without remember
      {0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a},  // one more than is kept
      {0x3f},                                      // no such instruction
      {0x0f, 0x7f},                                // expression longer than the entry
      {0x0c, 99, 8},                               // CFA from a register that is not followed
      {0x0f, 1, 0x30, 0x0e, 8},                    // an offset for a CFA that is an expression
  };
  for (const auto& code : kBad) {
    CfiBuilder cfi;
    CHECK_FALSE(RowAt(0, code, cfi).ok);
  }
}

TEST_CASE("compact rules keep what they can and say when they cannot") {
  const auto compact = [](const std::vector<uint8_t>& code) {
    CfiBuilder cfi;
    const Found found = RowAt(0, code, cfi);
    REQUIRE(found.ok);
    return CompactRule::FromRow(found.row, found.description);
  };
  const CompactRule plain = compact({0x0e, 32, 0x86, 3});
  if (kDwarfLink != 16) return;  // these rows are x86-64's
  CHECK((plain.kind == CompactRule::kFromSp && plain.cfa == 4 && plain.ra == -1 && plain.fp == -3));
  const CompactRule framed = compact({0x0c, 6, 16, 0x86, 2});
  CHECK((framed.kind == CompactRule::kFromFp && framed.cfa == 2 && framed.fp == -2));
  CHECK(compact({}).fp == CompactRule::kNotSaved);
  CHECK(compact({0x07, 16}).kind == CompactRule::kStart);
  CHECK(compact({0x0c, 3, 16}).kind == CompactRule::kRow);
  CHECK(compact({0x0e, 12}).kind == CompactRule::kRow);
  CHECK(compact({0x0e, 0x80, 0x80, 0x80, 0x10}).kind == CompactRule::kRow);
  CHECK(compact({0x16, 6, 1, 0x30}).kind == CompactRule::kRow);
  // A realigned stack: CFA = *(rbp - 8), rbp saved where it points.
  const CompactRule realigned = compact({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});
  CHECK((realigned.kind == CompactRule::kFromFpSlot && realigned.cfa == -1));
}
