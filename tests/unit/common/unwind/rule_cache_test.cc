#include "geckoprof/unwind/rule_cache.h"

#include <catch2/catch.hpp>

using namespace geckoprof;

namespace {
CompactRule Rule(int cfa) { return {CompactRule::kFromSp, cfa, -1, CompactRule::kNotSaved}; }
}  // namespace

TEST_CASE("a stored rule is found until a module goes") {
  RuleCache cache;
  CHECK(cache.Find(0x1234) == nullptr);
  CHECK(cache.Find(0) == nullptr);
  cache.Store(0x1234, Rule(3), true);
  REQUIRE(cache.Find(0x1234) != nullptr);
  CHECK(cache.Find(0x1234)->cfa == 3);
  CHECK(cache.Find(0x1235) == nullptr);
  cache.SetGeneration(1);
  CHECK(cache.Find(0x1234) == nullptr);
  cache.SetGeneration(0x10000);  // past a whole round of tags
  CHECK(cache.Find(0x1234) == nullptr);
}

TEST_CASE("generations that share a tag do not share rules") {
  RuleCache cache;
  cache.Store(0x1234, Rule(3), true);
  cache.SetGeneration(65535);
  CHECK(cache.Find(0x1234) == nullptr);
}

TEST_CASE("innermost addresses do not displace return addresses") {
  RuleCache cache;
  for (uint64_t pc = 0; pc < 1000; ++pc) cache.Store(0x400000 + 16 * pc, Rule(1), true);
  unsigned before = 0;
  for (uint64_t pc = 0; pc < 1000; ++pc) before += cache.Find(0x400000 + 16 * pc) != nullptr;
  for (uint64_t pc = 0; pc < 1'000'000; ++pc) cache.Store(0x7f0000000000 + pc, Rule(2), false);
  unsigned after = 0;
  for (uint64_t pc = 0; pc < 1000; ++pc) after += cache.Find(0x400000 + 16 * pc) != nullptr;
  CHECK(before > 990);
  CHECK(after > 980);
}

TEST_CASE("addresses that leave no room for the tag are not stored") {
  RuleCache cache;
  cache.Store(0xffffffffff600000, Rule(1), true);
  CHECK(cache.Find(0xffffffffff600000) == nullptr);
}
