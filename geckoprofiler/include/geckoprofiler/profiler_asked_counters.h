// Counters whose values this library asks for. A program that changes a number itself has cheaper ones
// (baseprofiler/counters.h).
//
//   class Cache {
//     std::atomic<size_t> bytes_;
//     geckoprof::AskedCounter counter_{"cache", "Memory", "Bytes in the cache", [this] { return bytes_.load(); },
//                                      {.unit = "bytes"}};
//   };
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_ASKED_COUNTERS_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_ASKED_COUNTERS_H_

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "baseprofiler/profiler_counter.h"
#include "geckoprofiler/c/geckoprof_asked_counters.h"
#include "geckoprofiler/profiler_result.h"
#include "geckoprofiler/profiler_state.h"

namespace geckoprof {

// The display of an AskedCounter, and how often its function is called. The library copies the texts.
struct AskedCounterOptions {
  const char* unit = "";
  const char* color = nullptr;
  CounterGraph graph = CounterGraph::kByCategory;
  bool is_change = false;        // the function returns the change since its last call, and not the value
  double least_interval_ms = 0;  // mean time between two calls at least, up to 1 hour; 0: a call at each look
};

GECKOPROF_BEGIN_HIDDEN_

namespace detail {

inline bool StoreAnswer(const std::optional<int64_t>& answer, int64_t* value) {
  if (answer.has_value()) *value = *answer;
  return answer.has_value();
}
template <typename Integer, typename = std::enable_if_t<std::is_integral_v<Integer>>>
bool StoreAnswer(Integer answer, int64_t* value) {
  *value = static_cast<int64_t>(answer);
  return true;
}

// Calls the function of an AskedCounter. There is no value if it throws.
template <typename Function>
int AskFunction(void* user, int64_t* value) {
#if defined(__cpp_exceptions)
  try {
    return StoreAnswer((*static_cast<Function*>(user))(), value) ? 1 : 0;
  } catch (...) {
    return 0;
  }
#else
  return StoreAnswer((*static_cast<Function*>(user))(), value) ? 1 : 0;
#endif
}

}  // namespace detail

// AskedCounter: a counter for as long as it lives. geckoprof_add_asked_counter describes when its function is called,
// and what it may do. The function returns an integer, or a std::optional<int64_t> that may be empty. If it throws, it
// has no value.
//
// Lifetime: the destructor waits for a call that is under way, unless such a function destroys the object. A static
// object must be made after the objects that its function uses.
// Threads: any. Context: not signal context.
class AskedCounter {
 public:
  template <typename Function>
  AskedCounter(const char* name, const char* category, const char* description, Function&& function,
               const AskedCounterOptions& options = {}) {
    using Owned = std::decay_t<Function>;
    Owned* const owned = detail::OwnCallback<Owned>(std::forward<Function>(function));
    if (owned == nullptr) return;
    geckoprof_asked_counter asked = GECKOPROF_ASKED_COUNTER(name, category, description, &detail::AskFunction<Owned>);
    asked.flags = options.is_change ? GECKOPROF_ASKED_CHANGE : 0;
    asked.unit = options.unit;
    asked.color = options.color;
    asked.graph = options.graph == CounterGraph::kRate          ? GECKOPROF_COUNTER_RATE
                  : options.graph == CounterGraph::kAccumulated ? GECKOPROF_COUNTER_ACCUMULATED
                                                                : 0;
    asked.least_interval_ns = static_cast<int64_t>(options.least_interval_ms * 1e6);
    asked.user = owned;
    asked.release = [](void* user) { delete static_cast<Owned*>(user); };
    outcome_.status = static_cast<ProfilerStatus>(geckoprof_add_asked_counter(&asked, &id_));
  }
  ~AskedCounter() {
    if (id_ != 0) (void)geckoprof_remove_asked_counter(id_);
  }
  AskedCounter(const AskedCounter&) = delete;
  AskedCounter& operator=(const AskedCounter&) = delete;

  // Returns the reason why there is no such counter: kBadArgument, kNoBase, kOwned, kNoMemory, or kRefused (there
  // are 512). Otherwise it is kDone.
  const ProfilerOutcome& outcome() const { return outcome_; }

 private:
  uint64_t id_ = 0;
  ProfilerOutcome outcome_ = {ProfilerStatus::kNoMemory, {}};
};

GECKOPROF_END_VISIBILITY_

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_ASKED_COUNTERS_H_
