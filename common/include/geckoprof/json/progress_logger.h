#ifndef GECKOPROF_JSON_PROGRESS_LOGGER_H_
#define GECKOPROF_JSON_PROGRESS_LOGGER_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/json/proportion_value.h"

namespace geckoprof {

// How far a long piece of work has come, as another thread may read it at any time.
// Both words are written by the working thread, relaxed: a reader shows them to a person, no data hangs on them.
struct ProgressState {
  std::atomic<uint32_t> proportion_bits{0};
  std::atomic<const char*> location{""};  // a literal

  ProportionValue proportion() const {
    return ProportionValue::FromBits(proportion_bits.load(std::memory_order_relaxed));
  }
};

// ProgressLogger: one part of a long piece of work, as a range within the whole. A function that is given a logger
// counts from 0 to 1 and need not know which share of the whole it is.
//
//   whole  0 -------------- 0.2 ---------------------------- 1
//                            |  CreateSubLogger(0.2, 1)      |
//   part                     0 -------- 0.5 ---------------- 1
//
// A destroyed logger has reached its end, so a sub-logger that never said anything still moves the whole on.
// Threads: one working thread. Lifetime: the state must outlive the logger. A null state: nothing is recorded.
class ProgressLogger {
 public:
  // `end_location`, a literal, is what this part leaves behind when it is done.
  explicit ProgressLogger(ProgressState* state, const char* start_location = "", const char* end_location = "");
  ~ProgressLogger();
  ProgressLogger(const ProgressLogger&) = delete;
  ProgressLogger& operator=(const ProgressLogger&) = delete;

  // The share of the whole that is done, or invalid without a state.
  ProportionValue global_proportion() const;

  // `local`: the share of this part that is done. `location`: a literal that names the step.
  void SetLocalProgress(ProportionValue local, const char* location);

  // The part of this part between two shares of it.
  ProgressLogger CreateSubLogger(ProportionValue from, ProportionValue to, const char* location = "");
  // Turn `index` of `count` equal ones between two shares of this part.
  ProgressLogger CreateLoopSubLogger(ProportionValue from, ProportionValue to, uint32_t index, uint32_t count,
                                     const char* location = "");

 private:
  ProgressLogger(ProgressState* state, ProportionValue start, ProportionValue end, const char* start_location,
                 const char* end_location);
  ProportionValue ToGlobal(ProportionValue local) const;
  void Publish(ProportionValue global, const char* location);

  ProgressState* const state_;
  const ProportionValue start_;
  const ProportionValue end_;
  const char* const end_location_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_PROGRESS_LOGGER_H_
