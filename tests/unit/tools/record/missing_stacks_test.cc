#include "tools/record/missing_stacks.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/stack_reason.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {
namespace {

// A process whose samples have stacks that this class makes.
class Process {
 public:
  Process() {
    profile_.features = {"stackwalk", "cpu"};
    profile_.frames.push_back({.kind = FrameKind::kRoot});
    profile_.stacks.push_back({});
    profile_.threads.resize(1);
  }

  template <typename Reason>
  int32_t AddReason(Reason reason) {
    profile_.strings.push_back(StackReasonText(static_cast<uint64_t>(reason)));
    const auto text = static_cast<int32_t>(profile_.strings.size()) - 1;
    return AddStack({.kind = FrameKind::kReason, .text = text}, 0);
  }
  int32_t AddCode(int32_t prefix) { return AddStack({.address = 0x1000}, prefix); }
  void AddSamples(int count, int32_t stack, int64_t cpu_ns = 1) {
    for (int i = 0; i < count; ++i) profile_.threads[0].samples.push_back({.stack = stack, .cpu_delta_ns = cpu_ns});
  }
  ProcessProfile& profile() { return profile_; }

 private:
  int32_t AddStack(const FrameRow& frame, int32_t prefix) {
    profile_.frames.push_back(frame);
    profile_.stacks.push_back({prefix, static_cast<int32_t>(profile_.frames.size()) - 1});
    return static_cast<int32_t>(profile_.stacks.size()) - 1;
  }

  ProcessProfile profile_;
};

MissingStacks StacksOf(Process& process) {
  MissingStacks stacks;
  stacks.AddProcess(process.profile());
  return stacks;
}

std::string NoteOf(Process& process) { return StacksOf(process).Note(); }

TEST_CASE("a large share of samples without a whole stack is told, with the reasons by share and the remedies") {
  Process process;
  const int32_t blocked = process.AddReason(StackProblem::kSignalBlocked);
  const int32_t no_rule = process.AddReason(UnwindEnd::kNoRule);
  process.AddSamples(48, process.AddCode(0));
  process.AddSamples(12, blocked);
  process.AddSamples(30, process.AddCode(process.AddCode(no_rule)));
  process.AddSamples(10, 0);  // the root alone
  const MissingStacks stacks = StacksOf(process);
  CHECK(stacks.samples() == 100);
  CHECK(stacks.Note() ==
        "52 % of the samples lack their stack or its outer frames: 30 % (stack incomplete: code without unwind data), "
        "12 % (no stack: the thread blocks the profiler's signal), 10 % (no stack). Compile such code with "
        "-fasynchronous-unwind-tables or -fno-omit-frame-pointer. Unblock SIGURG or SIGWINCH in such threads.");
}

TEST_CASE("after the three most frequent reasons the others are one figure") {
  Process process;
  process.AddSamples(20, process.AddReason(StackProblem::kUnknownStack));
  process.AddSamples(40, process.AddReason(StackProblem::kCopyLimit));
  process.AddSamples(12, process.AddReason(StackProblem::kUnreadable));
  process.AddSamples(8, process.AddReason(StackProblem::kUnknownCode));
  process.AddSamples(20, process.AddReason(UnwindEnd::kBadRule));
  const std::string note = NoteOf(process);
  CHECK(note.starts_with("100 % of"));
  CHECK(note.find(": 40 % (stack incomplete: deeper") != std::string::npos);
  CHECK(note.find("could not be read") == std::string::npos);
  CHECK(note.ends_with(", 20 % for other reasons"));
}

TEST_CASE("no note: a tenth, few samples, or whole stacks") {
  Process tenth;
  const int32_t reason = tenth.AddReason(UnwindEnd::kNoModule);
  tenth.AddSamples(900, tenth.AddCode(0));
  tenth.AddSamples(100, reason);
  CHECK(NoteOf(tenth).empty());
  tenth.AddSamples(2, reason);
  CHECK_FALSE(NoteOf(tenth).empty());
  Process few;
  few.AddSamples(19, few.AddReason(UnwindEnd::kNoModule));
  CHECK(NoteOf(few).empty());
  Process none;
  CHECK(NoteOf(none).empty());
}

TEST_CASE(
    "no note: a frame of a library that is gone, a guess, ticks of a thread that waits, and stacks that nobody asked "
    "for") {
  Process process;
  process.AddSamples(25, process.AddCode(process.AddReason(StackProblem::kCodeUnloaded)));
  process.AddSamples(25, process.AddCode(process.AddReason(StackProblem::kFoundByScan)));
  const int32_t unreadable = process.AddReason(StackProblem::kUnreadable);
  process.AddSamples(500, unreadable, 0);
  CHECK(NoteOf(process).empty());
  process.AddSamples(50, unreadable);
  CHECK(NoteOf(process).starts_with("50 % of"));
  process.profile().features = {"cpu"};
  const MissingStacks stacks = StacksOf(process);
  CHECK(stacks.Note().empty());
  CHECK(stacks.samples() == 100);
}

TEST_CASE("the samples of all processes count together") {
  std::vector<ProcessProfile> processes;
  for (int i = 0; i < 2; ++i) {
    Process process;
    process.profile().strings.push_back("another text");  // the rows of texts differ
    if (i == 0) process.AddSamples(40, process.AddCode(0));
    process.AddSamples(30, process.AddReason(StackProblem::kSmallSignalStack));
    processes.push_back(std::move(process.profile()));
  }
  MissingStacks stacks;
  for (const ProcessProfile& process : processes) stacks.AddProcess(process);
  const std::string note = stacks.Note();
  CHECK(note.starts_with("60 % of"));
  CHECK(note.find(": 60 % (no stack: the alternate signal stack is too small") != std::string::npos);
}

constexpr int64_t kMs = 1'000'000;

// A thread with samples of 1 ms, and gaps of these lengths.
ProcessProfile ProcessWithGaps(int samples, std::initializer_list<int64_t> gaps_ms) {
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
  gaps.AddProcess(ProcessWithGaps(700, {}));
  gaps.AddProcess(ProcessWithGaps(0, {100, 200}));
  CHECK(gaps.Note() ==
        "running threads had no samples for 300 ms (30 % of the CPU time), in 2 gaps, the longest 200 ms. The sampler "
        "was late, or it had no buffer left. A less busy machine or a longer --interval helps.");
  CHECK(NoteOf(ProcessWithGaps(75, {25}))
            .starts_with("running threads had no samples for 25 ms (25 % of the CPU time), in 1 "
                         "gap. "));
}

TEST_CASE("no note: a small share, a short time, or no gaps at all") {
  CHECK(NoteOf(ProcessWithGaps(10, {19})).empty());
  CHECK(NoteOf(ProcessWithGaps(4000, {30})).empty());
  CHECK(NoteOf(ProcessWithGaps(4000, {})).empty());
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
