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
    return search.Step({&view, 1}, function_avma, registers);
  }

  ModuleTable table;
  FallbackStep fallback{table};
  FrameRecordSearch search{table, fallback};
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
  fixture.Put(500, AddressOf(600), g_return_of_first);
  REQUIRE(fixture.Step());
  CHECK(fixture.registers.pc() == g_return_of_first);
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

}  // namespace
}  // namespace geckoprof
