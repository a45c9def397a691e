#include "sampler/answer_writer.h"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "sampler/stack_builder.h"
#include "scripted_thread_view.h"

namespace geckoprof {
namespace {

using Kind = Answer::Kind;

constexpr uint64_t kNoCode = 0x1000;
void KnownCode() {}

// A process with the third phase of its looks. All rows belong to one tick, so the reader adds none of its own.
struct WrittenProcess : ScriptedProcess {
  WrittenProcess() {
    header.heartbeat_ns = kBegin;
    samples.BeginTick(kBegin);
  }
  // Adds a thread whose first row is written. That row has no CPU time, as it may be from before the recording.
  SampledThread& AddWithRow(int64_t cpu_ns = 50 * kMs) {
    SampledThread& thread = Add();
    Shown(thread).cpu_ns = cpu_ns;
    CHECK(Write({Running(thread, kBegin, cpu_ns)}));
    return thread;
  }
  // The clock of a thread was read at the time of its answer, unless a test says otherwise.
  Answer Running(SampledThread& thread, int64_t time_ns, int64_t cpu_ns, uint64_t pc = kNoCode) {
    Answer answer{&thread, Kind::kRunning, time_ns, {cpu_ns, time_ns}};
    CaptureBuffer& capture = captures_of_answers.emplace_back();
    FillIn(capture, time_ns);
    capture.labels = &thread.slot->labels;
    capture.registers.pc = pc;
    answer.capture = &capture;
    return answer;
  }
  static Answer Tick(Answer running, const CpuAtTime& read, int64_t part_ns, int64_t rows = 1) {
    running.cpu = read;
    running.part_ns = part_ns;
    running.rows = rows;
    return running;
  }
  Answer Waiting(SampledThread& thread, int64_t time_ns, int64_t cpu_ns, uint64_t pc = kNoCode) {
    Shown(thread).BlockAt(1);
    Answer answer{&thread, Kind::kWaiting, time_ns, {cpu_ns, time_ns}};
    answer.place = Shown(thread).place;
    answer.place.pc = pc;
    answer.copy = {Shown(thread).stack.data(), Shown(thread).stack.size(), true};
    answer.wait = Shown(thread).wait;
    return answer;
  }
  static Answer ShortWait(SampledThread& thread, int64_t time_ns, WaitCause cause = WaitCause::kPoll) {
    Answer answer{&thread, Kind::kShortWait, time_ns, {0, time_ns}};
    answer.wait.cause = cause;
    return answer;
  }
  bool Write(Answers answers_in, bool may_hold = true) {
    answers = std::move(answers_in);
    return writer.Write(answers, may_hold);
  }

  std::vector<SampleRow> Rows(const SampledThread& thread) {
    profile = {};
    profile = ReadBack(test);
    for (const ThreadRow& row : profile.threads) {
      if (row.tid == thread.tid.ToNumber()) return {row.samples.begin(), row.samples.end()};
    }
    return {};
  }
  std::string Stack(const SampleRow& row) { return StackText(profile, row.stack); }

  StackBuilder stacks{&modules};
  AnswerWriter writer{&setting, {&samples, &modules, &list, &stacks, &view, &cycles}};
  Answers answers;
  ProcessProfile profile;
  std::deque<CaptureBuffer> captures_of_answers;
};

std::vector<int64_t> TimesOf(const std::vector<SampleRow>& rows) {
  std::vector<int64_t> times;
  for (const SampleRow& row : rows) times.push_back(row.time_ns - kBegin);
  return times;
}
std::vector<int64_t> CpuOf(const std::vector<SampleRow>& rows) {
  std::vector<int64_t> cpu;
  for (const SampleRow& row : rows) cpu.push_back(row.cpu_delta_ns);
  return cpu;
}
using Numbers = std::vector<int64_t>;

TEST_CASE("rows have the CPU time since the row before, and together that of the clock") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow(50 * kMs);
  CHECK(process.Write({process.Running(thread, kBegin + 2 * kMs, 51 * kMs)}));
  const CpuAtTime read{54 * kMs + 1, kBegin + 9 * kMs};
  CHECK(process.Write({WrittenProcess::Tick(process.Running(thread, kBegin + 4 * kMs, 0), read, kMs),
                       WrittenProcess::Tick(process.Running(thread, kBegin + 6 * kMs, 0), read, kMs),
                       WrittenProcess::Tick(process.Running(thread, kBegin + 8 * kMs, 0), read, INT64_MAX)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, 2 * kMs, 4 * kMs, 6 * kMs, 8 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, kMs, kMs, kMs, kMs + 1});
  for (const SampleRow& row : rows) CHECK(row.state == SampleState::kRunning);
  CHECK(process.header.samples_taken == 5);
}

TEST_CASE("a row has no more CPU time than has passed, and the rest goes to the next rows") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow(0);
  const CpuAtTime read{5 * kMs, kBegin + 5 * kMs};
  CHECK(process.Write({WrittenProcess::Tick(process.Running(thread, kBegin + kMs, 0), read, 2 * kMs),
                       WrittenProcess::Tick(process.Running(thread, kBegin + 2 * kMs, 0), read, INT64_MAX)}));
  CHECK(process.Write({process.Running(thread, kBegin + 5 * kMs, 5 * kMs)}));
  CHECK(CpuOf(process.Rows(thread)) == Numbers{-1, kMs, kMs, 3 * kMs});
}

TEST_CASE("rows of a thread are in order of time, also if an answer comes late") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  CHECK(process.Write({process.Running(thread, kBegin + 5 * kMs, 52 * kMs)}));
  CHECK(process.Write({process.Running(thread, kBegin + 3 * kMs, 53 * kMs)}));
  CHECK(process.Write({process.Waiting(thread, kBegin + 4 * kMs, 54 * kMs)}));
  CHECK(thread.last_row_ns == kBegin + 5 * kMs);
  CHECK(process.Write({process.Running(thread, kBegin + 8 * kMs, 54 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  // The reader moves equal times apart.
  CHECK(TimesOf(rows) == Numbers{0, 5 * kMs, 5 * kMs + 1, 5 * kMs + 2, 8 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, 2 * kMs, 0, 0, 2 * kMs});
}

TEST_CASE("a row of a waiting thread has no CPU time, which goes to the next row") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  process.Shown(thread).wait = {WaitCause::kLock, 0x7f00, thread.index};
  CHECK(process.Write({process.Waiting(thread, kBegin + 2 * kMs, 51 * kMs)}));
  CHECK(process.Write({process.Running(thread, kBegin + 4 * kMs, 52 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(CpuOf(rows) == Numbers{-1, 0, 2 * kMs});
  CHECK(rows[1].state == SampleState::kWaiting);
  CHECK(rows[1].cause == WaitCause::kLock);
  CHECK(rows[1].lock_address == 0x7f00);
  CHECK(rows[1].holder_tid == thread.tid.ToNumber());
  CHECK(process.header.samples_taken == 3);
}

TEST_CASE("rows that an answer stands for lie evenly in its CPU time, and share it and no other's") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow(0);
  const CpuAtTime read{6 * kMs, kBegin + 14 * kMs};
  // A timer's tick of 4 ms after a wait, then two events of 1 ms.
  CHECK(process.Write({WrittenProcess::Tick(process.Running(thread, kBegin + 8 * kMs, 0), read, 4 * kMs, 4),
                       WrittenProcess::Tick(process.Running(thread, kBegin + 11 * kMs, 0), read, kMs),
                       WrittenProcess::Tick(process.Running(thread, kBegin + 14 * kMs, 0), read, INT64_MAX)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, 5 * kMs, 6 * kMs, 7 * kMs, 8 * kMs, 11 * kMs, 14 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, kMs, kMs, kMs, kMs, kMs, kMs});
  CHECK(process.header.samples_taken == 7);
}

TEST_CASE("a thread that has ended, or that is not selected any more, gets no row") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  CHECK(process.Write({process.Running(thread, kBegin + kMs, -ESRCH)}));
  thread.selected = false;
  CHECK(process.Write({process.Running(thread, kBegin + 2 * kMs, 52 * kMs)}));
  CHECK(process.Rows(thread).size() == 1);
  CHECK(process.header.samples_taken == 1);
}

TEST_CASE("a running pause drops rows, and their CPU time goes to the first row after it") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  CHECK(process.Write({process.Running(thread, kBegin + 2 * kMs, 51 * kMs)}));
  process.header.paused_since_ns = kBegin + 4 * kMs;
  CHECK(process.Write({process.Running(thread, kBegin + 4 * kMs, 52 * kMs)}));
  CHECK(process.Write({process.Running(thread, kBegin + 5 * kMs, 53 * kMs)}));
  CHECK(process.Write({process.Waiting(thread, kBegin + 6 * kMs, 53 * kMs)}));
  CHECK(process.drops(DropReason::kUnanswered) == 2);
  process.header.paused_since_ns = 0;
  process.writer.SetPause(kBegin + 4 * kMs, kBegin + 10 * kMs);
  CHECK(process.Write({process.Running(thread, kBegin + 7 * kMs, 54 * kMs)}));  // an answer that came late
  CHECK(process.drops(DropReason::kUnanswered) == 3);
  CHECK(process.Write({process.Running(thread, kBegin + 10 * kMs, 55 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, 2 * kMs, 4 * kMs, 10 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, kMs, kMs, 3 * kMs});
}

TEST_CASE("a pause drops the rows in it of an answer that stands for several") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow(0);
  process.writer.SetPause(kBegin + kMs, kBegin + 3 * kMs);
  CHECK(process.Write(
      {WrittenProcess::Tick(process.Running(thread, kBegin + 4 * kMs, 0), {4 * kMs, kBegin + 4 * kMs}, INT64_MAX, 4)}));
  CHECK(process.Write({process.Running(thread, kBegin + 6 * kMs, 4 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  for (const SampleRow& row : rows) CHECK_FALSE((row.time_ns > kBegin + kMs && row.time_ns < kBegin + 3 * kMs));
  int64_t sum = 0;
  for (const SampleRow& row : rows) sum += std::max<int64_t>(row.cpu_delta_ns, 0);
  CHECK(sum == 4 * kMs);
}

TEST_CASE("a short wait has a row without a stack, right before the CPU time of the next row") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 2 * kMs)}));
  CHECK(process.Rows(thread).size() == 1);  // the next row decides where it ends
  const int64_t next_cpu_ns = GENERATE(as<int64_t>{}, kMs, 4 * kMs);
  CHECK(process.Write({process.Running(thread, kBegin + 5 * kMs, 50 * kMs + next_cpu_ns)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, std::min(2 * kMs, 5 * kMs - next_cpu_ns), 5 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, 0, next_cpu_ns});
  CHECK(rows[1].state == SampleState::kWaiting);
  CHECK(rows[1].cause == WaitCause::kPoll);
  CHECK(rows[1].stack == kNone);
  CHECK(process.header.samples_taken == 2);
}

TEST_CASE("a short wait has no row if the thread ran all the time, or was ready to") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  const bool is_ready = GENERATE(false, true);
  process.Shown(thread).ready_ns = 0;
  CHECK(process.Write({process.Running(thread, kBegin + kMs, 51 * kMs)}));
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 3 * kMs)}));
  process.Shown(thread).ready_ns = is_ready ? 2 * kMs : 0;
  CHECK(process.Write({process.Running(thread, kBegin + 5 * kMs, is_ready ? 53 * kMs : 55 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, kMs, 5 * kMs});
  CHECK(rows.back().cpu_delta_ns == (is_ready ? 2 * kMs : 4 * kMs));
  CHECK_FALSE(thread.short_wait.is_open());
}

TEST_CASE("each short wait has its row, in order of time, and so has a long one after it") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 2 * kMs, WaitCause::kPoll)}));
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 3 * kMs, WaitCause::kPipe)}));
  CHECK(process.Write({process.Waiting(thread, kBegin + 5 * kMs, 51 * kMs)}));
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 4 * kMs, WaitCause::kFile)}));  // no room is left
  CHECK(process.Write({process.Running(thread, kBegin + 9 * kMs, 52 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, 2 * kMs, 3 * kMs, 5 * kMs, 9 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, 0, 0, 0, 2 * kMs});
  CHECK(rows[1].cause == WaitCause::kPoll);
  CHECK(rows[2].cause == WaitCause::kPipe);
  CHECK(rows[3].cause == WaitCause::kSleep);
}

TEST_CASE("a short wait in a pause has no row") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  process.writer.SetPause(kBegin + kMs, kBegin + 4 * kMs);
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + 2 * kMs)}));
  CHECK(process.Write({process.Running(thread, kBegin + 6 * kMs, 51 * kMs)}));
  CHECK(TimesOf(process.Rows(thread)) == Numbers{0, 6 * kMs});
}

TEST_CASE("a thread that is filtered out begins anew if it is selected again") {
  WrittenProcess process;
  SampledThread& thread = process.Add();
  process.Shown(thread).ready_ns = 0;
  CHECK(process.Write({process.Running(thread, kBegin, 50 * kMs)}));
  CHECK(process.Write({WrittenProcess::ShortWait(thread, kBegin + kMs)}));
  thread.selected = false;
  CHECK(process.Write({{&thread, Kind::kFilteredOut, kBegin + 2 * kMs, {0, kBegin + 2 * kMs}}}));
  CHECK_FALSE(thread.cpu.has_row());
  thread.selected = true;
  process.Shown(thread).ready_ns = 100 * kMs;  // of the time without rows
  CHECK(process.Write({process.Running(thread, kBegin + 9 * kMs, 59 * kMs)}));
  CHECK(process.Write({process.Running(thread, kBegin + 11 * kMs, 60 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  CHECK(TimesOf(rows) == Numbers{0, 9 * kMs, 11 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, -1, kMs});
  CHECK(rows.back().ready_ns == 0);
}

TEST_CASE("a row says for how long the thread was ready, which is read once for all its answers") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow(0);
  process.Shown(thread).ready_ns = 7 * kMs;
  CHECK(process.Write({process.Running(thread, kBegin + kMs, kMs)}));
  process.Shown(thread).ready_ns += 3 * kMs;
  CHECK(process.Write({process.Running(thread, kBegin + 3 * kMs, 2 * kMs),  // 1 ms of 2 is left
                       process.Running(thread, kBegin + 10 * kMs, 3 * kMs)}));
  process.setting.cpu = false;
  process.Shown(thread).ready_ns += 3 * kMs;
  CHECK(process.Write({process.Running(thread, kBegin + 20 * kMs, 3 * kMs)}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  Numbers ready;
  for (const SampleRow& row : rows) ready.push_back(row.ready_ns);
  CHECK(ready == Numbers{0, 0, kMs, 2 * kMs, 0});
  CHECK(rows.back().cpu_delta_ns == -1);
}

TEST_CASE(
    "a running thread without a stack has a row with the reason and its CPU time, and so has an unreadable wait") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  Answer reason{&thread, Kind::kReason, kBegin + 2 * kMs, {51 * kMs, kBegin + 2 * kMs}};
  reason.problem = StackProblem::kTraced;
  Answer unreadable{&thread, Kind::kUnreadable, kBegin + 4 * kMs, {52 * kMs, kBegin + 4 * kMs}};
  unreadable.wait.cause = WaitCause::kOther;
  CHECK(process.Write({reason, unreadable}));
  const std::vector<SampleRow> rows = process.Rows(thread);
  REQUIRE(CpuOf(rows) == Numbers{-1, kMs, 0});
  CHECK(rows[1].state == SampleState::kRunning);
  CHECK(process.Stack(rows[1]).find("traced") != std::string::npos);
  CHECK(rows[2].state == SampleState::kWaiting);
  CHECK(rows[2].cause == WaitCause::kOther);
  CHECK(process.Stack(rows[2]).find("(no stack") != std::string::npos);
  CHECK(process.header.samples_taken == 1);  // that of AddWithRow
}

TEST_CASE("stacks through unknown code are held with all later rows of their threads, and written in order") {
  WrittenProcess process;
  process.setting.any_stacks = process.setting.native_stacks = true;
  process.modules.Refresh(1);
  const auto known = reinterpret_cast<uint64_t>(&KnownCode);
  SampledThread& held = process.Add();
  SampledThread& free = process.Add();
  const auto answers = [&](int64_t from_ns) -> Answers {
    // A page that was mapped since the modules were read may be code.
    void* const page = mmap(nullptr, kPageBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto unknown = reinterpret_cast<uint64_t>(page);
    return {process.Running(held, from_ns, 50 * kMs, known), process.Waiting(held, from_ns + kMs, 51 * kMs, unknown),
            process.Running(free, from_ns + kMs, 50 * kMs, known),
            process.Running(held, from_ns + 2 * kMs, 52 * kMs, known),
            process.Running(free, from_ns + 2 * kMs, 51 * kMs, known)};
  };
  CHECK_FALSE(process.Write(answers(kBegin)));
  CHECK(process.modules.is_wanted());
  CHECK(process.Rows(held).size() == 1);
  CHECK(process.Rows(free).size() == 2);
  process.modules.Refresh(2);
  process.writer.WriteHeld(process.answers);
  CHECK_FALSE(held.is_held);
  const std::vector<SampleRow> rows = process.Rows(held);
  CHECK(TimesOf(rows) == Numbers{0, kMs, 2 * kMs});
  CHECK(CpuOf(rows) == Numbers{-1, 0, 2 * kMs});
  CHECK(process.Stack(rows[2]).find(std::to_string(known)) != std::string::npos);
  CHECK(TimesOf(process.Rows(free)) == Numbers{kMs, 2 * kMs});
  // If the list cannot be read now, nothing is held.
  CHECK(process.Write(answers(kBegin + 10 * kMs), false));
  CHECK(process.Rows(held).size() == 6);
  CHECK(process.Rows(free).size() == 4);
}

TEST_CASE("what an answer says of its capture is noted") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  thread.stack = {0x10000, 0x90000};
  Answer cut = process.Running(thread, kBegin + kMs, 51 * kMs);
  cut.capture->reached_stack_end = false;
  cut.capture->copied_from = 0x20000;
  cut.capture->labels_missing = 3;
  const uint64_t counted = process.header.pause_counts[PauseBucket(3 * kUs)];
  CHECK(process.Write({cut}));
  CHECK(thread.wanted_copy_bytes == CapturePool::RoomFor(0x70000));
  CHECK(process.drops(DropReason::kLabelOverflow) == 3);
  CHECK(process.header.pause_counts[PauseBucket(3 * kUs)] == counted + 1);
  // Of an unknown stack only a page is copied, so more room does not help.
  thread.wanted_copy_bytes = 0;
  cut.capture->unknown_stack = true;
  CHECK(process.Write({cut}));
  CHECK(thread.wanted_copy_bytes == 0);
}

TEST_CASE("an answer without labels does not count if the thread may have labels by now") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  process.setting.any_stacks = true;
  Answer answer = process.Running(thread, kBegin + kMs, 51 * kMs);
  answer.capture->labels = nullptr;
  thread.slot = nullptr;
  CHECK(process.Write({answer}));
  CHECK(process.Rows(thread).size() == 2);
  process.control.Announce();
  answer.time_ns += kMs;
  CHECK(process.Write({answer}));
  CHECK(process.Rows(thread).size() == 2);
  CHECK(process.drops(DropReason::kMovedWhileRead) == 1);
}

TEST_CASE("an answer from before its thread's slot was known does not count") {
  WrittenProcess process;
  SampledThread& thread = process.AddWithRow();
  process.setting.any_stacks = true;
  Answer answer = process.Running(thread, kBegin + kMs, 51 * kMs);
  answer.capture->labels = nullptr;
  REQUIRE(thread.slot != nullptr);
  CHECK(process.Write({answer}));
  CHECK(process.Rows(thread).size() == 1);
  CHECK(process.drops(DropReason::kMovedWhileRead) == 1);
}

}  // namespace
}  // namespace geckoprof
