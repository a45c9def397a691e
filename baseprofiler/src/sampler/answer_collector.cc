#include "sampler/answer_collector.h"

#include <algorithm>

#include "geckoprof/arch/instructions.h"

namespace geckoprof {
namespace {

// Returns the first tick of the thread, or null.
const Answer* FindTick(std::span<const Answer> answers, const SampledThread& thread) {
  const auto found = std::find_if(answers.begin(), answers.end(), [&](const Answer& answer) {
    return answer.thread == &thread && answer.capture != nullptr;
  });
  return found != answers.end() ? &*found : nullptr;
}

}  // namespace

AnswerCollector::AnswerCollector(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      segment_(*setting->segment),
      header_(setting->segment->header()),
      threads_(*parts.threads),
      view_(*parts.view),
      pool_(*parts.pool),
      ticks_(*parts.ticks),
      cycles_(*parts.cycles) {}

void AnswerCollector::TakeTicks(Answers& answers) {
  if (const uint64_t unserved = ticks_.TakeUnserved(); unserved != 0) {
    segment_.CountDrop(DropReason::kNoBuffer, unserved);
  }
  if (const uint64_t skipped = ticks_.TakeSkipped(); skipped != 0) {
    segment_.CountDrop(DropReason::kThrottled, skipped);
  }
  captures_.clear();
  ticks_.TakeAnswered(captures_);
  const size_t first = answers.size();
  for (CaptureBuffer* const capture : captures_) {
    SampledThread* const thread = threads_.Find(ThreadId::FromNumber(capture->tid));
    if (thread == nullptr) {
      ticks_.Release(capture, 0);
      continue;
    }
    // All ticks of a thread share the CPU time up to one reading of its clock.
    const Answer* const earlier = FindTick(std::span(answers).subspan(first), *thread);
    Answer answer{thread, Answer::Kind::kRunning, 0, earlier != nullptr ? earlier->cpu : view_.ReadCpu(thread->tid)};
    // A wait that was noted has ended. Its row comes first.
    const int64_t tick_ns = std::min(cycles_.ToNs(capture->begin_cycles), answer.cpu.time_ns);
    if (thread->wait.is_open() && thread->wait.since_ns < tick_ns) {
      if (!thread->wait.is_shown) {
        answers.push_back(Answer::OfShortWait(*thread, answer.cpu));
      }
      thread->wait = {};
    }
    answer.time_ns = tick_ns;
    answer.capture = capture;
    answer.rows = ticks_.RowsOf(*capture, setting_.interval_ns);
    answers.push_back(answer);
    header_.samples_asked.fetch_add(1, std::memory_order_relaxed);
    if (answer.cpu.cpu_ns >= 0) thread->cpu_baseline_ns = answer.cpu.cpu_ns;
    thread->idle_looks = 0;
    thread->may_have_new_name = true;
    thread->is_signal_blocked = false;
  }
  ShareOut(std::span(answers).subspan(first));
}

// Divides the CPU time of each thread among its ticks.
void AnswerCollector::ShareOut(std::span<Answer> answers) {
  for (Answer& first : answers) {
    if (FindTick(answers, *first.thread) != &first) continue;
    own_ticks_.clear();
    for (Answer& answer : answers) {
      if (answer.thread == first.thread && answer.capture != nullptr) own_ticks_.push_back(&answer);
    }
    if (first.cpu.cpu_ns >= 0) {
      ShareOutOwn(*first.thread);
      CheckTwoClocks(*first.thread);
    } else {
      // The thread has ended, and its clock with it. Its ticks count as the time that they stand for.
      for (Answer* const tick : own_ticks_) {
        tick->cpu.cpu_ns = first.thread->cpu_baseline_ns += ticks_.WeightOf(*tick->capture, setting_.interval_ns);
      }
    }
    first.thread->ticks_read = own_ticks_.back()->cpu;
  }
}

void AnswerCollector::CheckTwoClocks(SampledThread& thread) {
  if (!thread.timer.is_of_two_clocks() || thread.ticks_read.cpu_ns < 0) return;
  const int64_t used_ns = own_ticks_.front()->cpu.cpu_ns - thread.ticks_read.cpu_ns;
  const KernelTicks::Ticks ticks = CountOwn();
  const int64_t events_ns = ticks.events * setting_.interval_ns;
  if (thread.kernel_time.Add(used_ns, events_ns, ticks.timers, ticks_.TimerNs(setting_.interval_ns))) {
    KernelTicks::CloseEvent(thread);
  }
}

KernelTicks::Ticks AnswerCollector::CountOwn() const {
  KernelTicks::Ticks ticks;
  for (const Answer* const tick : own_ticks_) ++ticks.Of(tick->capture->clock);
  return ticks;
}

void AnswerCollector::ShareOutOwn(const SampledThread& thread) {
  KernelTicks::Ticks left = CountOwn();
  int64_t left_ns = std::max<int64_t>(thread.cpu.Unsampled(own_ticks_.front()->cpu), 0);
  for (Answer* const tick : own_ticks_) {
    if (left_ns == 0) return;
    const SampleClock clock = tick->capture->clock;
    int64_t part_ns = ticks_.PartOf(clock, left_ns, left, setting_.interval_ns);
    // A thread uses no more CPU time than passes. The time of lost ticks thus goes to the first tick after them.
    if (const CpuAtTime& before = thread.ticks_read; before.cpu_ns >= 0) {
      const int64_t shared_ns = tick->cpu.cpu_ns - left_ns;
      const int64_t most_ns = std::max<int64_t>(before.cpu_ns + tick->time_ns - before.time_ns - shared_ns, 0);
      part_ns = std::min(part_ns, most_ns + ticks_.WeightOf(*tick->capture, setting_.interval_ns));
    }
    const int64_t later_ns = tick->cpu.time_ns - tick->time_ns + ticks_.MostPendingNs(clock, setting_.interval_ns);
    tick->part_ns = std::max(part_ns, left_ns - later_ns);
    left_ns -= std::min(left_ns, tick->part_ns);
    --left.Of(clock);
  }
}

void AnswerCollector::TakeRequests(uint32_t fresh, int64_t look_ns, Answers& answers) {
  if (fresh == 0 && !awaits_answers_) return;
  const int64_t until_ns = view_.NowNs() + kSpinNs;
  for (uint32_t missing = fresh; missing > 0;) {
    missing -= std::min(missing, TakeAnsweredRequests(true, look_ns, answers));
    SpinHint();
    if (view_.NowNs() >= until_ns) break;
  }
  awaits_answers_ = false;
  TakeAnsweredRequests(false, look_ns, answers);
}

// Returns the number of fresh requests among them.
uint32_t AnswerCollector::TakeAnsweredRequests(bool spins, int64_t look_ns, Answers& answers) {
  uint32_t fresh = 0;
  for (const auto& thread : threads_.threads()) {
    if (thread->pending == nullptr || thread->is_collected) continue;
    if (CapturePool::IsAnswered(thread->pending)) {
      const bool is_fresh = spins && thread->pending_since_ns == look_ns;
      if (TakeRequest(*thread, is_fresh, answers)) ++fresh;
    } else {
      awaits_answers_ = true;
    }
  }
  return fresh;
}

bool AnswerCollector::TakeRequest(SampledThread& thread, bool is_fresh, Answers& answers) {
  const CpuAtTime now = view_.ReadCpu(thread.tid);
  Answer answer{&thread, Answer::Kind::kRunning, 0, now};
  answer.capture = thread.pending;
  answer.time_ns = std::clamp(cycles_.ToNs(thread.pending->begin_cycles), thread.pending_since_ns, now.time_ns);
  answer.cpu.cpu_ns = SampledThreadCpu::AtAnswer(thread.pending_cpu_ns, now, answer.time_ns);
  answers.push_back(answer);
  thread.is_collected = true;
  thread.is_signal_blocked = false;
  // CPU time since an earlier look's request is the thread's own work, and it is sampled now. CPU time since this
  // look's request is base's own handler.
  const int64_t cpu_ns = is_fresh ? view_.CpuNs(thread.tid) : thread.pending_cpu_ns;
  if (cpu_ns >= 0) thread.cpu_baseline_ns = cpu_ns;
  return is_fresh;
}

void AnswerCollector::GiveBack(const Answers& answers) {
  for (const Answer& answer : answers) {
    if (answer.capture == nullptr) continue;
    SampledThread& thread = *answer.thread;
    if (answer.capture == thread.pending) {
      pool_.Release(thread.pending);
      thread.SetPending(nullptr, header_);
      thread.is_collected = false;
    } else {
      ticks_.Release(answer.capture, thread.wanted_copy_bytes);
    }
  }
}

}  // namespace geckoprof
