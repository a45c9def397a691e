#include "geckoprof/unwind/dwarf_expression.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace geckoprof;

namespace {

struct Fixture {
  uint64_t words[4] = {0x11, 0x2000, 0xffffffffffff8000, 0x44};
  StackView stack{reinterpret_cast<const uint8_t*>(words), 0x1000, sizeof words};
  Registers registers = Registers::FromPcAndSp(0x400010, 0x1000);
  UnwindProblem problem;

  std::optional<uint64_t> Run(const std::vector<uint8_t>& code, std::optional<uint64_t> initial = std::nullopt) {
    DwarfExpression expression(registers, std::span(&stack, 1));
    const auto value = expression.Evaluate(CfiReader(code.data(), code.size()), initial);
    problem = expression.problem();
    return value;
  }
};

constexpr uint8_t kBregSp = 0x70 + kDwarfSp;

}  // namespace

TEST_CASE("arithmetic, comparison and stack operations") {
  Fixture f;
  CHECK(f.Run({0x35, 0x33, 0x22}) == 8u);                      // 5 + 3
  CHECK(f.Run({0x35, 0x33, 0x1c}) == 2u);                      // 5 - 3
  CHECK(f.Run({0x09, 0xf8, 0x32, 0x1b}) == ~uint64_t{0} - 3);  // -8 / 2
  CHECK(f.Run({0x09, 0xf8, 0x32, 0x26}) == ~uint64_t{0} - 1);  // -8 >> 2, with sign
  CHECK(f.Run({0x31, 0x08, 64, 0x24}) == 0u);                  // 1 << 64
  CHECK(f.Run({0x35, 0x33, 0x2a}) == 1u);                      // 5 >= 3
  CHECK(f.Run({0x35, 0x33, 0x16, 0x2b}) == 0u);                // swapped: 3 > 5
  CHECK(f.Run({0x31, 0x32, 0x33, 0x17, 0x13}) == 1u);          // rot, drop
  CHECK(f.Run({0x23, 0x81, 0x01}, 7) == 136u);                 // plus_uconst on the initial value
  CHECK(f.Run({0x0a, 0x34, 0x12}) == 0x1234u);
  CHECK(f.Run({0x31, 0x12, 0x22, 0x15, 0x00, 0x22}) == 4u);
}

TEST_CASE("registers and copied memory") {
  Fixture f;
  CHECK(f.Run({kBregSp, 8, 0x06}) == 0x2000u);
  CHECK(f.Run({kBregSp, 17, 0x94, 1}) == 0x80u);
  CHECK_FALSE(f.Run({kBregSp, 0x80, 0x02, 0x06}).has_value());
  CHECK((f.problem.end == UnwindEnd::kStackCut && f.problem.avma == 0x1100));
  CHECK_FALSE(f.Run({0x70 + 3, 0}).has_value());
  CHECK((f.problem.end == UnwindEnd::kRegisterUnknown && f.problem.register_number == 3));
}

TEST_CASE("branches") {
  Fixture f;
  CHECK(f.Run({0x31, 0x28, 1, 0, 0x35, 0x37}) == 7u);        // taken: skips lit5
  CHECK(f.Run({0x30, 0x28, 1, 0, 0x35}) == 5u);              // not taken
  CHECK(f.Run({0x2f, 1, 0, 0x35, 0x36}) == 6u);              // skip
  CHECK_FALSE(f.Run({0x31, 0x2f, 0xfc, 0xff}).has_value());  // for ever
  CHECK_FALSE(f.Run({0x31, 0x2f, 0x00, 0x80}).has_value());  // before the beginning
}

TEST_CASE("damaged expressions give nothing") {
  Fixture f;
  const std::vector<std::vector<uint8_t>> kBad = {
      {},     {0x22},       {0x31, 0x22},    {0x06},          {0x13},       {0x31, 0x30, 0x1b}, {0x31, 0x30, 0x1d},
      {0xff}, {0x0e, 1, 2}, {0x31, 0x94, 9}, {0x31, 0x15, 9}, {0x28, 0, 0}, {0x92, 0x7f, 0}};
  for (const auto& code : kBad) CHECK_FALSE(f.Run(code).has_value());
  CHECK_FALSE(f.Run(std::vector<uint8_t>(65, 0x31)).has_value());
  CHECK(f.problem.end == UnwindEnd::kBadRule);
}
