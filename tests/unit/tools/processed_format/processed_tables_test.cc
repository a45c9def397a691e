#include "tools/processed_format/processed_tables.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/sample_process.h"
#include "tests/unit/tools/symbols/jitdump_builder.h"

namespace geckoprof {
namespace {

NativeCategory Of(const std::string& path) {
  LibraryRow library;
  library.path = path;
  return NativeCategoryOf(&library, "/bin/x");
}

TEST_CASE("native code is told apart by its library") {
  CHECK(Of("/usr/lib/x86_64-linux-gnu/libc.so.6") == NativeCategory::kSystemLibrary);
  CHECK(Of("/lib64/libm.so.6") == NativeCategory::kSystemLibrary);
  CHECK(Of("/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2") == NativeCategory::kLoader);
  CHECK(Of("/lib/ld-linux-aarch64.so.1") == NativeCategory::kLoader);
  CHECK(Of("/bin/x") == NativeCategory::kProgram);
  CHECK(Of("/bin/xx") == NativeCategory::kLibrary);
  CHECK(Of("/srv/x/libmine.so") == NativeCategory::kLibrary);
  CHECK(Of("/srv/usr/lib/libmine.so") == NativeCategory::kLibrary);
  CHECK(Of("/usr/lib/geckoprof/libbaseprofiler.so") == NativeCategory::kProfiler);
  CHECK(Of("/opt/libgeckoprofiler.so.1") == NativeCategory::kProfiler);
  CHECK(Of("[vdso]") == NativeCategory::kVdso);
  CHECK(Of("") == NativeCategory::kLibrary);
  CHECK(NativeCategoryOf(nullptr, "/bin/x") == NativeCategory::kOther);
}

TEST_CASE("the list has a row for each category, the first one grey") {
  const std::vector<CategoryRow>& rows = NativeCategories();
  REQUIRE(rows.size() == static_cast<size_t>(NativeCategory::kProfiler) + 1);
  CHECK(rows[0].color == "grey");
  CHECK(rows[static_cast<size_t>(NativeCategory::kProgram)].name == "Program");
  CHECK(rows[static_cast<size_t>(NativeCategory::kLoader)].name == "Dynamic linker");
  CHECK(rows[static_cast<size_t>(NativeCategory::kProfiler)].name == "Profiler");
  for (const CategoryRow& row : rows) CHECK(row.subcategories == std::vector<std::string>{"Other"});
}

// Tables of one or two made-up processes (tests/support/sample_process.h names the rows).
struct Fixture {
  explicit Fixture(size_t processes = 1) {
    for (size_t i = 0; i < processes; ++i) session.processes.push_back(SampleProcess());
  }
  RecordedSession session;
  Symbolizer symbolizer;
};

TEST_CASE("a stack gets one row as the end of a sample and another as a caller") {
  Fixture f;
  ProcessedTables tables(f.session, f.symbolizer);
  const int32_t sample = tables.SampleStack(0, 1);
  CHECK(sample == 1);  // the root came first
  CHECK(tables.SampleStack(0, 1) == sample);
  const int32_t caller = tables.MarkerStack(0, 1);
  CHECK(caller != sample);
  CHECK(tables.MarkerStack(0, 0) == 0);
  CHECK(tables.SampleStack(0, 2) > caller);  // its callers are there already: one new row
  CHECK(tables.SampleStack(0, 3) == tables.SampleStack(0, 2) + 1);
}

TEST_CASE("the stack of a waiting thread has the same frames and callers, and another category at its end") {
  Fixture f;
  ProcessedTables tables(f.session, f.symbolizer);
  SampleRow row;
  row.state = SampleState::kWaiting;
  row.cause = WaitCause::kLock;
  const StateLook lock = StateLook::Of(row);
  const int32_t running = tables.SampleStack(0, 2), waiting = tables.SampleStack(0, 2, lock);
  REQUIRE(running != waiting);
  CHECK(tables.SampleStack(0, 2, lock) == waiting);
  const auto stack_of = [&](int32_t stack) { return tables.tables().stacks()[static_cast<size_t>(stack)]; };
  const auto frame_of = [&](int32_t stack) {
    return tables.tables().frames()[static_cast<size_t>(stack_of(stack).frame)];
  };
  CHECK(stack_of(waiting).prefix == stack_of(running).prefix);
  SharedTables::Frame frame = frame_of(waiting);
  const CategoryRow& category = tables.categories().rows()[static_cast<size_t>(frame.category)];
  CHECK(category.name == "Idle");
  CHECK(category.subcategories[static_cast<size_t>(frame.subcategory)] == "lock");
  frame.category = frame_of(running).category;
  frame.subcategory = frame_of(running).subcategory;
  CHECK(frame == frame_of(running));

  row.state = SampleState::kReady;
  const int32_t ready = tables.SampleStack(0, 2, StateLook::Of(row));
  CHECK(stack_of(ready).prefix == running);
  CHECK(tables.categories().rows()[static_cast<size_t>(frame_of(ready).category)].name == "Waiting for a core");

  CHECK(tables.SampleStack(0, kNone, lock) == kNone);
  CHECK(tables.SampleStack(0, 0, lock) == kNone);
}

TEST_CASE("rows that mean the same in two processes are one") {
  Fixture f(2);
  ProcessedTables tables(f.session, f.symbolizer);
  CHECK(tables.SampleStack(1, 2) == tables.SampleStack(0, 2));
  CHECK(tables.MarkerStack(1, 4) == tables.MarkerStack(0, 4));
  CHECK(tables.String("x") == tables.String("x"));
  CHECK(tables.String("x") != tables.String("y"));
}

TEST_CASE("stacks and frames that are not there") {
  Fixture f;
  std::vector<StackRow>& stacks = f.session.processes[0].stacks;
  const auto last = static_cast<int32_t>(stacks.size());
  stacks.push_back({0, 999});
  ProcessedTables tables(f.session, f.symbolizer);
  CHECK(tables.SampleStack(0, -1) == kNone);
  CHECK(tables.SampleStack(0, 1000) == kNone);
  CHECK(tables.SampleStack(0, last) == tables.MarkerStack(0, 0));  // the frame is left out
}

TEST_CASE("a caller that is no earlier row is none, whichever stack is asked for first") {
  Fixture f;
  std::vector<StackRow>& stacks = f.session.processes[0].stacks;
  const auto last = static_cast<int32_t>(stacks.size());
  stacks.push_back({last, 1});      // its own caller
  stacks.push_back({last + 2, 1});  // a loop of two
  stacks.push_back({last + 1, 1});
  stacks.push_back({999, 1});
  const bool backwards = GENERATE(false, true);
  ProcessedTables tables(f.session, f.symbolizer);
  if (backwards) tables.SampleStack(0, last + 2);
  const int32_t alone = tables.SampleStack(0, last);
  CHECK(tables.SampleStack(0, last + 1) == alone);
  CHECK(tables.SampleStack(0, last + 3) == alone);
  CHECK(tables.SampleStack(0, last + 2) != alone);  // it has a caller, which has none
  CHECK(tables.MarkerStack(0, last + 1) == tables.MarkerStack(0, last));
}

TEST_CASE("a chain of a million callers needs no stack of ours") {
  Fixture f;
  std::vector<StackRow>& stacks = f.session.processes[0].stacks;
  while (stacks.size() < 1'000'000) stacks.push_back({static_cast<int32_t>(stacks.size()) - 1, 1});
  ProcessedTables tables(f.session, f.symbolizer);
  CHECK(tables.SampleStack(0, 999'999) > 900'000);
}

TEST_CASE("a process's categories follow those of native code") {
  Fixture f;
  ProcessedTables tables(f.session, f.symbolizer);
  CHECK(tables.Category(0, 0) == 0);  // "Other" is there already
  CHECK(tables.Category(0, 1) == static_cast<int32_t>(NativeCategories().size() + StateLook::Categories().size()));
  CHECK(tables.categories().rows().back().name == "Solving");
  CHECK(tables.Category(0, 7) == tables.categories().fallback());
  CHECK(tables.Category(0, -1) == tables.categories().fallback());
}

TEST_CASE("native frames below a label with a category have none of their own, elsewhere their library's") {
  Fixture f;
  ProcessProfile& process = f.session.processes[0];
  const auto frame = static_cast<int32_t>(process.frames.size());
  process.frames.push_back({FrameKind::kInstruction, 0x401234, kNone, kNone, kNone, kNone});
  process.frames.push_back({FrameKind::kLabel, 0, kNone, 0, 1, kNone});
  process.frames.push_back({FrameKind::kLabel, 0, kNone, 0, kNone, kNone});
  process.frames.push_back({FrameKind::kReason, 0, kNone, 0, 1, kNone});
  const auto add = [&](int32_t prefix, int32_t added) {
    process.stacks.push_back({prefix, added});
    return static_cast<int32_t>(process.stacks.size()) - 1;
  };
  const int32_t alone = add(0, frame), label = add(alone, frame + 1), native = add(add(label, frame), frame),
                without_category = add(add(0, frame + 2), frame), below_reason = add(add(0, frame + 3), frame);
  ProcessedTables tables(f.session, f.symbolizer);
  const auto has_category = [&](int32_t stack, bool is_sample) {
    const int32_t row = is_sample ? tables.SampleStack(0, stack) : tables.MarkerStack(0, stack);
    const auto of_stack = static_cast<size_t>(tables.tables().stacks().at(static_cast<size_t>(row)).frame);
    return tables.tables().frames().at(of_stack).category >= 0;
  };
  for (const bool is_sample : {true, false}) {
    CHECK(has_category(alone, is_sample));
    CHECK(!has_category(native, is_sample));
    CHECK(has_category(without_category, is_sample));
    CHECK(has_category(below_reason, is_sample));
  }
}

// Adds a stack of the root and one instruction that no library has.
int32_t AddCode(ProcessProfile& process, uint64_t avma) {
  process.frames.push_back({FrameKind::kInstruction, avma, kNone, kNone, kNone, kNone});
  process.stacks.push_back({0, static_cast<int32_t>(process.frames.size()) - 1});
  return static_cast<int32_t>(process.stacks.size()) - 1;
}

std::string NameOf(const SharedTables& tables, int32_t stack) {
  const SharedTables::Frame& frame =
      tables.frames()[static_cast<size_t>(tables.stacks()[static_cast<size_t>(stack)].frame)];
  return std::string(tables.more_strings().At(tables.funcs()[static_cast<size_t>(frame.func)].name));
}

TEST_CASE("code without a library and a name is one function, whose frames have their addresses") {
  Fixture f;
  const int32_t first = AddCode(f.session.processes[0], 0x7f0000001000),
                second = AddCode(f.session.processes[0], 0x7f0000002000);
  ProcessedTables tables(f.session, f.symbolizer);
  const int32_t row = tables.SampleStack(0, first), other = tables.SampleStack(0, second);
  CHECK(row != other);
  CHECK(NameOf(tables.tables(), row) == "JIT code of solver");
  const auto frame_of = [&](int32_t stack) {
    return tables.tables().frames()[static_cast<size_t>(tables.tables().stacks()[static_cast<size_t>(stack)].frame)];
  };
  CHECK(frame_of(row).func == frame_of(other).func);
  CHECK(frame_of(row).address == 0x7f0000001000);
  CHECK(frame_of(tables.MarkerStack(0, first)).address == 0x7f0000000fff);
  for (int i = 0; i < 30; ++i) tables.SampleStack(0, first);
  CHECK(tables.missing_names().Note().find("solver") != std::string::npos);
}

TEST_CASE("where nothing can be mapped, the address is the name") {
  Fixture f;
  const int32_t null = AddCode(f.session.processes[0], 0), after = AddCode(f.session.processes[0], 0x11);
  ProcessedTables tables(f.session, f.symbolizer);
  CHECK(NameOf(tables.tables(), tables.SampleStack(0, null)) == "0x0");
  CHECK(NameOf(tables.tables(), tables.MarkerStack(0, after)) == "0x10");
}

TEST_CASE("the stack of a sample has the names of its time") {
  Fixture f;
  ProcessProfile& process = f.session.processes[0];
  constexpr uint64_t kCode = 0x7f0000001000;
  const int32_t again = AddCode(process, kCode), once = AddCode(process, kCode + 0x100);
  process.stacks.push_back({again, process.stacks[static_cast<size_t>(once)].frame});
  const auto both = static_cast<int32_t>(process.stacks.size()) - 1;
  HeldFiles held;
  JitdumpBuilder dump;
  dump.Load(100, kCode - 16, 64, 1, "first");
  dump.Load(200, kCode - 16, 64, 2, "second");
  dump.Load(100, kCode + 0x100, 64, 3, "third");
  Fd file(memfd_create("jitdump", MFD_CLOEXEC));
  REQUIRE(write(file.number(), dump.bytes.data(), dump.bytes.size()) == static_cast<ssize_t>(dump.bytes.size()));
  held.JitFilesOf({process.pid, process.pid_namespace}).push_back({std::move(file), {}});
  f.session.held_files = &held;
  ProcessedTables tables(f.session, f.symbolizer);
  const StateLook running = StateLook::FromNumber(StateLook::kRunning);
  const auto name_at = [&](int32_t stack, int64_t time_ns) {
    return NameOf(tables.tables(), tables.SampleStack(0, stack, running, time_ns));
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(name_at(again, 150) == "first");
    CHECK(name_at(again, 250) == "second");
    CHECK(name_at(once, 150) == "third");
    // A callee whose own name does not change has the caller of its time.
    const int32_t early = tables.SampleStack(0, both, running, 150), late = tables.SampleStack(0, both, running, 250);
    CHECK(early != late);
    CHECK(NameOf(tables.tables(), early) == "third");
    const auto caller_of = [&](int32_t stack) { return tables.tables().stacks()[static_cast<size_t>(stack)].prefix; };
    CHECK(NameOf(tables.tables(), caller_of(early)) == "first");
    CHECK(NameOf(tables.tables(), caller_of(late)) == "second");
    CHECK(NameOf(tables.tables(), tables.MarkerStack(0, again, 250)) == "second");
  }
  CHECK(tables.SampleStack(0, once, running, 150) == tables.SampleStack(0, once, running, 250));
}

}  // namespace
}  // namespace geckoprof
