// Rules of one thread's cache that other threads may read.
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

// SharedRules is the table of one RuleCache. All threads may read it while its owner changes it.
//
//   owner:   sequence + 1 (odd) | entries, or another table | sequence + 1 (even)
//   reader:  StartRead: reads the table and the sequence, which must be even
//            Find, Find, ... may return nonsense meanwhile, but read nothing outside the tables
//            IsValid: the sequence is unchanged, so all results are right
//
// The tables are memory of the kernel that is never unmapped, because a reader may be late. There is one of each size,
// and together they have at most 1.4 MiB. An object must be constant-initialised and static.
//
// Threads: one owner at a time, any number of readers. Context: any for readers, signal context included. They take no
// lock and never wait.
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

    // Works like RuleCache::Find.
    bool Find(uint64_t address, CompactRule& rule) const;
  };
  // Returns false if there are no rules, or if they are being changed.
  bool StartRead(View& view) const;
  bool IsValid(const View& view) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return sequence_.load(std::memory_order_relaxed) == view.sequence;
  }

  // --- for the owner ---

  // Ends a change by an owner that does not exist any more, such as the parent's thread after a fork.
  void EndAbandonedChange();
  void BeginChange() {
    sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  void EndChange() { sequence_.store(sequence_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  // Must be called within a change. Null entries mean that there are no rules.
  void Publish(const RuleEntry* entries, unsigned set_bits, uint64_t tag);
  static void Write(RuleEntry* place, RuleEntry entry);

  // Returns populated, zeroed memory for a table, or null if the kernel provides none. There may be kTables sizes.
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

// An address can only be in the entries of one set, which is a cache line. RuleSetIndex returns the index of its first
// entry.
inline constexpr size_t kRuleSetEntries = 4;
constexpr size_t RuleSetIndex(uint64_t address, unsigned set_bits) {
  return kRuleSetEntries * static_cast<size_t>((address * 0x9e3779b97f4a7c15) >> (64 - set_bits));
}

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_SHARED_RULES_H_
