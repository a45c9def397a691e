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
  CHECK(before > 980);
  CHECK(after > 950);
}

TEST_CASE("the table grows with what is stored, keeps it, and stops growing") {
  RuleCache cache;
  CHECK(cache.entry_count() == 0);
  const auto store = [&](uint64_t first, uint64_t end) {
    for (uint64_t pc = first; pc < end; ++pc) cache.Store(0x400000 + 5 * pc, Rule(static_cast<int>(pc)), true);
  };
  const auto found = [&](uint64_t end) {
    uint64_t count = 0;
    for (uint64_t pc = 0; pc < end; ++pc) {
      const CompactRule* rule = cache.Find(0x400000 + 5 * pc);
      if (rule == nullptr) continue;
      CHECK(rule->cfa == static_cast<int>(pc));
      ++count;
    }
    return count;
  };
  store(0, 500);
  CHECK(cache.entry_count() == RuleCache::kFirstEntries);
  CHECK(found(500) > 480);
  store(500, 1500);
  CHECK(cache.entry_count() == 4 * RuleCache::kFirstEntries);
  CHECK(found(1500) > 1440);
  store(1500, 200'000);
  CHECK(cache.entry_count() == RuleCache::kMaxEntries);
}

TEST_CASE("rules of an older generation do not come back when the table grows") {
  RuleCache cache;
  for (uint64_t pc = 0; pc < 900; ++pc) cache.Store(0x400000 + 5 * pc, Rule(1), true);
  cache.SetGeneration(7);
  for (uint64_t pc = 0; pc < 2000; ++pc) cache.Store(0x7f0000000000 + 5 * pc, Rule(2), true);
  CHECK(cache.entry_count() > RuleCache::kFirstEntries);
  for (uint64_t pc = 0; pc < 900; ++pc) CHECK(cache.Find(0x400000 + 5 * pc) == nullptr);
}

TEST_CASE("addresses that leave no room for the tag are not stored") {
  RuleCache cache;
  cache.Store(0xffffffffff600000, Rule(1), true);
  CHECK(cache.Find(0xffffffffff600000) == nullptr);
}
