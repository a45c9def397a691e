#include "geckoprof/json/progress_logger.h"

namespace geckoprof {

ProgressLogger::ProgressLogger(ProgressState* state, const char* start_location, const char* end_location)
    : ProgressLogger(state, ProportionValue::Zero(), ProportionValue::One(), start_location, end_location) {}

ProgressLogger::ProgressLogger(ProgressState* state, ProportionValue start, ProportionValue end,
                               const char* start_location, const char* end_location)
    : state_(state), start_(start), end_(end), end_location_(end_location) {
  Publish(start_, start_location);
}

ProgressLogger::~ProgressLogger() { Publish(end_, end_location_); }

ProportionValue ProgressLogger::global_proportion() const {
  return state_ != nullptr ? state_->proportion() : ProportionValue::Invalid();
}

void ProgressLogger::SetLocalProgress(ProportionValue local, const char* location) {
  Publish(ToGlobal(local), location);
}

ProgressLogger ProgressLogger::CreateSubLogger(ProportionValue from, ProportionValue to, const char* location) {
  return ProgressLogger(state_, ToGlobal(from), ToGlobal(to), location, location);
}

ProgressLogger ProgressLogger::CreateLoopSubLogger(ProportionValue from, ProportionValue to, uint32_t index,
                                                   uint32_t count, const char* location) {
  const ProportionValue range = to - from;
  const ProportionValue turn_start = from + range * ProportionValue::FromFraction(index, count);
  const ProportionValue turn_end = from + range * ProportionValue::FromFraction(index + 1, count);
  return ProgressLogger(state_, ToGlobal(turn_start), ToGlobal(turn_end), location, location);
}

ProportionValue ProgressLogger::ToGlobal(ProportionValue local) const {
  if (local == ProportionValue::One() || local.IsOverflow()) return end_;
  return start_ + (end_ - start_) * local;
}

void ProgressLogger::Publish(ProportionValue global, const char* location) {
  if (state_ == nullptr || !global.IsValid()) return;
  state_->proportion_bits.store(global.ToBits(), std::memory_order_relaxed);
  if (location != nullptr && *location != '\0') state_->location.store(location, std::memory_order_relaxed);
}

}  // namespace geckoprof
