#include "geckoprof/unwind/stack_view.h"

#include <catch2/catch.hpp>

using namespace geckoprof;

TEST_CASE("only copied bytes are read") {
  const uint8_t bytes[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};
  const StackView view{bytes, 0x1000, sizeof bytes};
  uint64_t value = 0;
  CHECK((view.ReadWord(0x1000, value) && value == 1));
  CHECK((view.ReadWord(0x1008, value) && value == 2));
  for (const uint64_t avma : {0xfffu, 0x1009u, 0x1010u, 0x0u}) CHECK_FALSE(view.ReadWord(avma, value));
  CHECK_FALSE(view.ReadWord(~uint64_t{0}, value));
  CHECK(view.Contains(0x1010, 0));
  CHECK_FALSE(StackView().ReadWord(0, value));
}

TEST_CASE("the second copy is asked after the first") {
  const uint64_t low[2] = {1, 2};
  const uint64_t high[2] = {3, 4};
  const StackView views[] = {{reinterpret_cast<const uint8_t*>(low), 0x1000, sizeof low},
                             {reinterpret_cast<const uint8_t*>(high), 0x9000, sizeof high}};
  uint64_t value = 0;
  CHECK((ReadStackWord(views, 0x9008, value) && value == 4));
  CHECK((ReadStackWord(views, 0x1000, value) && value == 1));
  CHECK_FALSE(ReadStackWord(views, 0x5000, value));
}
