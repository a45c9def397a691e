#include "tools/top/frame_names.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tools/top/live_figures.h"

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

}  // namespace
}  // namespace geckoprof
