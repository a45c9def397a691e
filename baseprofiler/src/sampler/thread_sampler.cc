#include "sampler/thread_sampler.h"

#include <utility>

#include "geckoprof/base/clock.h"

namespace geckoprof {

ThreadSampler::ThreadSampler(const SamplerSetting* setting, const Parts& parts)
    : setting_(*setting),
      modules_(*parts.modules),
      view_(parts.threads),
      pool_(setting->table),
      ticks_(setting->table, setting->control, &setting->segment->header(), setting->best_clock),
      asker_(setting, {parts.threads, parts.modules, &view_, &pool_, &ticks_, &blocked_}),
      collector_(setting, {parts.threads, &view_, &pool_, &ticks_, parts.cycles}),
      writer_(setting, {parts.samples, parts.modules, parts.threads, parts.stacks, &view_, parts.cycles}) {}

void ThreadSampler::Look(int64_t now_ns) {
  asker_.BeginLook(now_ns);
  uint32_t asked_before = 0;
  for (bool is_done = false; !is_done;) {
    collector_.TakeTicks(answers_);
    is_done = asker_.LookOn(answers_);
    const uint32_t asked = asker_.outcome().requests;
    collector_.TakeRequests(asked - std::exchange(asked_before, asked), now_ns, answers_);
    Write(now_ns);
  }
  asker_.EndLook();
}

void ThreadSampler::WriteAnswered() {
  collector_.TakeTicks(answers_);
  collector_.TakeRequests(0, 0, answers_);
  Write(MonotonicNs());
}

void ThreadSampler::ReadModules(int64_t now_ns) {
  WriteAnswered();
  modules_.Refresh(now_ns);
}

void ThreadSampler::Write(int64_t now_ns) {
  if (!writer_.Write(answers_, modules_.MayBeWanted(now_ns))) {
    modules_.Refresh(now_ns);
    writer_.WriteHeld(answers_);
  }
  collector_.GiveBack(answers_);
  blocked_.Clear();
  answers_.clear();
}

void ThreadSampler::UpdateTimers(bool may_tick) {
  asker_.UpdateTimers(may_tick);
  const int64_t paused_ns = setting_.segment->header().paused_since_ns.load(std::memory_order_relaxed);
  if (!may_tick) {
    if (paused_since_ns_ == 0) paused_since_ns_ = paused_ns;
    WriteAnswered();
  } else if (paused_since_ns_ != 0) {
    writer_.SetPause(std::exchange(paused_since_ns_, 0), MonotonicNs());
  }
}

}  // namespace geckoprof
