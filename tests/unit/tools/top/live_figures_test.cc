#include "tools/top/live_figures.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"

namespace geckoprof {
namespace {

TEST_CASE("names of labels, of addresses without symbols, and of code in no library") {
  ProcessProfile process;
  process.strings = {"Label"};
  process.libraries = {{0x1000, 0x2000, 0x1000, "/nonexistent/libx.so", "", 0, 0}};
  FrameNames names;
  CHECK(names.Of(process, {FrameKind::kLabel, 0, kNone, 0, kNone, kNone}, false).at(0).function == "Label");
  const FrameNames::Name& known =
      names.Of(process, {FrameKind::kInstruction, 0x1010, 0, kNone, kNone, kNone}, true).at(0);
  CHECK(known.function == "libx.so+0xf");
  CHECK(known.library == "libx.so");
  CHECK(names.Of(process, {FrameKind::kInstruction, 0x99, kNone, kNone, kNone, kNone}, false).at(0).function == "0x99");
  CHECK(names.Of(process, {FrameKind::kInstruction, 0x99, 77, kNone, kNone, kNone}, false).at(0).library.empty());
  CHECK(names.Of(process, {FrameKind::kReason, 0, kNone, 77, kNone, kNone}, false).at(0).function.empty());
}

// Returns the addresses of the sample at which all three functions are.
std::vector<uint64_t> InlinedAddresses(const std::string& library) {
  Symbolizer symbolizer;
  std::vector<uint64_t> found;
  for (uint64_t svma = 0x1000; svma < 0x1400; ++svma) {
    const AddressSymbols* const symbols = symbolizer.Find(library, "", svma);
    if (symbols != nullptr && symbols->frames.size() == 3) found.push_back(svma);
  }
  return found;
}

TEST_CASE("an inlined function is a function of its own, and its callers have the sample, too") {
  const DebugInfoSample sample;
  REQUIRE(sample.Compile("gcc -g"));
  const std::vector<uint64_t> addresses = InlinedAddresses(sample.library());
  REQUIRE_FALSE(addresses.empty());
  ProcessProfile process;
  process.libraries = {{0x10000, 0x20000, 0x10000, sample.library(), "", 0, 0}};
  const FrameRow inlined{FrameKind::kInstruction, 0x10000 + addresses[0], 0, kNone, kNone, kNone};
  FrameNames names;
  std::vector<std::string> functions;
  for (const FrameNames::Name& name : names.Of(process, inlined, false)) functions.push_back(name.function);
  CHECK(functions == std::vector<std::string>{"SampleOuter", "SampleMiddle", "SampleInner"});

  process.frames = {{FrameKind::kRoot, 0, kNone, kNone, kNone, kNone}, inlined};
  process.stacks = {{kNone, 0}, {0, 1}};
  ThreadRow thread;
  thread.samples = {{50, 1, 40, 1}};
  process.threads = {thread};
  const LiveFigures figures = LiveFigures::Of({process}, 0, 100, names);
  REQUIRE(figures.functions.size() == 3);
  for (const LiveFigures::Function& function : figures.functions) {
    CHECK(function.self == (function.name.function == "SampleInner" ? 1 : 0));
    CHECK(function.total == 1);
  }
}

ProcessProfile Demo() {
  ProcessProfile process;
  process.pid = 7;
  process.arguments = {"/bin/demo"};
  process.strings = {"outer", "inner"};
  process.frames = {{FrameKind::kRoot, 0, kNone, kNone, kNone, kNone},
                    {FrameKind::kLabel, 0, kNone, 0, kNone, kNone},
                    {FrameKind::kLabel, 0, kNone, 1, kNone, kNone}};
  process.stacks = {{kNone, 0}, {0, 1}, {1, 2}, {2, 1}};
  ThreadRow busy;
  busy.tid = 8;
  busy.samples = {{50, 2, 40, 1}, {100, 2, 10, 1}, {150, 3, 20, 1}, {160, 2, 0, 1}, {200, 2, 10, 1}};
  MarkerRow inside, begun_before;
  inside.start_ns = 120;
  begun_before.phase = MarkerPhase::kInterval;
  begun_before.start_ns = 10;
  begun_before.end_ns = 300;
  busy.markers = {inside, begun_before};
  ThreadRow idle;
  idle.tid = 9;
  process.threads = {idle, busy};
  process.losses = {{"no-chunk", 3}};
  return process;
}

TEST_CASE("an interval has its beginning, not its end; only threads that ran are shown") {
  FrameNames names;
  const LiveFigures figures = LiveFigures::Of({Demo()}, 100, 200, names);
  CHECK(figures.samples == 2);
  CHECK(figures.cpu_ns == 30);
  CHECK(figures.markers == 1);
  CHECK(figures.all_threads == 2);
  REQUIRE(figures.threads.size() == 1);
  CHECK(figures.threads[0].tid == 8);
  REQUIRE(figures.functions.size() == 2);
  CHECK(figures.functions[0].name.function == "inner");
  CHECK(figures.functions[0].self == 1);
  CHECK(figures.functions[0].total == 2);
  CHECK(figures.functions[1].self == 1);
  CHECK(figures.functions[1].total == 2);  // recursion once
  CHECK(figures.losses.at("no-chunk") == 3);
  CHECK(LastTimeNs({Demo()}) == 300);
}

TEST_CASE("a gap has CPU time and is no sample") {
  FrameNames names;
  ProcessProfile process = Demo();
  process.threads[1].samples.push_back({210, kNone, 9, 1});
  process.threads[1].samples.push_back({220, 2, 1, 1});
  const LiveFigures figures = LiveFigures::Of({process}, 205, 300, names);
  CHECK(figures.samples == 1);
  CHECK(figures.cpu_ns == 10);
}

TEST_CASE("a thread that ended counts where it is shown") {
  FrameNames names;
  ProcessProfile process = Demo();
  for (ThreadRow& thread : process.threads) thread.unregistered_ns = 400;
  const LiveFigures shown = LiveFigures::Of({process}, 100, 200, names);
  CHECK(shown.threads.size() == 1);
  CHECK(shown.all_threads == 1);
  CHECK(LiveFigures::Of({process}, 500, 600, names).all_threads == 0);
}

TEST_CASE("nothing, and stacks that make no sense") {
  FrameNames names;
  CHECK(LiveFigures::Of({}, 0, 100, names).functions.empty());
  CHECK(LastTimeNs({}) == 0);
  ProcessProfile process = Demo();
  process.stacks = {{2, 99}, {1, 1}, {77, 2}};
  CHECK(LiveFigures::Of({process}, 0, 1000, names).samples == 4);
}

}  // namespace
}  // namespace geckoprof
