#include "process_counters/own_process_counters.h"

#include <new>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

// Returns base's description. `unit` holds the text of the unit.
geckoprof_detailed_counter_description Describe(const ProcessCounter& counter, int64_t period_ns, char (&unit)[24]) {
  TextBuilder text(unit);
  text.Text(counter.unit);
  if (counter.parts > 1) text.Text("/").Number(counter.parts);
  geckoprof_detailed_counter_description description = {};
  description.shown.flags = counter.is_rate ? GECKOPROF_COUNTER_RATE : GECKOPROF_COUNTER_ACCUMULATED;
  description.shown.name = counter.name;
  description.shown.category = counter.category;
  description.shown.description = counter.description;
  description.shown.unit = unit;
  description.period_ns = period_ns;
  return description;
}

}  // namespace

OwnProcessCounters::OwnProcessCounters(TickSources* sources)
    : lock_(sources->lock()),
      thread_(sources->AddThread({[](void* self) {
                                    static_cast<OwnProcessCounters*>(self)->Look();
                                    return INT64_MAX;
                                  },
                                  this, "ProcessCounters", /*has_own_files=*/true})) {
  sources->Add(this);
}

void OwnProcessCounters::Begin(const Recording& recording) {
  if (recording.is_counted_by_recorder || !thread_.Start()) return;
  is_on_ = true;
  meter_.emplace(0);
  last_.reset();
  due_ns_.store(0, std::memory_order_relaxed);
}

void OwnProcessCounters::End() {
  is_on_ = false;
  due_ns_.store(INT64_MAX, std::memory_order_relaxed);
  for (WrittenCounter& counter : counters_) counter.End();
}

void OwnProcessCounters::Look() {
  const ForkHolds::Holder holder(lock_);
  if (!is_on_) return;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  const bool is_first = meter_->usage().start_ticks == 0;
  const ProcessMeter::Look look = meter_->TakeLook();
  // Without /proc nothing is known. The sampler needs it, too, and says so in the profile.
  if (look == ProcessMeter::Look::kGone) return;
  if (look == ProcessMeter::Look::kChanged) Write(meter_->usage());
  // The first look takes far more time than the others.
  const int64_t pause_ns = ProcessMeter::PauseNsAfter(is_first ? 0 : CurrentThreadCpuNs() - begin_cpu_ns);
  due_ns_.store(MonotonicNs() + pause_ns, std::memory_order_relaxed);
}

void OwnProcessCounters::Write(const ProcessUsage& usage) {
  const ProcessUsage before = last_.value_or(usage);
  last_ = usage;
  for (size_t i = 0; i < kProcessCounterCount; ++i) {
    const ProcessCounter& counter = kProcessCounters[i];
    const uint64_t value = usage.*counter.value, old = before.*counter.value;
    if (value == ProcessUsage::kUnknown || old == ProcessUsage::kUnknown || (counter.is_rate && value < old)) continue;
    char unit[24];
    const geckoprof_detailed_counter_description description = Describe(counter, kPeriodNs, unit);
    if (counter.is_rate) {
      counters_[i].Add(description, static_cast<int64_t>(value - old));
    } else {
      counters_[i].Set(description, static_cast<int64_t>(old), static_cast<int64_t>(value));
    }
  }
}

void OwnProcessCounters::AfterForkInChild(bool held) {
  if (!held) {  // the parent's thread was in the middle of a look
    new (&meter_) std::optional<ProcessMeter>;
    new (&last_) std::optional<ProcessUsage>;
  }
  if (!is_on_) return;
  // The kernel counts from the fork on. Levels are those of the parent at first.
  meter_.emplace(0);
  if (last_.has_value()) {
    last_ = ProcessUsage{.resident_bytes = last_->resident_bytes,
                         .read_bytes = 0,
                         .written_bytes = 0,
                         .thread_count = last_->thread_count};
  }
  due_ns_.store(0, std::memory_order_relaxed);
}

}  // namespace geckoprof
