// Rules of addresses met before, for others than their owner.
#ifndef GECKOPROF_UNWIND_SHARED_RULES_H_
#define GECKOPROF_UNWIND_SHARED_RULES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "geckoprof/unwind/compact_rule.h"

namespace geckoprof {

// A place in a table of rules. key: address ^ generation << 48 (RuleCache).
struct RuleEntry {
  uint64_t key;
  CompactRule rule;
};

// SharedRules: the table of one RuleCache, which all threads may read while its owner changes it.
//
//   owner:   sequence + 1 (odd) | entries, or another table | sequence + 1 (even)
//   reader:  StartRead: the table, and the sequence, which must be even
//            Find, Find, ... may give nonsense meanwhile; nothing outside of the tables is read
//            IsValid: the sequence is the same still: so all that was found is true
//
// Tables are memory of the kernel's that is never given back, since a reader may be late: one of each size, 1.4 MiB at
// most. To be a constant-initialised object of static storage. Threads: one owner at a time; readers: any. Context of
// readers: any, signal context included; no lock, no wait.
class SharedRules {
 public:
  constexpr SharedRules() = default;
  SharedRules(const SharedRules&) = delete;
  SharedRules& operator=(const SharedRules&) = delete;

  struct View {
    const RuleEntry* entries = nullptr;
    unsigned set_bits = 0;
    uint64_t tag = 0;
    uint32_t sequence = 0;

    // As RuleCache::Find.
    bool Find(uint64_t address, CompactRule& rule) const;
  };
  // False: there are no rules, or they are being changed.
  bool StartRead(View& view) const;
  bool IsValid(const View& view) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return sequence_.load(std::memory_order_relaxed) == view.sequence;
  }

  // --- for the owner ---

  // Whatever was left in the middle by an owner that is no more (the parent's, after fork) is over.
  void EndAbandonedChange();
  void BeginChange() {
    sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  void EndChange() { sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // Within a change. Null: none.
  void Publish(const RuleEntry* entries, unsigned set_bits, uint64_t tag);
  static void Write(RuleEntry* place, RuleEntry entry);

  // Populated memory for a table, all zero. Null: the kernel gives none. At most kTables sizes.
  uint8_t* AllocateTable(size_t bytes);

 private:
  static constexpr size_t kTables = 4;
  struct Table {
    uint8_t* memory;
    size_t bytes;
  };

  std::atomic<uint32_t> sequence_{0};
  std::atomic<const RuleEntry*> entries_{nullptr};
  std::atomic<unsigned> set_bits_{0};
  std::atomic<uint64_t> tag_{0};
  Table tables_[kTables] = {};  // the owner's
};

// The entries that an address may be at are those of one set, which is one cache line: where it begins in a table.
inline constexpr size_t kRuleSetEntries = 4;
constexpr size_t RuleSetIndex(uint64_t address, unsigned set_bits) {
  return kRuleSetEntries * static_cast<size_t>((address * 0x9e3779b97f4a7c15) >> (64 - set_bits));
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_SHARED_RULES_H_
