#include "tools/record/recorded_gaps.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

constexpr int64_t kMs = 1'000'000;

// A thread with samples of 1 ms, and gaps of these lengths.
ProcessProfile Process(int samples, std::initializer_list<int64_t> gaps_ms) {
  ProcessProfile process;
  ThreadRow& thread = process.threads.emplace_back();
  for (int i = 0; i < samples; ++i) thread.samples.push_back({.stack = 0, .cpu_delta_ns = kMs});
  for (const int64_t gap_ms : gaps_ms) thread.samples.push_back({.stack = kNone, .cpu_delta_ns = gap_ms * kMs});
  return process;
}

std::string NoteOf(const ProcessProfile& process) {
  RecordedGaps gaps;
  gaps.AddProcess(process);
  return gaps.Note();
}

TEST_CASE("CPU time without samples is told with its share, and the longest gap") {
  RecordedGaps gaps;
  gaps.AddProcess(Process(700, {}));
  gaps.AddProcess(Process(0, {100, 200}));
  CHECK(gaps.Note() ==
        "running threads had no samples for 300 ms (30 % of the CPU time), in 2 gaps, the longest 200 ms. The sampler "
        "was late, or it had no buffer left. A less busy machine or a longer --interval helps.");
  CHECK(NoteOf(Process(75, {25}))
            .starts_with("running threads had no samples for 25 ms (25 % of the CPU time), in 1 "
                         "gap. "));
}

TEST_CASE("no note: a small share, a short time, or no gaps at all") {
  CHECK(NoteOf(Process(10, {19})).empty());
  CHECK(NoteOf(Process(4000, {30})).empty());
  CHECK(NoteOf(Process(4000, {})).empty());
  CHECK(NoteOf(ProcessProfile()).empty());
}

TEST_CASE("rows that do not run are no gaps") {
  ProcessProfile process;
  ThreadRow& thread = process.threads.emplace_back();
  thread.samples.push_back({.stack = kNone, .cpu_delta_ns = 100 * kMs, .state = SampleState::kWaiting});
  CHECK(NoteOf(process).empty());
}

}  // namespace
}  // namespace geckoprof
