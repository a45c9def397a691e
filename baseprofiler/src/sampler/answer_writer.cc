#include "sampler/answer_writer.h"

#include <algorithm>
#include <utility>

#include "sampler/capture_pool.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {

AnswerWriter::AnswerWriter(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      segment_(*setting->segment),
      header_(setting->segment->header()),
      samples_(*parts.samples),
      modules_(*parts.modules),
      threads_(*parts.threads),
      stacks_(*parts.stacks),
      view_(*parts.view),
      cycles_(*parts.cycles) {}

bool AnswerWriter::Write(std::span<Answer> answers, bool may_hold) {
  bool any_held = false;
  for (const Answer& answer : answers) answer.thread->ready_total_ns = -1;
  for (Answer& answer : answers) {
    SampledThread& thread = *answer.thread;
    answer.is_held = thread.is_held || !WriteAnswer(answer, may_hold);
    thread.is_held = answer.is_held;
    any_held |= answer.is_held;
  }
  return !any_held;
}

void AnswerWriter::WriteHeld(std::span<const Answer> answers) {
  for (const Answer& answer : answers) {
    if (answer.is_held) WriteAnswer(answer, false);
    answer.thread->is_held = false;
  }
}

// Returns false if the answer has to be held.
bool AnswerWriter::WriteAnswer(const Answer& answer, bool may_hold) {
  SampledThread& thread = *answer.thread;
  const CpuAtTime at = {answer.cpu.cpu_ns, std::max(answer.time_ns, thread.last_row_ns)};
  switch (answer.kind) {
    case Answer::Kind::kRunning:
      return WriteRunning(answer, may_hold);
    case Answer::Kind::kWaiting:
      return WriteWaiting(answer, may_hold);
    case Answer::Kind::kShortWait:
      WriteShortWait(thread, at.time_ns);
      thread.short_wait = {at.time_ns, false, answer.wait.cause};
      return true;
    case Answer::Kind::kReason:
      AddRow(thread, at, {}, stacks_.MakeReasonStack(answer.problem));
      return true;
    case Answer::Kind::kUnreadable:
      AddRow(thread, at, answer.wait, stacks_.MakeReasonStack(StackProblem::kUnreadable));
      return true;
    case Answer::Kind::kFilteredOut:
      WriteFilteredOut(thread);
      return true;
  }
  return true;
}

bool AnswerWriter::WriteRunning(const Answer& answer, bool may_hold) {
  SampledThread& thread = *answer.thread;
  const CaptureBuffer& capture = *answer.capture;
  std::span<const StackFrame> stack = {};
  if (setting_.any_stacks) {
    stack = stacks_.FromCapture(capture, setting_.native_stacks);
    if (may_hold && stacks_.has_unknown_code()) return false;
  }
  NoteCapture(thread, capture);
  if (capture.labels == nullptr && setting_.any_stacks &&
      threads_.HasSlot(thread, setting_.control->announced.load(std::memory_order_acquire))) {
    // The thread may have opened labels before the capture, which did not know where they are.
    segment_.CountDrop(DropReason::kMovedWhileRead);
    return true;
  }
  // The rows end at the capture. They share its CPU time, and lie in the time that it took.
  const CpuAtTime at_capture = {thread.cpu.AfterPart(answer.cpu, answer.part_ns),
                                std::max(answer.time_ns, thread.last_row_ns)};
  const int64_t used_ns = std::max<int64_t>(thread.cpu.Unsampled(at_capture), 0);
  int64_t row_ns = std::max(thread.last_row_ns, at_capture.time_ns - used_ns);
  for (int64_t left = answer.rows; left > 0; --left) {
    row_ns += (at_capture.time_ns - row_ns) / left;
    const int64_t cpu_ns = thread.cpu.AfterPart(at_capture, thread.cpu.Unsampled(at_capture) / left);
    if (!AddRow(thread, {cpu_ns, row_ns}, {}, stack)) continue;
    CountTaken();
  }
  header_.samples_by_clock[static_cast<size_t>(capture.clock)].fetch_add(1, std::memory_order_relaxed);
  return true;
}

void AnswerWriter::NoteCapture(SampledThread& thread, const CaptureBuffer& capture) {
  const uint64_t pause_ns = cycles_.DurationNs(capture.end_cycles - capture.begin_cycles);
  header_.pause_counts[PauseBucket(pause_ns)].fetch_add(1, std::memory_order_relaxed);
  header_.handler_ns.fetch_add(pause_ns, std::memory_order_relaxed);
  if (capture.labels_missing > 0) segment_.CountDrop(DropReason::kLabelOverflow, capture.labels_missing);
  if (!capture.unknown_stack && !capture.reached_stack_end) {
    thread.wanted_copy_bytes = CapturePool::RoomFor(thread.stack.high - capture.copied_from);
  }
}

bool AnswerWriter::WriteWaiting(const Answer& answer, bool may_hold) {
  SampledThread& thread = *answer.thread;
  std::span<const StackFrame> stack = {};
  if (setting_.any_stacks) {
    stack = stacks_.FromBlocked(answer.place, answer.copy, answer.labels, thread.stack, setting_.native_stacks);
    if (may_hold && stacks_.has_unknown_code()) return false;
  }
  const CpuAtTime at = {answer.cpu.cpu_ns, std::max(answer.time_ns, thread.last_row_ns)};
  if (AddRow(thread, at, answer.wait, stack)) CountTaken();
  // A thread without announced bounds gets the range that this stack has shown.
  if (thread.slot == nullptr && !thread.is_main && setting_.any_stacks && stacks_.reached_start()) {
    const uint64_t sp = answer.place.sp;
    thread.stack =
        StackBoundsLookup::FromSample(modules_.table().RegionAt(sp), thread.stack, sp, stacks_.outermost_sp());
  }
  return true;
}

// If the thread has rows, the profile says that it has no more.
void AnswerWriter::WriteFilteredOut(SampledThread& thread) {
  if (samples_.AddFilteredOut(thread.index, &thread.last_sample)) {
    thread.cpu = {};
    thread.ready = {};
    thread.short_wait = {};
  }
}

// The CPU time of the thread's next row ends the wait. If nothing is left of it, it has no row.
void AnswerWriter::WriteShortWait(SampledThread& thread, int64_t latest_ns) {
  const OpenWait wait = std::exchange(thread.short_wait, {});
  const int64_t time_ns = std::min(wait.since_ns, latest_ns);
  if (time_ns <= thread.last_row_ns || IsPaused(time_ns)) return;
  SampleInfo row{thread.index, time_ns};
  row.wait.cause = wait.cause;
  row.cpu_ns = setting_.cpu ? 0 : -1;
  row.last = &thread.last_sample;
  thread.last_row_ns = time_ns;
  samples_.Add(row, {});
}

// Returns whether sampling was paused at a time that has passed.
bool AnswerWriter::IsPaused(int64_t time_ns) const {
  const int64_t since_ns = header_.paused_since_ns.load(std::memory_order_relaxed);
  return (since_ns != 0 && time_ns > since_ns) || (time_ns > pause_begin_ns_ && time_ns < pause_end_ns_);
}

bool AnswerWriter::AddRow(SampledThread& thread, const CpuAtTime& at, const Wait& wait,
                          std::span<const StackFrame> stack) {
  if (!thread.selected || at.cpu_ns < 0) return false;
  // The CPU time goes to the next row.
  if (IsPaused(at.time_ns)) {
    segment_.CountDrop(DropReason::kUnanswered);
    return false;
  }
  SampleInfo row{thread.index, at.time_ns};
  row.wait = wait;
  row.last = &thread.last_sample;
  using RowKind = SampledThreadCpu::RowKind;
  const RowKind kind = wait.cause != WaitCause::kNone    ? RowKind::kWaiting
                       : thread.timer.is_of_two_clocks() ? RowKind::kCounting
                                                         : RowKind::kRunning;
  const int64_t used_ns = thread.cpu.Charge(at, kind);
  if (setting_.cpu) {
    if (thread.ready_total_ns < 0) thread.ready_total_ns = view_.ReadyNs(thread, used_ns > 0);
    if (thread.ready_total_ns >= 0) row.ready_ns = thread.ready.Charge(thread.ready_total_ns, at.time_ns, used_ns);
    row.cpu_ns = used_ns;
    if (used_ns > 0) header_.sampled_cpu_ns.fetch_add(static_cast<uint64_t>(used_ns), std::memory_order_relaxed);
  }
  if (thread.short_wait.is_open()) WriteShortWait(thread, at.time_ns - std::max<int64_t>(used_ns, 0) - row.ready_ns);
  thread.last_row_ns = at.time_ns;
  return samples_.Add(row, stack);
}

}  // namespace geckoprof
