#include "geckoprof/unwind/frame_record_search.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/base/fd.h"

namespace geckoprof {
namespace {

// Functions of this program, and where they return to: behind a direct call of them.
uint64_t g_return_of_first = 0, g_return_of_second = 0;
__attribute__((noinline)) uint64_t First() {
  g_return_of_first = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  return g_return_of_first;
}
__attribute__((noinline)) uint64_t Second() {
  g_return_of_second = reinterpret_cast<uint64_t>(__builtin_return_address(0));
  return g_return_of_second + 1;
}
// Behind a call through a pointer.
uint64_t ReturnOfPointer() {
  uint64_t (*volatile pointer)() = First;
  return pointer();
}

constexpr uint64_t kBase = 0x7000'0000'0000;
uint64_t AddressOf(size_t index) { return kBase + 8 * index; }

struct Fixture {
  Fixture() : words(3000, 0) {
    std::string maps;
    ReadWholeFile("/proc/self/maps", maps);
    table.Refresh(maps, 1);
    pointer_return = ReturnOfPointer();
    if (First() + Second() == 0) words.clear();  // sets the globals
  }
  // A record at `index`: the caller's frame pointer, and the return address.
  void Put(size_t index, uint64_t caller_fp, uint64_t return_address) {
    words[index] = caller_fp;
    words[index + 1] = return_address;
  }
  bool Step(uint64_t function_avma = reinterpret_cast<uint64_t>(&First)) {
    registers = Registers::FromPcAndSp(1, AddressOf(0));
    const StackView view = {reinterpret_cast<const uint8_t*>(words.data()), kBase, words.size() * 8};
    found = search.Step({&view, 1}, {function_avma, 0}, registers);
    return found != FallbackStep::Found::kNone;
  }

  ModuleTable table;
  ReturnSites sites{table};
  FdeFinder finder;
  CallSearch calls{table, &sites, &finder};
  FrameRecordSearch search{table, &sites, &calls};
  FallbackStep::Found found = FallbackStep::Found::kNone;
  std::vector<uint64_t> words;
  uint64_t pointer_return = 0;
  Registers registers = Registers::FromPcAndSp(1, kBase);
};

TEST_CASE("a record behind a call of the function is found far up the stack, past those of others") {
  Fixture fixture;
  fixture.Put(100, AddressOf(200), g_return_of_second);
  fixture.Put(200, AddressOf(2500), g_return_of_second);
  fixture.Put(2000, AddressOf(2500), g_return_of_first);
  REQUIRE(fixture.Step());
  CHECK(fixture.registers.pc() == g_return_of_first);
  CHECK(fixture.registers.sp() == AddressOf(2002));
  CHECK(fixture.registers.fp() == AddressOf(2500));
}

TEST_CASE("whatever the caller keeps in the register, a call of the function tells") {
  Fixture fixture;
  fixture.Put(50, 1, g_return_of_first);
  REQUIRE(fixture.Step());
  CHECK(fixture.registers.fp() == 1);
}

TEST_CASE("a record behind a call through a pointer will do, if nothing better is there") {
  Fixture fixture;
  fixture.Put(100, AddressOf(300), fixture.pointer_return);
  REQUIRE(fixture.Step());
  CHECK(fixture.registers.pc() == fixture.pointer_return);
  CHECK(fixture.found == FallbackStep::Found::kScan);
  fixture.Put(500, AddressOf(600), g_return_of_first);
  REQUIRE(fixture.Step());
  CHECK(fixture.registers.pc() == g_return_of_first);
  CHECK(fixture.found == FallbackStep::Found::kFramePointer);
}

TEST_CASE("rather no caller than one that called something else") {
  Fixture fixture;
  for (size_t i = 10; i < 400; i += 10) fixture.Put(i, AddressOf(i + 10), g_return_of_second);
  CHECK_FALSE(fixture.Step());
  CHECK(fixture.registers.pc() == 1);
}

TEST_CASE("a pointer downwards, one off the stack or one to no code is no frame record") {
  Fixture fixture;
  fixture.Put(10, AddressOf(5), fixture.pointer_return);
  fixture.Put(20, AddressOf(3000), fixture.pointer_return);
  fixture.Put(30, AddressOf(40), reinterpret_cast<uint64_t>(&fixture));
  CHECK_FALSE(fixture.Step());
}

#ifdef __x86_64__
TEST_CASE("a prologue with other instructions in between tells the place of the record, with pushes or without") {
  // push %rbp; xor %eax, %eax; mov %rsp, %rbp; push %rbx; mov %rdi, %rbx; sub $0x18, %rsp
  static const uint8_t kFunction[kPrologueBytes] = {0x55, 0x31, 0xc0, 0x48, 0x89, 0xe5, 0x53, 0x48,
                                                    0x89, 0xfb, 0x48, 0x83, 0xec, 0x18, 0x90};
  const auto function = reinterpret_cast<uint64_t>(kFunction);
  Fixture fixture;
  fixture.Put(2, AddressOf(200), fixture.pointer_return);  // left by an earlier call
  fixture.Put(4, 1, fixture.pointer_return);               // the caller uses the register for anything
  const StackView view = {reinterpret_cast<const uint8_t*>(fixture.words.data()), kBase, fixture.words.size() * 8};
  for (const uint64_t saved_bytes : {8, 16}) {
    Registers registers = Registers::FromPcAndSp(1, AddressOf(saved_bytes == 8 ? 0 : 7));
    if (saved_bytes == 16) fixture.Put(10, 1, fixture.pointer_return);  // the register was saved by a store
    REQUIRE(fixture.search.Step({&view, 1}, {function, saved_bytes}, registers) == FallbackStep::Found::kFramePointer);
    CHECK(registers.pc() == fixture.pointer_return);
    CHECK(registers.sp() == AddressOf(saved_bytes == 8 ? 6 : 12));
    CHECK(registers.fp() == 1);
  }
}
#endif

}  // namespace
}  // namespace geckoprof
