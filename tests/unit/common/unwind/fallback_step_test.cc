#include "geckoprof/unwind/fallback_step.h"

#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

__attribute__((noinline)) uint64_t ReturnAddress() { return reinterpret_cast<uint64_t>(__builtin_return_address(0)); }
// An address in this program that follows a call through a pointer, which may lead to any function.
uint64_t RealReturnAddress() {
  uint64_t (*volatile pointer)() = ReturnAddress;
  return pointer() + 0;
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
  ReturnSites sites{table};
  FdeFinder finder;
  CallSearch calls{table, &sites, &finder};
  FallbackStep step{table, &sites, &calls};
};

TEST_CASE("without a record the words next to sp are looked at") {
  Fixture fixture;
  FallbackStep& step = fixture.step;
  MadeUpStack stack(200);
  stack.words[12] = RealReturnAddress();
  Registers registers = Registers::FromPcAndSp(1, stack.AddressOf(0));
  const StackView view = stack.view();
  REQUIRE(step.Step({&view, 1}, true, registers) != FallbackStep::Found::kNone);
  CHECK(registers.sp() == stack.AddressOf(13));
  CHECK_FALSE(registers.Has(kDwarfFp));
}

TEST_CASE("a scan goes on behind a hit, and ends where it would have ended") {
  Fixture fixture;
  FallbackStep& step = fixture.step;
  MadeUpStack stack(200);
  for (const size_t i : {size_t{12}, size_t{40}, size_t{64}}) stack.words[i] = RealReturnAddress();
  const Registers callee = Registers::FromPcAndSp(1, stack.AddressOf(0));
  const StackView view = stack.view();
  Registers registers = callee;
  REQUIRE(step.StepByScan({&view, 1}, {}, callee.sp(), registers));
  CHECK(registers.sp() == stack.AddressOf(13));
  uint64_t from_avma = registers.sp();
  registers = callee;
  REQUIRE(step.StepByScan({&view, 1}, {}, from_avma, registers));
  CHECK(registers.sp() == stack.AddressOf(41));
  from_avma = registers.sp();
  registers = callee;
  CHECK_FALSE(step.StepByScan({&view, 1}, {}, from_avma, registers));
  CHECK(registers.pc() == 1);
}

// In executable memory, but not behind a call: what an interpreter pushes before it jumps. (A function begins there.)
uint64_t AddressBehindNoCall(ReturnSites& sites) {
  auto address = reinterpret_cast<uint64_t>(&ReturnAddress) + 1;
  while (sites.IsReturnAddress(address)) ++address;
  return address;
}

TEST_CASE("an interpreter's chain of frame records is followed without calls, one record alone is not") {
  Fixture fixture;
  FallbackStep& step = fixture.step;
  const uint64_t entry = AddressBehindNoCall(fixture.sites);
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
  CHECK(step.StepInGeneratedCode({&view, 1}, true, registers) == FallbackStep::Found::kNone);
  stack.words[50] = stack.AddressOf(90);
  stack.words[51] = entry;
  registers = from_start();
  CHECK(step.Step({&view, 1}, true, registers) == FallbackStep::Found::kNone);  // elsewhere a call is asked for
  REQUIRE(step.StepInGeneratedCode({&view, 1}, true, registers) == FallbackStep::Found::kFramePointer);
  CHECK(registers.pc() == entry);
  CHECK(registers.sp() == stack.AddressOf(12));
  CHECK(registers.fp() == stack.AddressOf(50));
  // A call's return address below the record comes first.
  stack.words[5] = RealReturnAddress();
  registers = from_start();
  CHECK(step.StepInGeneratedCode({&view, 1}, true, registers) == FallbackStep::Found::kScan);
  CHECK(registers.sp() == stack.AddressOf(6));
}

TEST_CASE("generated code that saves the frame pointer and keeps it returns to what stands above the copy") {
  Fixture fixture;
  FallbackStep& step = fixture.step;
  const uint64_t entry = AddressBehindNoCall(fixture.sites);
  MadeUpStack stack(200);
  stack.words[3] = RealReturnAddress();    // left by an earlier call
  stack.words[12] = stack.AddressOf(150);  // the caller's frame pointer, as in the register
  stack.words[13] = entry;
  stack.words[150] = stack.AddressOf(180);  // the caller's own record
  stack.words[151] = RealReturnAddress();
  Registers registers = Registers::FromPcAndSp(1, stack.AddressOf(0));
  registers.Set(kDwarfFp, stack.AddressOf(150));
  const StackView view = stack.view();
  REQUIRE(step.StepInGeneratedCode({&view, 1}, true, registers) == FallbackStep::Found::kFramePointer);
  CHECK(registers.pc() == entry);
  CHECK(registers.sp() == stack.AddressOf(14));
  CHECK(registers.fp() == stack.AddressOf(150));
}

#ifdef __x86_64__
// Machine code in executable memory of this process, with calls and functions without unwind data.
//
//   0x100  call *%rax             returns to 0x102
//   0x200  call 0x300             returns to 0x205
//   0x300  xor %eax, %eax; nop    a function without a frame
//   0x400  sub $0x28, %rsp; mov %rbp, 0x20(%rsp); lea 0x20(%rsp), %rbp     Go's beginning of a function
//   0x500  mov 0x20(%rsp), %rbp; add $0x28, %rsp; ret                      and its end
//   0x600  call *%rcx; add $8, %rsp; ret                                   a trampoline, which returns to 0x602
//   0x700  call 0x800             returns to 0x705
//   0x800  sub $0x28, %rsp; nop   a function with a frame
struct CodeFixture {
  static constexpr size_t kBytes = 4096;
  CodeFixture() {
    std::fill_n(pages, kBytes, uint8_t{0x90});
    Write(0x100, {0xff, 0xd0});
    Write(0x200, {0xe8, 0xfb, 0, 0, 0});
    Write(0x300, {0x31, 0xc0, 0x90});
    Write(0x400, {0x48, 0x83, 0xec, 0x28, 0x48, 0x89, 0x6c, 0x24, 0x20, 0x48, 0x8d, 0x6c, 0x24, 0x20});
    Write(0x500, {0x48, 0x8b, 0x6c, 0x24, 0x20, 0x48, 0x83, 0xc4, 0x28, 0xc3});
    Write(0x600, {0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3});
    Write(0x700, {0xe8, 0xfb, 0, 0, 0});
    Write(0x800, {0x48, 0x83, 0xec, 0x28, 0x90});
    char maps[100];
    std::snprintf(maps, sizeof maps, "%lx-%lx r-xp 00000000 00:00 0 \n", Avma(0), Avma(kBytes));
    table.Refresh(maps, 1);
  }
  ~CodeFixture() { munmap(pages, 2 * kBytes); }
  CodeFixture(const CodeFixture&) = delete;
  CodeFixture& operator=(const CodeFixture&) = delete;

  uint64_t Avma(size_t offset) const { return reinterpret_cast<uint64_t>(code) + offset; }
  void Write(size_t offset, std::initializer_list<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), code + offset);
  }
  FallbackStep::Found StepFrom(size_t offset, bool exact, uint64_t fp) {
    registers = Registers::FromPcAndSp(Avma(offset), stack.AddressOf(0));
    registers.Set(kDwarfFp, fp);
    const StackView view = stack.view();
    return step.Step({&view, 1}, exact, registers);
  }
  // Returns true if the last step led to `return_offset`, with the stack pointer at the word `sp_index`.
  bool LedTo(size_t return_offset, size_t sp_index) const {
    return registers.pc() == Avma(return_offset) && registers.sp() == stack.AddressOf(sp_index);
  }

  // The code follows a page of nops.
  uint8_t* const pages =
      static_cast<uint8_t*>(mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  uint8_t* const code = pages + kBytes;
  MadeUpStack stack{200};
  ModuleTable table;
  ReturnSites sites{table};
  FdeFinder finder;
  CallSearch calls{table, &sites, &finder};
  FallbackStep step{table, &sites, &calls};
  Registers registers;
};

TEST_CASE("the end of a function tells where its return address is, and a beginning does so for an exact pc") {
  using Found = FallbackStep::Found;
  CodeFixture f;
  f.stack.words[4] = 0x5555;  // the caller's frame pointer
  f.stack.words[5] = f.Avma(0x102);
  const uint64_t fp = f.stack.AddressOf(4);
  REQUIRE(f.StepFrom(0x500, true, fp) == Found::kByCode);
  CHECK(f.LedTo(0x102, 6));
  CHECK(f.registers.fp() == 0x5555);
  REQUIRE(f.StepFrom(0x505, true, 0x5555) == Found::kByCode);  // the frame pointer is restored
  CHECK(f.LedTo(0x102, 6));
  CHECK(f.registers.fp() == 0x5555);
  for (const size_t in_beginning : {0x404, 0x409}) {
    REQUIRE(f.StepFrom(in_beginning, true, 0x5555) == Found::kByCode);
    CHECK(f.LedTo(0x102, 6));
    CHECK(f.registers.fp() == 0x5555);
    CHECK(f.StepFrom(in_beginning, false, 0x5555) == Found::kScan);
  }
  f.stack.words[0] = f.Avma(0x102);
  REQUIRE(f.StepFrom(0x509, true, fp) == Found::kByCode);
  CHECK(f.LedTo(0x102, 1));
}

TEST_CASE("a trampoline is left by the code behind its call") {
  CodeFixture f;
  f.stack.words[1] = f.Avma(0x102);
  REQUIRE(f.StepFrom(0x602, false, 0x5555) == FallbackStep::Found::kByCode);
  CHECK(f.LedTo(0x102, 2));
  CHECK(f.registers.fp() == 0x5555);
}

TEST_CASE("a function without a frame is told by the call of it, although a frame pointer would skip its caller") {
  CodeFixture f;
  f.stack.words[0] = f.Avma(0x205);
  f.stack.words[8] = f.stack.AddressOf(20);
  f.stack.words[9] = f.Avma(0x102);
  REQUIRE(f.StepFrom(0x302, true, f.stack.AddressOf(8)) == FallbackStep::Found::kByCode);
  CHECK(f.LedTo(0x205, 1));
  CHECK(f.registers.fp() == f.stack.AddressOf(8));
  // A function with a frame may have such a word at sp, too.
  f.stack.words[0] = f.Avma(0x705);
  REQUIRE(f.StepFrom(0x804, true, f.stack.AddressOf(8)) == FallbackStep::Found::kFramePointer);
  CHECK(f.LedTo(0x102, 10));
}

TEST_CASE("a function without a frame that was called through a pointer is told by the padding before it") {
  CodeFixture f;
  f.stack.words[0] = f.Avma(0x102);
  f.stack.words[8] = f.stack.AddressOf(20);
  f.stack.words[9] = f.Avma(0x102);
  REQUIRE(f.StepFrom(0x302, true, f.stack.AddressOf(8)) == FallbackStep::Found::kFramePointer);
  f.Write(0x2fe, {0xcc, 0xcc});
  REQUIRE(f.StepFrom(0x302, true, f.stack.AddressOf(8)) == FallbackStep::Found::kByCode);
  CHECK(f.LedTo(0x102, 1));
}

TEST_CASE("a chain of records ends at a function that nothing called") {
  CodeFixture f;
  f.stack.words[8] = 0;
  f.stack.words[9] = f.Avma(0x300);
  f.stack.words[12] = f.Avma(0x102);  // left by an earlier call
  CHECK(f.StepFrom(0x102, false, f.stack.AddressOf(8)) == FallbackStep::Found::kStart);
  f.stack.words[8] = f.stack.AddressOf(100);
  CHECK(f.StepFrom(0x102, false, f.stack.AddressOf(8)) == FallbackStep::Found::kScan);
}

TEST_CASE("a record on a stack that was not copied ends the walk, instead of a scan of this stack") {
  CodeFixture f;
  const uint64_t elsewhere[2] = {0, f.Avma(0x102)};
  f.stack.words[3] = f.Avma(0x102);
  CHECK(f.StepFrom(0x205, false, reinterpret_cast<uint64_t>(elsewhere)) == FallbackStep::Found::kOtherStack);
  CHECK(f.StepFrom(0x205, false, reinterpret_cast<uint64_t>(elsewhere) + 8) == FallbackStep::Found::kScan);
}
#endif

}  // namespace
}  // namespace geckoprof
