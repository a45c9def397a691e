// A base for tests: the table of the handover over a few variables, and no sampler but the test itself.
#ifndef GECKOPROF_TESTS_UNIT_GECKOPROFILER_FAKE_BASE_H_
#define GECKOPROF_TESTS_UNIT_GECKOPROFILER_FAKE_BASE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "baseprofiler/counter_abi.h"
#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// FakeBase: one at a time, since the table's functions have no argument that could tell several apart.
class FakeBase {
 public:
  FakeBase();
  ~FakeBase();
  FakeBase(const FakeBase&) = delete;
  FakeBase& operator=(const FakeBase&) = delete;

  HandoverTable table;

  // What the table's functions say and do.
  int32_t take_over_result = 0, hand_back_result = 0, start_result = 0, sample_result = 0;
  std::atomic<uint32_t> state{0};
  std::atomic<int64_t> started_ns{0};
  std::atomic<const OwnerTable*> owner{nullptr};
  std::mutex parameters_lock;
  HandoverParameters parameters = {};
  std::vector<std::string> filters;
  std::vector<const char*> filter_pointers;
  const void* segment = nullptr;
  uint64_t segment_bytes = 0;
  // Calls by name, in order: "start", "stop", "paused 6", "reconfigure", "sample 7".
  std::vector<std::string> calls;
  // Counters that were made through base's API, destroyed ones included.
  struct Counter {
    std::string name, unit;
    uint32_t flags = 0;
    int64_t first = 0, period_ns = 0;
    std::atomic<bool> has_ended{false};
    geckoprof_counter cell = {};

    int64_t value() const { return __atomic_load_n(&cell.count, __ATOMIC_RELAXED); }
  };
  std::mutex counters_lock;
  size_t most_counters = SIZE_MAX;  // a further one is refused
  std::vector<std::unique_ptr<Counter>> counters;
  // Returns the latest of this name, or null.
  const Counter* FindCounter(const std::string& name);
  // Texts of the markers that were made through base's API.
  std::vector<std::string> markers;

  // As base's own API does it, on the calling thread.
  void StartByBase();
  void StopByBase();
  void ChangeByBase(uint32_t new_state);
  void Tick(int64_t tick_ns, bool sampled) {
    const OwnerTable* const told = owner;
    told->tick(told->context, tick_ns, sampled ? 1 : 0);
  }

  void Keep(const HandoverParameters& wanted);
  // Base serialises its changes too.
  void NotifyOwner() {
    if (const OwnerTable* const told = owner) told->state_changed(told->context, state);
  }
  static FakeBase* current;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_GECKOPROFILER_FAKE_BASE_H_
