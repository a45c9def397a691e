#include "counters/counter_table.h"

#include <string.h>

#include <new>
#include <type_traits>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/utf8.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

constinit GECKOPROF_LARGE_STORAGE CounterTable g_counters;
static_assert(std::is_trivially_destructible_v<CounterTable>);
static_assert(offsetof(CounterSlot, cell) == 0 && sizeof(geckoprof_counter) <= 64);
static_assert(CounterTable::kSlots % 64 == 0);

// Copies a text, cuts it at the start of a UTF-8 character, and terminates it. Returns true if the text was cut.
template <size_t kBytes>
bool CopyText(const char* text, char (&to)[kBytes]) {
  const size_t given = text == nullptr ? 0 : strnlen(text, kBytes);
  const size_t size = Utf8Cut({text, given}, kBytes - 1).size();
  if (text != nullptr) memcpy(to, text, size);
  to[size] = '\0';
  return size < given;
}

bool IsComplete(const geckoprof_counter_description* description) {
  return description != nullptr && description->size_bytes >= sizeof(*description) && description->name != nullptr &&
         description->name[0] != '\0';
}

// Adds the default graph if the description names none.
uint32_t CompleteFlags(const geckoprof_counter_description& description) {
  constexpr uint32_t kGraphs = GECKOPROF_COUNTER_RATE | GECKOPROF_COUNTER_ACCUMULATED;
  const uint32_t number = description.flags & GECKOPROF_COUNTER_HAS_NUMBER;
  if ((description.flags & kGraphs) != 0) {
    const bool rate = (description.flags & GECKOPROF_COUNTER_RATE) != 0;
    return number | (rate ? GECKOPROF_COUNTER_RATE : GECKOPROF_COUNTER_ACCUMULATED);
  }
  const bool memory = description.category != nullptr && strcmp(description.category, "Memory") == 0;
  return number | (memory ? GECKOPROF_COUNTER_ACCUMULATED : GECKOPROF_COUNTER_RATE);
}

}  // namespace

CounterTable& CounterTable::Get() { return g_counters; }

geckoprof_counter* CounterTable::Create(const geckoprof_counter_description* description, bool recording) {
  if (!IsComplete(description)) return nullptr;
  const TableLock::Holder holder(lock_);
  return CreateLocked(description, recording);
}

geckoprof_counter* CounterTable::CreateOnce(geckoprof_counter** place, const geckoprof_counter_description* description,
                                            bool recording) {
  if (place == nullptr || !IsComplete(description)) return nullptr;
  const TableLock::Holder holder(lock_);
  geckoprof_counter* counter = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (counter != nullptr) return counter;
  counter = CreateLocked(description, recording);
  if (counter != nullptr) __atomic_store_n(place, counter, __ATOMIC_RELEASE);
  return counter;
}

geckoprof_counter* CounterTable::CreateLocked(const geckoprof_counter_description* description, bool recording) {
  const uint32_t index = AcquireSlot(recording);
  if (index == kNoSlot) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  CounterSlot& slot = SlotAt(index);
  ++slot.generation;
  slot.flags = CompleteFlags(*description);
  slot.since_ns = MonotonicNs();
  const auto* const details = reinterpret_cast<const geckoprof_detailed_counter_description*>(description);
  const bool is_detailed = description->size_bytes >= sizeof(*details);
  slot.period_ns = is_detailed ? details->period_ns : 0;
  slot.since_count = is_detailed ? details->first_count : 0;
  slot.since_number = 0;
  slot.is_forked = false;
  slot.is_cut = CopyText(description->name, slot.name);
  slot.is_cut |= CopyText(description->category, slot.category);
  slot.is_cut |= CopyText(description->description, slot.description);
  slot.is_cut |= CopyText(description->unit, slot.unit);
  CopyText(description->color, slot.color);  // A cut color is unknown to the viewer, and the reader counts that.
  if (slot.period_ns != 0) slot.flags &= ~GECKOPROF_COUNTER_HAS_NUMBER;
  if (slot.period_ns == 0) is_each_tick_due_.store(true, std::memory_order_relaxed);
  __atomic_store_n(&slot.cell.count, slot.since_count, __ATOMIC_RELAXED);
  __atomic_store_n(&slot.cell.number, 0, __ATOMIC_RELAXED);
  states_[index].store(kLive, std::memory_order_release);
  return &slot.cell;
}

// Returns a slot in state kFilling, or kNoSlot. The first choice is a slot that has rested long enough. The second is a
// new slot, and the last is the slot that has rested longest.
uint32_t CounterTable::AcquireSlot(bool recording) {
  const uint32_t used = slots_used_.load(std::memory_order_relaxed);
  uint32_t live = 0, oldest = kNoSlot;
  for (uint32_t i = 0; i < used; ++i) {
    uint32_t state = states_[i].load(std::memory_order_acquire);
    // Without a sampler, no later tick would collect this slot.
    if (state == kEnded && !recording) {
      if (states_[i].compare_exchange_strong(state, kFree, std::memory_order_acq_rel)) state = kFree;
    }
    if (state == kFree && (oldest == kNoSlot || SlotAt(i).freed < SlotAt(oldest).freed)) oldest = i;
    if (state == kLive) ++live;
  }
  if (live >= kMaxCounters) return kNoSlot;
  const bool rested = oldest != kNoSlot && destroyed_ - SlotAt(oldest).freed >= kResting;
  if (!rested && used < kSlots) {
    if (used % kRegionSlots != 0 || MapRegion(used / kRegionSlots)) {
      states_[used].store(kFilling, std::memory_order_relaxed);
      slots_used_.store(used + 1, std::memory_order_release);
      return used;
    }
  }
  if (oldest != kNoSlot) states_[oldest].store(kFilling, std::memory_order_relaxed);
  return oldest;
}

bool CounterTable::MapRegion(uint32_t region) {
  if (regions_[region].load(std::memory_order_relaxed) != nullptr) return true;  // the parent of a fork mapped it
  if (StoppedForGood().load(std::memory_order_relaxed)) return false;            // A seccomp filter may kill for mmap.
  const long result = RawSyscall(SYS_mmap, nullptr, RoundUpTo(kRegionSlots * sizeof(CounterSlot), kPageBytes),
                                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(result)) return false;
  regions_[region].store(reinterpret_cast<CounterSlot*>(result), std::memory_order_release);
  return true;
}

uint32_t CounterTable::IndexOf(const geckoprof_counter* counter) const {
  const auto address = reinterpret_cast<uintptr_t>(counter);
  const uint32_t used = slots_used_.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; i += kRegionSlots) {
    // The program may pass any pointer, so only an exact slot address counts.
    const auto begin = reinterpret_cast<uintptr_t>(regions_[i / kRegionSlots].load(std::memory_order_relaxed));
    if (address < begin || address >= begin + kRegionSlots * sizeof(CounterSlot)) continue;
    const uintptr_t offset = address - begin;
    const auto index = static_cast<uint32_t>(i + offset / sizeof(CounterSlot));
    return offset % sizeof(CounterSlot) == 0 && index < used ? index : kNoSlot;
  }
  return kNoSlot;
}

void CounterTable::Destroy(geckoprof_counter* counter) {
  const TableLock::Holder holder(lock_);
  const uint32_t index = IndexOf(counter);
  if (index == kNoSlot) return;
  uint32_t state = kLive;
  if (!states_[index].compare_exchange_strong(state, kEnding, std::memory_order_acq_rel)) return;
  CounterSlot& slot = SlotAt(index);
  slot.final_count = __atomic_load_n(&slot.cell.count, __ATOMIC_RELAXED);
  slot.final_number = __atomic_load_n(&slot.cell.number, __ATOMIC_RELAXED);
  slot.ended_ns = MonotonicNs();
  slot.freed = ++destroyed_;
  states_[index].store(kEnded, std::memory_order_release);
}

void CounterTable::AfterForkInChild() {
  lock_.ResetInForkedChild();
  const uint32_t used = slots_used_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < used; ++i) {
    // A slot in the middle of a change belongs to a thread of the parent.
    if (states_[i].load(std::memory_order_relaxed) != kLive) {
      states_[i].store(kFree, std::memory_order_relaxed);
      continue;
    }
    CounterSlot& slot = SlotAt(i);
    slot.since_ns = MonotonicNs();
    slot.since_count = __atomic_load_n(&slot.cell.count, __ATOMIC_RELAXED);
    slot.since_number = __atomic_load_n(&slot.cell.number, __ATOMIC_RELAXED);
    slot.is_forked = true;
  }
}

}  // namespace geckoprof
