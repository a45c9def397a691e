#include "geckoprof/unwind/call_search.h"

#include <sys/mman.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace geckoprof {
namespace {

#ifdef __x86_64__
using Call = CallSearch::Call;

constexpr size_t kCodeBytes = 4096;
constexpr uint64_t kStackAvma = 0x7000'0000'0000;

// Machine code without unwind data in executable memory of this process:
//
//   0x100  call *%rax          0x200  call 0x800          0x300  call 0x500, a stub       0x400  call 0x700
//   0x500  jmp *0x600          0x540  push $0             0x600  the slot of the stub
//   0x700  xor %eax, %eax; ret, and nops up to
//   0x800  push %rbx; sub $0x20, %rsp; call *%rax; test %eax, %eax; ...
//
// Each call returns to the address 5 bytes further on, and the first one to 0x102.
struct Fixture {
  Fixture() {
    std::fill_n(code, kCodeBytes, uint8_t{0x90});
    Write(0x100, {0xff, 0xd0});
    WriteCall(0x200, 0x800);
    WriteCall(0x300, 0x500);
    WriteCall(0x400, 0x700);
    Write(0x500, {0xff, 0x25, 0xfa, 0, 0, 0});
    Write(0x540, {0x68, 0, 0, 0, 0});
    LinkTo(Avma(0x800));
    Write(0x700, {0x31, 0xc0, 0xc3});
    Write(0x7f0, {0x31, 0xc0, 0xc3});
    Write(0x800, {0x53, 0x48, 0x83, 0xec, 0x20, 0xff, 0xd0, 0x85, 0xc0});
    char maps[100];
    std::snprintf(maps, sizeof maps, "%lx-%lx r-xp 00000000 00:00 0 \n", Avma(0), Avma(kCodeBytes));
    modules.Refresh(maps, 1);
  }
  ~Fixture() { munmap(code, kCodeBytes); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  uint64_t Avma(size_t offset) const { return reinterpret_cast<uint64_t>(code) + offset; }
  void Write(size_t offset, std::initializer_list<uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), code + offset);
  }
  void WriteCall(size_t offset, size_t target) {
    const auto distance = static_cast<int32_t>(target) - static_cast<int32_t>(offset + 5);
    code[offset] = 0xe8;
    std::memcpy(code + offset + 1, &distance, sizeof distance);
  }
  void LinkTo(uint64_t target_avma) { std::memcpy(code + 0x600, &target_avma, sizeof target_avma); }
  // Finds the caller of the frame with this pc. Its stack pointer is the lowest word.
  bool Find(size_t pc_offset, uint64_t end_avma = UINT64_MAX) {
    const StackView view = {reinterpret_cast<const uint8_t*>(words.data()), kStackAvma, words.size() * 8};
    registers = Registers::FromPcAndSp(Avma(pc_offset), kStackAvma);
    registers.Set(kDwarfFp, 0x5555);
    return calls.FindCaller({&view, 1}, {0, Avma(pc_offset)}, kStackAvma, end_avma, registers, is_guess);
  }
  bool LedTo(size_t return_offset, size_t sp_index) const {
    return registers.pc() == Avma(return_offset) && registers.sp() == kStackAvma + 8 * sp_index;
  }

  uint8_t* const code =
      static_cast<uint8_t*>(mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ModuleTable modules;
  ReturnSites sites{modules};
  FdeFinder finder;
  CallSearch calls{modules, &sites, &finder};
  std::vector<uint64_t> words = std::vector<uint64_t>(1000);
  Registers registers;
  bool is_guess = false;
};

TEST_CASE("a call leads to its target, and a call through a pointer to any function") {
  Fixture f;
  const CallSearch::Function function = {f.Avma(0x800), f.Avma(0x807)};
  CHECK(f.calls.Judge(f.Avma(0x205), function) == Call::kOfFunction);
  CHECK(f.calls.Judge(f.Avma(0x102), function) == Call::kPossible);
  CHECK(f.calls.Judge(f.Avma(0x405), function) == Call::kOfAnother);
  CHECK(f.calls.Judge(f.Avma(0x206), function) == Call::kNone);
  CHECK(f.calls.Judge(0, function) == Call::kNone);
  CHECK(f.calls.Judge(f.Avma(0x405), {}) == Call::kPossible);  // generated code may be called from anywhere
}

TEST_CASE("a stub is followed to the function that its slot or its jump names") {
  Fixture f;
  const CallSearch::Function function = {f.Avma(0x800), f.Avma(0x807)};
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kOfFunction);
  f.LinkTo(f.Avma(0x700));
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kOfAnother);
  f.LinkTo(f.Avma(0x540));  // not bound yet
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kPossible);
  f.LinkTo(8);  // no code
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kPossible);
  f.Write(0x500, {0xe9, 0xfb, 0x02, 0, 0});  // jmp 0x800
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kOfFunction);
  f.Write(0x500, {0xe9, 0xfb, 0x01, 0, 0});  // jmp 0x700
  CHECK(f.calls.Judge(f.Avma(0x305), function) == Call::kOfAnother);
}

TEST_CASE("a function whose start is not known ends where the next one begins") {
  Fixture f;
  CHECK(f.calls.Judge(f.Avma(0x205), {0, f.Avma(0x807)}) == Call::kOfFunction);
  CHECK(f.calls.Judge(f.Avma(0x305), {0, f.Avma(0x807)}) == Call::kOfFunction);
  CHECK(f.calls.Judge(f.Avma(0x405), {0, f.Avma(0x807)}) == Call::kOfAnother);
  CHECK(f.calls.Judge(f.Avma(0x405), {0, f.Avma(0x800)}) == Call::kOfAnother);  // its first instruction
  CHECK(f.calls.Judge(f.Avma(0x405), {0, f.Avma(0x702)}) == Call::kOfFunction);
  f.Write(0x7f2, {0x90});  // nothing ends there
  CHECK(f.calls.Judge(f.Avma(0x405), {0, f.Avma(0x807)}) == Call::kOfFunction);
}

TEST_CASE("a caller is certain where the depth of the frame and the call agree") {
  Fixture f;
  const size_t return_offset = GENERATE(0x205, 0x305, 0x102);
  f.words[1] = f.Avma(0x205);  // words of earlier calls
  f.words[3] = f.Avma(0x405);
  f.words[4] = 0x7777;  // rbx
  f.words[5] = f.Avma(return_offset);
  REQUIRE(f.Find(0x807));
  CHECK(f.LedTo(return_offset, 6));
  CHECK(f.registers.fp() == 0x5555);  // the function does not use it
  CHECK_FALSE(f.is_guess);
  f.words[5] = f.Avma(0x405);  // this call leads elsewhere, and the others are not at the right place
  CHECK_FALSE(f.Find(0x807));
  CHECK(f.registers.pc() == f.Avma(0x807));
}

TEST_CASE("the caller of a function without a recognisable start is certain by a direct call of it") {
  Fixture f;
  f.Write(0x7f2, {0x90});
  f.WriteCall(0x200, 0x810);
  f.Write(0x810, {0x55, 0x48, 0x81, 0xec, 0, 0x08, 0, 0, 0xff, 0xd0, 0x90});  // push %rbp; sub $0x800, %rsp; call *%rax
  f.words[0x100] = 0x6666;
  f.words[0x101] = f.Avma(0x205);
  f.words[7] = f.Avma(0x102);
  f.words[8] = f.Avma(0x205);
  REQUIRE(f.Find(0x81a));
  CHECK(f.LedTo(0x205, 0x102));
  CHECK(f.registers.fp() == 0x6666);
  CHECK_FALSE(f.is_guess);
  // The return address must lie below the given end.
  CHECK(f.Find(0x81a, kStackAvma + 8 * 0x102));
  REQUIRE(f.Find(0x81a, kStackAvma + 8 * 0x101));
  CHECK(f.is_guess);
}

TEST_CASE("where the code does not tell the depth, a direct call comes before a possible one, and both are guesses") {
  Fixture f;
  f.Write(0x801, {0x48, 0x29, 0xc4, 0x90});  // sub %rax, %rsp
  f.words[7] = f.Avma(0x405);
  REQUIRE_FALSE(f.Find(0x807));
  f.words[20] = f.Avma(0x102);
  f.words[24] = f.Avma(0x102);
  REQUIRE(f.Find(0x807));
  CHECK((f.LedTo(0x102, 21) && f.is_guess));
  f.words[100] = f.Avma(0x305);
  f.words[110] = f.Avma(0x205);
  REQUIRE(f.Find(0x807));
  CHECK((f.LedTo(0x305, 101) && f.is_guess));
}

TEST_CASE("a function that follows another one directly may have a guess at the right place") {
  Fixture f;
  f.Write(0x812, {0xc3, 0x53, 0x48, 0x83, 0xec, 0x30, 0xff, 0xd0, 0x90});  // ret; push %rbx; sub $48, %rsp; call *%rax
  f.words[3] = f.Avma(0x102);
  f.words[7] = f.Avma(0x102);
  REQUIRE(f.Find(0x81a));
  CHECK((f.LedTo(0x102, 8) && f.is_guess));
  f.words[7] = f.Avma(0x405);  // this call leads elsewhere
  REQUIRE(f.Find(0x81a));
  CHECK((f.LedTo(0x102, 4) && f.is_guess));
}

TEST_CASE("a signal may have called a function, so it may return to a trampoline") {
  Fixture f;
  f.Write(0x900, {0x90, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05});  // nop; mov $15, %eax; syscall
  CHECK(f.calls.Judge(f.Avma(0x900), {f.Avma(0x800), f.Avma(0x807)}) == Call::kPossible);
  f.words[5] = f.Avma(0x900);
  REQUIRE(f.Find(0x807));
  CHECK((f.LedTo(0x900, 6) && !f.is_guess));
}

TEST_CASE("a possible call counts near the stack pointer alone") {
  Fixture f;
  f.Write(0x801, {0x48, 0x29, 0xc4, 0x90});
  f.words[CallSearch::kGuessedWords] = f.Avma(0x102);
  CHECK_FALSE(f.Find(0x807));
  f.words[CallSearch::kGuessedWords - 1] = f.Avma(0x102);
  CHECK(f.Find(0x807));
}
#endif

}  // namespace
}  // namespace geckoprof
