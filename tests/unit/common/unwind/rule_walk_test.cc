#include "geckoprof/unwind/rule_walk.h"

#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/unwind/rule_cache.h"

namespace geckoprof {
namespace {

constexpr uint64_t kStack = 0x7ffe00000000;

// main (0x1000) called run (0x2000), which called step (0x3000), which asks; two words a frame.
struct World {
  World() {
    for (const uint64_t address : {0x3000, 0x2000}) {
      cache.Store(address - 1, {CompactRule::kFromSp, 2, -1, CompactRule::kNotSaved}, true);
    }
    cache.Store(0x1000 - 1, CompactRule::FromKind(CompactRule::kStart), true);
  }
  RuleWalk Walk(size_t room = 8) {
    frames.assign(room, {});
    const StackView view{reinterpret_cast<const uint8_t*>(words.data()), kStack, 8 * words.size()};
    return WalkByRules(shared, {0x3000, kStack, 0}, view, frames);
  }
  SharedRules shared;
  RuleCache cache{&shared};
  std::vector<uint64_t> words = {0, 0x2000, 0, 0x1000};
  std::vector<UnwoundFrame> frames;
};

TEST_CASE("a stack of which all rules are known is walked to its start") {
  World world;
  const RuleWalk walk = world.Walk();
  CHECK(walk.reached_start);
  REQUIRE(walk.frame_count == 3);
  CHECK(world.frames[0].address == 0x3000);
  CHECK(world.frames[0].cfa_or_sp == kStack);
  CHECK(world.frames[1].address == 0x2000);
  CHECK(world.frames[1].cfa_or_sp == kStack + 16);
  CHECK(world.frames[2].address == 0x1000);
}

TEST_CASE("where a rule is missing, the walk ends within the stack") {
  World world;
  world.words[1] = 0x2500;
  const RuleWalk walk = world.Walk();
  CHECK_FALSE(walk.reached_start);
  CHECK_FALSE(walk.left_stack);
  REQUIRE(walk.frame_count == 2);
  CHECK(world.frames[1].address == 0x2500);
}

TEST_CASE("a rule that the walk cannot follow is as one that is missing") {
  World world;
  world.words[1] = 0x2500;
  world.cache.Store(0x2500 - 1, CompactRule::FromKind(CompactRule::kRow), true);
  CHECK_FALSE(world.Walk().left_stack);
}

TEST_CASE("the frame that asks is always there; more than there is room for is not") {
  World world;
  world.cache.SetGeneration(1);  // no rule holds any more
  CHECK(world.Walk().frame_count == 1);
  CHECK(World().Walk(2).frame_count == 2);
  CHECK_FALSE(World().Walk(2).reached_start);
  CHECK(World().Walk(0).frame_count == 0);
  SharedRules nothing;
  UnwoundFrame frame[2];
  CHECK(WalkByRules(nothing, {0x3000, kStack, 0}, {}, frame).frame_count == 1);
}

TEST_CASE("where a frame returns to 0, or there is no more room, the walk ends within the stack") {
  World world;
  CHECK_FALSE(world.Walk(2).left_stack);
  world.words[3] = 0;
  const RuleWalk walk = world.Walk();
  CHECK(walk.frame_count == 2);
  CHECK_FALSE(walk.reached_start);
  CHECK_FALSE(walk.left_stack);
}

TEST_CASE("what leads out of the stack ends the walk, and it says so") {
  World world;
  world.words.resize(3);
  CHECK_FALSE(world.Walk().reached_start);
  CHECK(world.Walk().left_stack);
  CHECK(world.Walk().frame_count == 2);
}

TEST_CASE("with the last walk known it is the same, also where the stack or the rules have changed since") {
  World world;
  std::vector<WalkedFrame> memory(32);
  LastWalks last(memory, 1);
  const auto walk = [&] {
    world.frames.assign(8, {});
    const StackView view{reinterpret_cast<const uint8_t*>(world.words.data()), kStack, 8 * world.words.size()};
    return WalkByRules(world.shared, {0x3000, kStack, 0}, view, world.frames, &last);
  };
  for (int round = 0; round < 3; ++round) {
    const RuleWalk found = walk();
    CHECK(found.reached_start);
    REQUIRE(found.frame_count == 3);
    CHECK(world.frames[1].address == 0x2000);
    CHECK(world.frames[2].address == 0x1000);
  }
  world.words[1] = 0x2500;
  CHECK_FALSE(walk().reached_start);
  CHECK(world.frames[1].address == 0x2500);
  world.words[1] = 0x2000;
  CHECK(walk().reached_start);
  world.cache.SetGeneration(1);
  world.cache.Store(0x3000 - 1, {CompactRule::kFromSp, 4, -1, CompactRule::kNotSaved}, true);
  world.cache.Store(0x1000 - 1, CompactRule::FromKind(CompactRule::kStart), true);
  const RuleWalk found = walk();
  CHECK(found.reached_start);
  REQUIRE(found.frame_count == 2);
  CHECK(world.frames[1].address == 0x1000);
}

}  // namespace
}  // namespace geckoprof
