// What is kept of the scans of a walk, and walks that are taken back: a made-up stretch of generated code in real
// memory.

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cfi_builder.h"
#include "geckoprof/unwind/unwinder.h"

using namespace geckoprof;

TEST_CASE("scanned frames are kept by index, and forgotten with the frames behind them") {
  ScannedFrames frames;
  CHECK(frames.indexes().empty());
  for (size_t i = 1; i <= ScannedFrames::kMax; ++i) {
    CHECK_FALSE(frames.IsFull());
    frames.Add(2 * i);
  }
  CHECK(frames.IsFull());
  frames.Truncate(5);
  REQUIRE(frames.indexes().size() == 2);
  CHECK(frames.indexes()[1] == 4);
  frames.Truncate(2);
  CHECK(frames.indexes().empty());
}

TEST_CASE("the newest hits are kept, the newest first") {
  ScanHits hits;
  CHECK(hits.empty());
  for (size_t i = 1; i <= ScanHits::kMax + 5; ++i) hits.Push().frame_count = i;
  for (size_t i = ScanHits::kMax + 5; i > 5; --i) {
    REQUIRE_FALSE(hits.empty());
    CHECK(hits.top().frame_count == i);
    hits.Pop();
  }
  CHECK(hits.empty());
  hits.Push().frame_count = 7;
  CHECK(hits.top().frame_count == 7);
  hits.Clear();
  CHECK(hits.empty());
}

#if defined(__x86_64__)  // the code consists of calls
namespace {

constexpr uint64_t kStackAvma = 0x7ffe00000000;
constexpr size_t kWords = 256;
constexpr size_t kCodeBytes = 0x10000;

// Calls, nothing else: each even address looks like a return address. The first half is generated code, the second a
// module with these functions:
//   0x1000  CFA = sp + 8      0x3000  the start      0x4000  CFA = rbx + 8, which nobody knows behind a scan
// A page of data follows the module's code.
struct World {
  uint8_t* code =
      static_cast<uint8_t*>(mmap(nullptr, kCodeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const uint64_t generated = reinterpret_cast<uint64_t>(code) + 0x200;
  const uint64_t bias = reinterpret_cast<uint64_t>(code) + kCodeBytes / 2;
  const uint64_t data = bias + kCodeBytes / 2;
  const uint64_t plain = bias + 0x1050, start = bias + 0x3050, stale = bias + 0x4050;
  CfiBuilder cfi;
  ModuleTable modules;
  Module* module = nullptr;
  Unwinder unwinder{modules};
  std::vector<uint64_t> stack = std::vector<uint64_t>(kWords);
  UnwoundFrame frames[kWords];

  World() {
    REQUIRE(code != MAP_FAILED);
    for (size_t i = 0; i < kCodeBytes; i += 2) std::memcpy(code + i, "\xff\xd0", 2);
    char maps[200];
    std::snprintf(maps, sizeof maps, "%lx-%lx r-xp 00000000 00:00 0 \n%lx-%lx rw-p 00000000 00:00 0 \n",
                  bias - kCodeBytes / 2, data, data, data + 4096);
    modules.Refresh(maps, 0);
    cfi.AddCie("zR", {0x0c, 7, 8, 0x80 | 16, 1});
    cfi.AddFde(0x1000, 0x100, {});
    cfi.AddFde(0x3000, 0x100, {0x07, 16});
    cfi.AddFde(0x4000, 0x100, {0x0c, 3, 8});
    cfi.AddEnd();
    auto made = Module::ForTest(1, {bias, data + 4096}, bias, cfi.Header(), cfi.Section());
    module = made.get();
    modules.AddForTest(std::move(made));
  }
  ~World() { munmap(code, kCodeBytes); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  UnwindResult Run(size_t words = kWords) { return RunFrom(generated, words); }
  UnwindResult RunFrom(uint64_t pc, size_t words = kWords) {
    const StackView view{reinterpret_cast<const uint8_t*>(stack.data()), kStackAvma, 8 * words};
    return unwinder.Unwind(Registers::FromPcAndSp(pc, kStackAvma), view, frames);
  }
  static uint64_t Slot(size_t index) { return kStackAvma + 8 * index; }
};

std::vector<uint16_t> Scanned(const UnwindResult& result) {
  return {result.scanned_frames.begin(), result.scanned_frames.end()};
}

}  // namespace

TEST_CASE("a hit that leads nowhere is taken back; the same when warm") {
  World w;
  w.stack[3] = w.stale;
  w.stack[6] = w.plain;  // and one that leads a frame further, to nowhere
  w.stack[7] = w.stale;
  w.stack[12] = w.plain;
  w.stack[13] = w.plain;
  w.stack[14] = w.start;
  for (int round = 0; round < 3; ++round) {
    const UnwindResult result = w.Run();
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 4);
    CHECK(Scanned(result) == std::vector<uint16_t>{1});
    CHECK((w.frames[1].address == w.plain && w.frames[1].cfa_or_sp == World::Slot(13)));
    CHECK((w.frames[3].address == w.start && w.frames[3].cfa_or_sp == World::Slot(15)));
    CHECK(result.fallback_frames == 1);
    CHECK(result.missing_avma == 0);
  }
}

TEST_CASE("the scan before the last one is taken back, too") {
  World w;
  w.stack[2] = w.generated;  // its scan finds nothing right: the start is out of its reach
  w.stack[3] = w.plain;
  for (size_t i = 4; i < 40; ++i) w.stack[i] = w.plain;
  w.stack[40] = w.stale;
  w.stack[50] = w.start;
  const UnwindResult result = w.Run();
  CHECK(result.end == UnwindEnd::kReachedStart);
  CHECK(w.frames[result.frame_count - 1].address == w.start);
}

TEST_CASE("if nothing leads to the start, the first walk stands, with its reason") {
  World w;
  w.stack[3] = w.plain;
  w.stack[4] = w.stale;
  w.stack[9] = w.plain;
  w.stack[10] = w.plain;
  w.stack[11] = w.plain;
  w.stack[12] = w.stale;
  for (int round = 0; round < 3; ++round) {
    const UnwindResult result = w.Run();
    CHECK(result.end == UnwindEnd::kRegisterUnknown);
    REQUIRE(result.frame_count == 3);
    CHECK((w.frames[1].address == w.plain && w.frames[1].cfa_or_sp == World::Slot(4)));
    CHECK((w.frames[2].address == w.stale && w.frames[2].cfa_or_sp == World::Slot(5)));
    CHECK(result.fallback_frames == 1);
  }
}

TEST_CASE("a word that nothing returns to is what the function pushed: a scan finds its caller behind it") {
  for (const uint64_t pushed : {uint64_t{0}, uint64_t{5}, uint64_t{0xffff}, World::Slot(9), World::Slot(9) + 3}) {
    World w;
    w.stack[0] = w.plain;
    w.stack[1] = pushed;
    w.stack[2] = 7;
    w.stack[3] = pushed;
    w.stack[4] = w.plain;
    w.stack[5] = w.start;
    for (int round = 0; round < 3; ++round) {
      const UnwindResult result = w.RunFrom(w.plain);
      CHECK(result.end == UnwindEnd::kReachedStart);
      REQUIRE(result.frame_count == 4);
      CHECK((w.frames[1].address == w.plain && w.frames[1].cfa_or_sp == World::Slot(1)));
      CHECK((w.frames[2].address == w.plain && w.frames[2].cfa_or_sp == World::Slot(5)));
      CHECK(Scanned(result) == std::vector<uint16_t>{2});
      CHECK(result.fallback_frames == 1);
    }
  }
}

TEST_CASE("where no caller is found behind such a word, it is no frame, and no start") {
  for (const uint64_t pushed : {uint64_t{0}, uint64_t{5}, World::Slot(9)}) {
    World w;
    w.stack[0] = w.plain;
    w.stack[1] = pushed;
    w.stack[2] = w.plain;  // leads to 0
    const UnwindResult result = w.RunFrom(w.plain);
    CHECK(result.end == (pushed == 0 ? UnwindEnd::kNotCalled : UnwindEnd::kBadRule));
    CHECK(result.frame_count == 2);
    CHECK(result.fallback_frames == 0);
  }
}

TEST_CASE("behind a scan a return address of 0 is the end only if there is no better one") {
  World w;
  w.stack[3] = w.plain;
  UnwindResult result = w.Run();
  CHECK(result.end == UnwindEnd::kNotCalled);
  CHECK(result.frame_count == 2);
  w.stack[9] = w.start;
  result = w.Run();
  CHECK(result.end == UnwindEnd::kReachedStart);
  REQUIRE(result.frame_count == 2);
  CHECK(w.frames[1].address == w.start);
}

// What makecontext does.
TEST_CASE("a function that a stack returns to at its first instruction was called by nothing") {
  for (const bool has_call : {true, false}) {
    World w;
    const uint64_t entry = w.bias + 0x3000;
    if (!has_call) std::memset(w.code + kCodeBytes / 2 + 0x2ff0, 0x90, 0x10);
    w.stack[0] = entry;
    UnwindResult result = w.RunFrom(w.plain);
    CHECK(result.end == (has_call ? UnwindEnd::kNoRule : UnwindEnd::kNotCalled));
    REQUIRE(result.frame_count == 2);
    CHECK(w.frames[1].address == entry);
    w.stack[7] = w.start;  // a thread's own stack after all
    result = w.RunFrom(w.plain);
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 3);
    CHECK(w.frames[2].address == w.start);
    CHECK(result.fallback_frames == 1);
  }
}

TEST_CASE("what lies behind the words that a scan looks at is not found by going on") {
  World w;
  w.stack[3] = w.stale;
  w.stack[FallbackStep::kScannedWords] = w.start;
  CHECK(w.Run().end == UnwindEnd::kRegisterUnknown);
  w.stack[FallbackStep::kScannedWords - 1] = w.start;
  CHECK(w.Run().end == UnwindEnd::kReachedStart);
  CHECK(w.Run(FallbackStep::kScannedWords - 1).end == UnwindEnd::kRegisterUnknown);  // not copied
}

TEST_CASE("what can be tried is bounded, however many ways there are") {
  World w;
  for (size_t i = 0; i < kWords; ++i) w.stack[i] = i % 3 == 2 ? w.stale : w.generated;  // without a bound: 2 to the 150
  const UnwindResult result = w.Run();
  CHECK(result.end == UnwindEnd::kRegisterUnknown);
  REQUIRE(result.frame_count == 4);
  CHECK((w.frames[3].address == w.stale && w.frames[3].cfa_or_sp == World::Slot(3)));
  CHECK(result.fallback_frames == 3);
}
TEST_CASE("a .debug_frame leads to the caller, and one that lies does not make one up") {
  World w;
  const bool lies = GENERATE(false, true);
  CfiBuilder debug(CfiBuilder::Form::kDebugFrame);
  debug.AddCie("", {0x0c, 7, 8, 0x80 | 16, 1});
  debug.AddFde(0x2000, 0x100, {0x0e, static_cast<uint8_t>(lies ? 48 : 32)});
  w.module->SetDebugFrameForTest(debug.Section());
  w.stack[3] = w.plain;  // the return address
  w.stack[5] = 0x1234;   // where the lie has it
  w.stack[4] = w.start;
  for (int round = 0; round < 2; ++round) {
    const UnwindResult result = w.RunFrom(w.bias + 0x2010);
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 3);
    CHECK(w.frames[1].address == w.plain);
    CHECK(result.fallback_frames == (lies ? 1 : 0));
    CHECK(Scanned(result).size() == (lies ? 1 : 0));
  }
}
TEST_CASE("a word that leads into the data of a module is no return address, and a scan goes on behind it") {
  World w;
  w.stack[0] = w.plain;
  w.stack[1] = w.data + 0x10;
  w.stack[2] = 7;
  w.stack[3] = w.plain;
  w.stack[4] = w.start;
  for (int round = 0; round < 3; ++round) {
    const UnwindResult result = w.RunFrom(w.plain);
    CHECK(result.end == UnwindEnd::kReachedStart);
    REQUIRE(result.frame_count == 4);
    CHECK((w.frames[2].address == w.plain && w.frames[2].cfa_or_sp == World::Slot(4)));
    CHECK(Scanned(result) == std::vector<uint16_t>{2});
  }
}
#endif
