#include "tools/convert/processed_tables.h"

#include <catch2/catch.hpp>

#include "tests/support/sample_process.h"
#include "tools/convert/native_categories.h"

namespace geckoprof {
namespace {

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

}  // namespace
}  // namespace geckoprof
