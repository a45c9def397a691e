#include "geckoprof/unwind/shared_rules.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "geckoprof/unwind/rule_cache.h"

namespace geckoprof {
namespace {

// The cfa of a rule tells the address that it was stored for.
CompactRule RuleOf(uint64_t address) {
  return {CompactRule::kFromSp, static_cast<int64_t>(address & 0xffff), -1, CompactRule::kNotSaved};
}

bool Finds(const SharedRules& rules, uint64_t address) {
  SharedRules::View view;
  CompactRule rule;
  return rules.StartRead(view) && view.Find(address, rule) && rule.cfa == RuleOf(address).cfa && rules.IsValid(view);
}

TEST_CASE("what the cache stores, others find, as long as it is there") {
  SharedRules shared;
  CHECK_FALSE(Finds(shared, 0x400100));
  {
    RuleCache cache(&shared);
    CHECK_FALSE(Finds(shared, 0x400100));
    cache.Store(0x400100, RuleOf(0x400100), true);
    CHECK(Finds(shared, 0x400100));
    CHECK_FALSE(Finds(shared, 0x400101));
    cache.SetGeneration(1);
    CHECK_FALSE(Finds(shared, 0x400100));
  }
  CHECK_FALSE(Finds(shared, 0x400100));
  RuleCache another(&shared);
  another.Store(0x400200, RuleOf(0x400200), true);
  CHECK_FALSE(Finds(shared, 0x400100));  // its table was used before
  CHECK(Finds(shared, 0x400200));
}

TEST_CASE("a change is seen by who looked before it") {
  SharedRules shared;
  RuleCache cache(&shared);
  cache.Store(0x1000, RuleOf(0x1000), true);
  SharedRules::View view;
  REQUIRE(shared.StartRead(view));
  CHECK(shared.IsValid(view));
  cache.Store(0x2000, RuleOf(0x2000), true);
  CHECK_FALSE(shared.IsValid(view));
}

TEST_CASE("what an owner that is no more left in the middle is over with the next one") {
  SharedRules shared;
  shared.BeginChange();  // and a fork
  SharedRules::View view;
  CHECK_FALSE(shared.StartRead(view));
  RuleCache cache(&shared);
  cache.Store(0x1000, RuleOf(0x1000), true);
  CHECK(Finds(shared, 0x1000));
}

TEST_CASE("a reader beside the owner finds what is true or nothing, through growth and new generations") {
  SharedRules shared;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0}, found{0};
  std::thread reader([&] {
    for (uint64_t i = 0; !stop.load(); ++i) {
      const uint64_t address = 0x400000 + 16 * (i % 3000);
      SharedRules::View view;
      CompactRule rule;
      if (!shared.StartRead(view) || !view.Find(address, rule) || !shared.IsValid(view)) continue;
      ++(rule.cfa == RuleOf(address).cfa ? found : wrong);
    }
  });
  RuleCache cache(&shared);
  for (uint32_t round = 0; round < 200 || (found.load() == 0 && round < 1'000'000); ++round) {
    if (round % 50 == 49) cache.SetGeneration(round);
    for (uint64_t i = 0; i < 300; ++i) {
      const uint64_t address = 0x400000 + 16 * ((round * 300 + i) % 40'000);
      cache.Store(address, RuleOf(address), i % 3 != 0);
    }
    std::this_thread::yield();
  }
  stop.store(true);
  reader.join();
  CHECK(wrong.load() == 0);
  CHECK(found.load() > 0);
}

}  // namespace
}  // namespace geckoprof
