#include "geckoprof/unwind/fallback_step.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

// An address in this program that follows a call.
__attribute__((noinline)) uint64_t RealReturnAddress() {
  return reinterpret_cast<uint64_t>(__builtin_return_address(0));
}

// A made-up stack of `count` words at an address of its own.
struct MadeUpStack {
  static constexpr uint64_t kBase = 0x7000'0000'0000;
  explicit MadeUpStack(size_t count) : words(count, 0) {}
  uint64_t AddressOf(size_t index) const { return kBase + 8 * index; }
  StackView view() const { return {reinterpret_cast<const uint8_t*>(words.data()), kBase, words.size() * 8}; }
  std::vector<uint64_t> words;
};

struct Fixture {
  Fixture() {
    std::string maps;
    ReadWholeFile("/proc/self/maps", maps);
    table.Refresh(maps, 1);
  }
  ModuleTable table;
};

TEST_CASE("without a record the words next to sp are looked at") {
  Fixture fixture;
  FallbackStep step(fixture.table);
  MadeUpStack stack(200);
  stack.words[12] = RealReturnAddress();
  Registers registers = Registers::FromPcAndSp(1, stack.AddressOf(0));
  const StackView view = stack.view();
  REQUIRE(step.Step({&view, 1}, registers) != FallbackStep::Found::kNone);
  CHECK(registers.sp() == stack.AddressOf(13));
  CHECK_FALSE(registers.Has(kDwarfFp));
}

TEST_CASE("a scan goes on behind a hit, and ends where it would have ended") {
  Fixture fixture;
  FallbackStep step(fixture.table);
  MadeUpStack stack(200);
  for (const size_t i : {size_t{12}, size_t{40}, size_t{64}}) stack.words[i] = RealReturnAddress();
  const Registers callee = Registers::FromPcAndSp(1, stack.AddressOf(0));
  const StackView view = stack.view();
  Registers registers = callee;
  REQUIRE(step.StepByScan({&view, 1}, callee.sp(), registers));
  CHECK(registers.sp() == stack.AddressOf(13));
  uint64_t from_avma = registers.sp();
  registers = callee;
  REQUIRE(step.StepByScan({&view, 1}, from_avma, registers));
  CHECK(registers.sp() == stack.AddressOf(41));
  from_avma = registers.sp();
  registers = callee;
  CHECK_FALSE(step.StepByScan({&view, 1}, from_avma, registers));
  CHECK(registers.pc() == 1);
}

// In executable memory, but not behind a call: what an interpreter pushes before it jumps. (A function begins there.)
uint64_t AddressBehindNoCall(FallbackStep& step) {
  auto address = reinterpret_cast<uint64_t>(&RealReturnAddress) + 1;
  while (step.IsReturnAddress(address)) ++address;
  return address;
}

TEST_CASE("an interpreter's chain of frame records is followed without calls, one record alone is not") {
  Fixture fixture;
  FallbackStep step(fixture.table);
  const uint64_t entry = AddressBehindNoCall(step);
  MadeUpStack stack(200);
  stack.words[10] = stack.AddressOf(50);
  stack.words[11] = entry;
  const auto from_start = [&] {
    Registers registers = Registers::FromPcAndSp(1, stack.AddressOf(0));
    registers.Set(kDwarfFp, stack.AddressOf(10));
    return registers;
  };
  const StackView view = stack.view();
  Registers registers = from_start();
  CHECK(step.StepInGeneratedCode({&view, 1}, registers) == FallbackStep::Found::kNone);
  stack.words[50] = stack.AddressOf(90);
  stack.words[51] = entry;
  registers = from_start();
  CHECK(step.Step({&view, 1}, registers) == FallbackStep::Found::kNone);  // elsewhere a call is asked for
  REQUIRE(step.StepInGeneratedCode({&view, 1}, registers) == FallbackStep::Found::kFramePointer);
  CHECK(registers.pc() == entry);
  CHECK(registers.sp() == stack.AddressOf(12));
  CHECK(registers.fp() == stack.AddressOf(50));
  // A call's return address below the record comes first.
  stack.words[5] = RealReturnAddress();
  registers = from_start();
  CHECK(step.StepInGeneratedCode({&view, 1}, registers) == FallbackStep::Found::kScan);
  CHECK(registers.sp() == stack.AddressOf(6));
}

TEST_CASE("generated code that saves the frame pointer and keeps it returns to what stands above the copy") {
  Fixture fixture;
  FallbackStep step(fixture.table);
  const uint64_t entry = AddressBehindNoCall(step);
  MadeUpStack stack(200);
  stack.words[3] = RealReturnAddress();    // left by an earlier call
  stack.words[12] = stack.AddressOf(150);  // the caller's frame pointer, as in the register
  stack.words[13] = entry;
  stack.words[150] = stack.AddressOf(180);  // the caller's own record
  stack.words[151] = RealReturnAddress();
  Registers registers = Registers::FromPcAndSp(1, stack.AddressOf(0));
  registers.Set(kDwarfFp, stack.AddressOf(150));
  const StackView view = stack.view();
  REQUIRE(step.StepInGeneratedCode({&view, 1}, registers) == FallbackStep::Found::kFramePointer);
  CHECK(registers.pc() == entry);
  CHECK(registers.sp() == stack.AddressOf(14));
  CHECK(registers.fp() == stack.AddressOf(150));
}

}  // namespace
}  // namespace geckoprof
