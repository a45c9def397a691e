// The unwinder on made-up modules and stacks: each way that an unwinding can go and end.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "cfi_builder.h"
#include "geckoprof/unwind/machine_code.h"
#include "geckoprof/unwind/unwinder.h"

using namespace geckoprof;

namespace {

constexpr uint64_t kBias = 0x7f0000000000;
constexpr uint64_t kStackAvma = 0x7ffe00000000;

// A module with these functions, at kBias + svma:
//   0x1000  leaf: CFA = sp + 8           0x2000  frame: pushes rbp, CFA = rbp + 16 from the fourth byte on
//   0x3000  start: return address undefined     0x4000  CFA = rbx + 8     0x5000  pushes rbx
struct World {
  CfiBuilder cfi;
  ModuleTable modules;
  Unwinder unwinder{modules};
  std::vector<uint64_t> stack = std::vector<uint64_t>(64);
  Registers registers;
  UnwoundFrame frames[32];

  World() {
    cfi.AddCie("zR", {0x0c, 7, 8, 0x80 | 16, 1});
    cfi.AddFde(0x1000, 0x100, {});
    cfi.AddFde(0x2000, 0x100, {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6});
    cfi.AddFde(0x3000, 0x100, {0x07, 16});
    cfi.AddFde(0x4000, 0x100, {0x0c, 3, 8});
    cfi.AddFde(0x5000, 0x100, {0x0e, 16, 0x83, 2});
    cfi.AddEnd();
    modules.AddForTest(Module::ForTest(1, {kBias, kBias + 0x200000}, kBias, cfi.Header(), cfi.Section()));
    registers = Registers::FromPcAndSp(kBias + 0x1000, kStackAvma);
    registers.known = Registers::kAllKnown;
  }
  UnwindResult Run(size_t words = 64) {
    const StackView view{reinterpret_cast<const uint8_t*>(stack.data()), kStackAvma, 8 * words};
    return unwinder.Unwind(registers, view, frames);
  }
  static uint64_t Slot(size_t index) { return kStackAvma + 8 * index; }
};

}  // namespace

TEST_CASE("a leaf, a function with a frame, and the thread's start; the same when warm") {
  World w;
  w.stack[0] = kBias + 0x2050;  // leaf returns into frame
  w.registers.values[6] = World::Slot(5);
  w.stack[5] = 0x1234;  // rbp of start
  w.stack[6] = kBias + 0x3050;
  for (int round = 0; round < 3; ++round) {
    const UnwindResult result = w.Run();
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 3);
    CHECK((w.frames[0].address == kBias + 0x1000 && w.frames[0].cfa_or_sp == World::Slot(0)));
    CHECK((w.frames[1].address == kBias + 0x2050 && w.frames[1].cfa_or_sp == World::Slot(1)));
    CHECK((w.frames[2].address == kBias + 0x3050 && w.frames[2].cfa_or_sp == World::Slot(7)));
    CHECK(result.fallback_frames == 0);
  }
}

TEST_CASE("a return address just behind a function belongs to the call before it") {
  World w;
  w.stack[0] = kBias + 0x3100;  // start's last instruction was the call
  const UnwindResult result = w.Run();
  CHECK(result.end == UnwindEnd::kReachedStart);
  CHECK(result.frame_count == 2);
}

TEST_CASE("a return address of 0 is an end of its own") {
  World w;
  CHECK(w.Run().end == UnwindEnd::kNotCalled);
  CHECK(w.Run().frame_count == 1);
}

TEST_CASE("needed bytes that were not copied are named") {
  World w;
  w.stack[0] = kBias + 0x2050;
  w.registers.values[6] = World::Slot(5);
  const UnwindResult result = w.Run(6);
  CHECK(result.end == UnwindEnd::kStackCut);
  CHECK(result.frame_count == 2);
  CHECK(result.missing_avma == World::Slot(6));
}

TEST_CASE("a frame pointer that is not known ends the stack, one that goes down too") {
  World w;
  w.stack[0] = kBias + 0x2050;
  w.registers = Registers::FromPcAndSp(kBias + 0x1000, kStackAvma);
  CHECK(w.Run().end == UnwindEnd::kRegisterUnknown);
  w.registers.Set(6, World::Slot(0) - 16);
  w.stack[0] = kBias + 0x2050;
  const StackView view{reinterpret_cast<const uint8_t*>(w.stack.data()), kStackAvma - 16, 512};
  w.stack[1] = kBias + 0x2050;
  w.stack[2] = kBias + 0x2050;
  CHECK(w.unwinder.Unwind(w.registers, view, w.frames).end == UnwindEnd::kNoProgress);
}

TEST_CASE("a register that compact rules do not follow is found by going again row by row") {
  World w;
  w.registers.values[16] = kBias + 0x5000;  // saved rbx at CFA - 16
  w.stack[0] = World::Slot(10);             // rbx
  w.stack[1] = kBias + 0x4050;              // CFA = rbx + 8
  w.stack[10] = kBias + 0x3050;
  for (int round = 0; round < 3; ++round) {
    const UnwindResult result = w.Run();
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 3);
    CHECK(w.frames[2].cfa_or_sp == World::Slot(11));
  }
}

TEST_CASE("a frame pointer that was popped already is the one in the register") {
  World w;
  w.registers.values[16] = kBias + 0x1000;
  CfiBuilder cfi;
  cfi.AddCie("zR", {0x0c, 7, 8, 0x80 | 16, 1});
  cfi.AddFde(0x1000, 0x100, {0x86, 2});  // CFA = sp + 8, rbp said to be at CFA - 16, which is below sp
  cfi.AddFde(0x2000, 0x100, {0x0c, 6, 16});
  cfi.AddFde(0x3000, 0x100, {0x07, 16});
  ModuleTable modules;
  modules.AddForTest(Module::ForTest(1, {kBias, kBias + 0x200000}, kBias, cfi.Header(), cfi.Section()));
  Unwinder unwinder(modules);
  w.stack[0] = kBias + 0x2050;
  w.registers.values[6] = World::Slot(5);
  w.stack[6] = kBias + 0x3050;
  const StackView view{reinterpret_cast<const uint8_t*>(w.stack.data()), kStackAvma, 512};
  for (int round = 0; round < 2; ++round) CHECK(unwinder.Unwind(w.registers, view, w.frames).frame_count == 3);
}

TEST_CASE("no module, no rule, damaged rule") {
  World w;
  w.registers.values[16] = 0x1234;
  CHECK(w.Run().end == UnwindEnd::kNoModule);
  w.registers.values[16] = kBias + 0x1800;
  CHECK(w.Run().end == UnwindEnd::kNoRule);
  CHECK(w.Run().end == UnwindEnd::kNoRule);
}

TEST_CASE("more frames than fit") {
  World w;
  for (size_t i = 0; i < 64; ++i) w.stack[i] = kBias + 0x1050;
  const UnwindResult result = w.Run();
  CHECK(result.end == UnwindEnd::kDepthLimit);
  CHECK(result.frame_count == 32);
  CHECK(w.unwinder.Unwind(w.registers, StackView(), std::span<UnwoundFrame>()).frame_count == 0);
}

TEST_CASE("random rules, registers and stacks do no harm") {
  std::mt19937_64 random(20240229);
  for (int round = 0; round < 3000; ++round) {
    World w;
    std::vector<uint8_t>& bytes = w.cfi.bytes();
    for (int i = 0; i < 12; ++i) bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    ModuleTable modules;
    modules.AddForTest(Module::ForTest(1, {kBias, kBias + 0x200000}, kBias,
                                       round % 2 == 0 ? w.cfi.Header() : SectionBytes(), w.cfi.Section()));
    Unwinder unwinder(modules);
    for (int inner = 0; inner < 20; ++inner) {
      for (uint64_t& word : w.stack) {
        word = random() % 3 == 0 ? World::Slot(random() % 64) : kBias + 0x1000 * (1 + random() % 5) + random() % 0x100;
      }
      for (uint64_t& value : w.registers.values) value = random() % 2 == 0 ? World::Slot(random() % 64) : random();
      w.registers.known = random();
      w.registers.Set(7, World::Slot(random() % 8));
      w.registers.Set(16, kBias + 0x1000 * (1 + random() % 5) + random() % 0x100);
      const StackView view{reinterpret_cast<const uint8_t*>(w.stack.data()), kStackAvma, 512 - random() % 100};
      const UnwindResult result = unwinder.Unwind(w.registers, view, w.frames);
      REQUIRE((result.frame_count >= 1 && result.frame_count <= 32));
    }
  }
}

TEST_CASE("calls are recognised by the bytes before the return address") {
  const uint8_t direct[8] = {0, 0, 0, 0xe8, 1, 2, 3, 4};
  const uint8_t by_register[8] = {0, 0, 0, 0, 0, 0, 0xff, 0xd0};
  const uint8_t by_memory[8] = {0, 0, 0xff, 0x15, 1, 2, 3, 4};
  const uint8_t by_sib[8] = {0, 0xff, 0x94, 0x24, 1, 2, 3, 4};
  const uint8_t jump[8] = {0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const uint8_t nothing[8] = {};
  CHECK(EndsWithCall(direct));
  CHECK(EndsWithCall(by_register));
  CHECK(EndsWithCall(by_memory));
  CHECK(EndsWithCall(by_sib));
  CHECK_FALSE(EndsWithCall(jump));
  CHECK_FALSE(EndsWithCall(nothing));
}
