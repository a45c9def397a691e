#ifndef GECKOPROF_GECKOPROFILER_SAMPLER_WRITTEN_COUNTER_H_
#define GECKOPROF_GECKOPROFILER_SAMPLER_WRITTEN_COUNTER_H_

#include <cstdint>

#include "baseprofiler/counter_abi.h"

namespace geckoprof {

// WrittenCounter: a counter of base that a tick source writes. The first change makes it, so that a counter that never
// changes is in no profile. Base refuses it if there are too many counters, and counts that.
//
// Threads: one at a time.
// Context: not signal context, not the sampler's.
// Lifetime: base's counter stays until End. In a forked child it counts on.
class WrittenCounter {
 public:
  WrittenCounter() = default;
  WrittenCounter(const WrittenCounter&) = delete;
  WrittenCounter& operator=(const WrittenCounter&) = delete;

  // Makes the counter without a change.
  void Begin(geckoprof_detailed_counter_description description, int64_t first) { Make(description, first); }
  // `description` is needed for the first change alone.
  void Add(geckoprof_detailed_counter_description description, int64_t delta);
  void Set(geckoprof_detailed_counter_description description, int64_t before, int64_t value);
  // False: it was not made yet, or base has refused it.
  bool is_there() const { return counter_ != nullptr; }
  // Base keeps the values.
  void End();

 private:
  void Make(geckoprof_detailed_counter_description& description, int64_t first);

  geckoprof_counter* counter_ = nullptr;
  bool was_asked_for_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_SAMPLER_WRITTEN_COUNTER_H_
