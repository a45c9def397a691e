// What an unwinder remembers of earlier walks must not show. The same on all architectures.
#include "geckoprof/unwind/unwinder.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "cfi_builder.h"

using namespace geckoprof;

namespace {

constexpr uint64_t kBias = 0x7f0000000000;
constexpr uint64_t kStackAvma = 0x7ffe00000000;
constexpr size_t kWords = 128;
constexpr uint8_t kSaveLink = 0x80 | kDwarfLink;
constexpr uint8_t kSaveFp = 0x80 | kDwarfFp;

// A module with these functions, at kBias + svma; the return address of each is at CFA - 8:
//   0x1000  CFA = sp + 16        0x2000  CFA = sp + 32, saves fp at CFA - 16
//   0x3000  the start            0x4000  CFA = fp + 16, saves fp at CFA - 16
struct World {
  CfiBuilder cfi;
  ModuleTable modules;
  std::vector<uint64_t> stack = std::vector<uint64_t>(kWords);
  Registers registers = Registers::FromPcAndSp(kBias + 0x1000, kStackAvma);

  World() {
    cfi.AddCie("zR", {0x0c, kDwarfSp, 16, kSaveLink, 1}, -8, kDwarfLink);
    cfi.AddFde(0x1000, 0x100, {});
    cfi.AddFde(0x2000, 0x100, {0x0e, 32, kSaveFp, 2});
    cfi.AddFde(0x3000, 0x100, {0x07, kDwarfLink});
    cfi.AddFde(0x4000, 0x100, {0x0c, kDwarfFp, 16, kSaveFp, 2});
    cfi.AddEnd();
    modules.AddForTest(Module::ForTest(1, {kBias, kBias + 0x200000}, kBias, cfi.Header(), cfi.Section()));
    registers.known = Registers::kAllKnown;
  }
  static uint64_t Slot(size_t index) { return kStackAvma + 8 * index; }
};

struct Outcome {
  UnwindResult result;
  UnwoundFrame frames[kWords];

  Outcome(Unwinder& unwinder, const World& world, size_t words = kWords, size_t limit = kWords) {
    const StackView view{reinterpret_cast<const uint8_t*>(world.stack.data()), kStackAvma, 8 * words};
    result = unwinder.Unwind(world.registers, view, std::span(frames, limit));
  }
  bool operator==(const Outcome& other) const {
    bool equal = result.frame_count == other.result.frame_count && result.end == other.result.end &&
                 result.missing_avma == other.result.missing_avma &&
                 result.fallback_frames == other.result.fallback_frames;
    for (size_t i = 0; equal && i < result.frame_count; ++i) {
      equal = frames[i].address == other.frames[i].address && frames[i].cfa_or_sp == other.frames[i].cfa_or_sp;
    }
    return equal;
  }
};

// A stack of functions of the first kind, `depth` of them, that ends at the start.
void FillPlain(World& world, size_t depth) {
  for (size_t i = 0; i < depth; ++i) world.stack[2 * i + 1] = kBias + 0x1050;
  world.stack[2 * depth + 1] = kBias + 0x3050;
}

}  // namespace

TEST_CASE("the same stack again and again") {
  World world;
  Unwinder unwinder(world.modules);
  FillPlain(world, 20);
  for (int round = 0; round < 4; ++round) {
    const Outcome outcome(unwinder, world);
    CHECK(outcome.result.end == UnwindEnd::kReachedStart);
    REQUIRE(outcome.result.frame_count == 22);
    CHECK(outcome.frames[21].address == kBias + 0x3050);
    CHECK(outcome.frames[21].cfa_or_sp == World::Slot(42));
  }
}

TEST_CASE("a return address that changed since the last walk is seen, wherever it stands") {
  for (size_t changed = 0; changed <= 20; ++changed) {
    World world;
    Unwinder unwinder(world.modules);
    FillPlain(world, 20);
    Outcome(unwinder, world);
    Outcome(unwinder, world);
    world.stack[2 * changed + 1] = kBias + 0x3060;
    const Outcome outcome(unwinder, world);
    CHECK(outcome.result.end == UnwindEnd::kReachedStart);
    REQUIRE(outcome.result.frame_count == changed + 2);
    CHECK(outcome.frames[changed + 1].address == kBias + 0x3060);
  }
}

TEST_CASE("a frame pointer that changed since the last walk is seen") {
  World world;
  Unwinder unwinder(world.modules);
  // plain, saves fp, plain, CFA = fp + 16, start
  world.stack[1] = kBias + 0x2050;
  world.stack[4] = World::Slot(20);  // fp of the next
  world.stack[5] = kBias + 0x1050;
  world.stack[7] = kBias + 0x4050;
  world.stack[21] = kBias + 0x3050;
  world.stack[31] = kBias + 0x3070;
  for (int round = 0; round < 3; ++round) {
    const Outcome outcome(unwinder, world);
    REQUIRE(outcome.result.frame_count == 5);
    CHECK(outcome.frames[4].address == kBias + 0x3050);
  }
  world.stack[4] = World::Slot(30);
  const Outcome outcome(unwinder, world);
  REQUIRE(outcome.result.frame_count == 5);
  CHECK(outcome.frames[4].address == kBias + 0x3070);
  CHECK(outcome.frames[4].cfa_or_sp == World::Slot(32));
}

TEST_CASE("what is known of a library goes with it: another one at its place has its own rules") {
  World world;
  Unwinder unwinder(world.modules);
  FillPlain(world, 1);
  for (int round = 0; round < 2; ++round) CHECK(Outcome(unwinder, world).result.frame_count == 3);
  world.modules.Refresh("", 1);
  CfiBuilder cfi;
  cfi.AddCie("zR", {0x0c, kDwarfSp, 32, kSaveLink, 1}, -8, kDwarfLink);
  cfi.AddFde(0x1000, 0x100, {});
  cfi.AddFde(0x3000, 0x100, {0x07, kDwarfLink});
  cfi.AddEnd();
  world.modules.AddForTest(Module::ForTest(2, {kBias, kBias + 0x200000}, kBias, cfi.Header(), cfi.Section()));
  const Outcome outcome(unwinder, world);
  CHECK(outcome.result.end == UnwindEnd::kReachedStart);
  REQUIRE(outcome.result.frame_count == 2);
  CHECK(outcome.frames[1].address == kBias + 0x3050);
}

TEST_CASE("what is no code ends the stack, and is no frame of it") {
  for (const uint64_t word : {uint64_t{1}, uint64_t{0xb4a}, uint64_t{0xffff}}) {
    World world;
    Unwinder unwinder(world.modules);
    FillPlain(world, 20);
    world.stack[11] = word;  // as the rule of a library whose place another one has taken might find it
    for (int round = 0; round < 2; ++round) {
      const Outcome outcome(unwinder, world);
      CHECK(outcome.result.end == UnwindEnd::kBadRule);
      REQUIRE(outcome.result.frame_count == 6);
      CHECK(outcome.frames[5].address == kBias + 0x1050);
    }
  }
}

TEST_CASE("less of the stack, or less room, than the last time") {
  World world;
  Unwinder unwinder(world.modules);
  FillPlain(world, 20);
  Outcome(unwinder, world);
  const Outcome cut(unwinder, world, 21);
  CHECK(cut.result.end == UnwindEnd::kStackCut);
  CHECK(cut.result.frame_count == 11);
  CHECK(cut.result.missing_avma == World::Slot(21));
  const Outcome limited(unwinder, world, kWords, 7);
  CHECK(limited.result.end == UnwindEnd::kDepthLimit);
  CHECK(limited.result.frame_count == 7);
  CHECK(Outcome(unwinder, world).result.frame_count == 22);
}

TEST_CASE("an unwinder with a past gives what a new one gives, on stacks that change a little each time") {
  std::mt19937_64 random(20240229);
  World world;
  Unwinder unwinder(world.modules);
  const auto word = [&] {
    switch (random() % 4) {
      case 0:
        return World::Slot(random() % kWords);
      case 1:
        return random() % 8 == 0 ? kBias + 0x3050 : uint64_t{0};
      default:
        return kBias + (random() % 3 == 0 ? 0x4050 : random() % 2 == 0 ? 0x2050 : 0x1050);
    }
  };
  for (uint64_t& each : world.stack) each = word();
  size_t deepest = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (uint64_t changes = random() % 4; changes != 0; --changes) world.stack[random() % kWords] = word();
    // Mostly alike, so that there is something to follow.
    if (random() % 50 == 0) FillPlain(world, random() % 40);
    world.registers.Set(kDwarfPc, kBias + 0x1000 * (1 + random() % 4));
    world.registers.Set(kDwarfSp, World::Slot(random() % 3));
    world.registers.Set(kDwarfFp, World::Slot(random() % kWords));
    if (random() % 8 == 0) world.registers.Forget(kDwarfFp);
    const size_t words = random() % 4 == 0 ? random() % kWords : kWords;
    Unwinder fresh(world.modules);
    const Outcome expected(fresh, world, words);
    const Outcome outcome(unwinder, world, words);
    REQUIRE(outcome == expected);
    deepest = std::max(deepest, outcome.result.frame_count);
    world.registers.known = Registers::kAllKnown;
  }
  CHECK(deepest > 20);
}
