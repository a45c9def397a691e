// Calls through pointers that lead to no code, on a made-up stack.
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cfi_builder.h"
#include "geckoprof/unwind/unwinder.h"

using namespace geckoprof;

namespace {

constexpr uint64_t kStackAvma = 0x7ffe00000000;

// A module with code of indirect calls, and a page of data that belongs to it. Its functions:
//   0x1000  CFA = sp + 16      0x2000  the start
struct World {
  static constexpr size_t kCodeBytes = 0x4000;

  World() {
    REQUIRE(code != MAP_FAILED);
    for (size_t i = 0; i < kCodeBytes; i += kDwarfLink == kDwarfPc ? 2 : 4) {
      std::memcpy(code + i, kDwarfLink == kDwarfPc ? "\xff\xd0\xff\xd0" : "\x00\x00\x3f\xd6", 4);  // call *%rax, blr x0
    }
    char maps[200];
    std::snprintf(maps, sizeof maps, "%lx-%lx r-xp 00000000 00:00 0 \n%lx-%lx rw-p 00000000 00:00 0 \n", bias, data,
                  data, data + 4096);
    modules.Refresh(maps, 0);
    cfi.AddCie("zR", {0x0c, kDwarfSp, 16, 0x80 | kDwarfLink, 1}, -8, kDwarfLink);
    cfi.AddFde(0x1000, 0x100, {});
    cfi.AddFde(0x2000, 0x100, {0x07, kDwarfLink});
    cfi.AddEnd();
    modules.AddForTest(Module::ForTest(1, {bias, data + 4096}, bias, cfi.Header(), cfi.Section()));
  }
  ~World() { munmap(code, kCodeBytes + 4096); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Walks from a function at `pc` that was called by `caller`.
  UnwindResult Run(uint64_t pc, uint64_t caller) {
    stack.insert(stack.begin(), caller);
    Registers registers = Registers::FromPcAndSp(pc, kStackAvma);
    if (kDwarfLink != kDwarfPc) {
      stack.erase(stack.begin());
      registers.Set(kDwarfLink, caller);
    }
    const StackView view{reinterpret_cast<const uint8_t*>(stack.data()), kStackAvma, 8 * stack.size()};
    return unwinder.Unwind(registers, view, frames);
  }

  uint8_t* code = static_cast<uint8_t*>(
      mmap(nullptr, kCodeBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const uint64_t bias = reinterpret_cast<uint64_t>(code);
  const uint64_t data = bias + kCodeBytes;
  const uint64_t plain = bias + 0x1010, start = bias + 0x2010;
  CfiBuilder cfi;
  ModuleTable modules;
  Unwinder unwinder{modules};
  std::vector<uint64_t> stack = {7, start, 8, 9};  // behind the return address to a function at 0x1000
  UnwoundFrame frames[16];
};

}  // namespace

TEST_CASE("a call through a pointer to no code has its caller, and the rest of the stack") {
  World w;
  uint8_t* const unmapped = static_cast<uint8_t*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(unmapped, 4096);
  const uint64_t pc = GENERATE_REF(uint64_t{0}, uint64_t{8}, uint64_t{0xffff}, reinterpret_cast<uint64_t>(unmapped),
                                   w.data + 0x10, ~uint64_t{0});
  const UnwindResult result = w.Run(pc, w.plain);
  CHECK(result.end == UnwindEnd::kReachedStart);
  REQUIRE(result.frame_count == 3);
  CHECK(w.frames[0].address == pc);
  CHECK(w.frames[1].address == w.plain);
  CHECK(w.frames[2].address == w.start);
  CHECK(result.scanned_frames.empty());
}

TEST_CASE("a jump to no code has no caller, and none is made up of the words above") {
  World w;
  w.stack[0] = w.plain;
  for (const uint64_t pc : {uint64_t{0}, uint64_t{0xffff}}) {
    const UnwindResult result = w.Run(pc, 5);
    CHECK(result.end == UnwindEnd::kNoModule);
    CHECK(result.frame_count == 1);
    CHECK(result.scanned_frames.empty());
  }
}
