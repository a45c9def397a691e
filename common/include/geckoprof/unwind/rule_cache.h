// Caches the rules of addresses.
#ifndef GECKOPROF_UNWIND_RULE_CACHE_H_
#define GECKOPROF_UNWIND_RULE_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/shared_rules.h"

namespace geckoprof {

// RuleCache is a table of sets. A hash of the address selects the set, which is a cache line with four entries.
//
//   entry, 16 bytes: | address, 48 bits | generation, 16 bits | CompactRule |
//
// The generation is that of the last module removal (ModuleTable::removal_generation). If it changes, all entries miss.
// The table is cleared when the 16 bits wrap.
//
// Return addresses go to the first place of their set and move the older entries on. Innermost addresses seldom come
// again, so they go to a free place or to the last one.
//
// The table begins small. When half of it is used, a table of four times its size replaces it. A hash spreads the
// entries over all pages, and the first touch of a page costs more than finding a rule. If the kernel provides no
// memory, the table stays as large as it is, or every look-up misses.
//
// Threads: owned by the sampler thread. If the table is shared, other threads read it meanwhile (SharedRules). Context:
// system calls when it grows, at most three times.
class RuleCache {
 public:
  RuleCache() : RuleCache(nullptr) {}
  // `shared` may be null. Otherwise it publishes the rules of this cache while the cache lives.
  explicit RuleCache(SharedRules* shared);
  ~RuleCache();
  RuleCache(const RuleCache&) = delete;
  RuleCache& operator=(const RuleCache&) = delete;

  void SetGeneration(uint32_t generation);
  // Returns the rule for `address`, or null.
  const CompactRule* Find(uint64_t address) const {
    const RuleEntry* set = FindSet(address);
    if (set == nullptr) return nullptr;
    const uint64_t key = address ^ tag_;
    for (const RuleEntry* entry = set; entry != set + kRuleSetEntries; ++entry) {
      if (entry->key == key) return &entry->rule;
    }
    return nullptr;
  }
  void Store(uint64_t address, CompactRule rule, bool is_return_address);

  // The table has 16 KiB at first and 1 MiB at most. A compiler at work has more warm addresses than other programs.
  // With a quarter of the entries, each frame of clang takes twice as long.
  static constexpr size_t kFirstEntries = 1024;
  static constexpr size_t kMaxEntries = 64 * 1024;
  size_t entry_count() const { return entries_ == nullptr ? 0 : kRuleSetEntries << set_bits_; }

 private:
  class Change;

  RuleEntry* FindSet(uint64_t address) const {
    return entries_ == nullptr ? nullptr : entries_ + RuleSetIndex(address, set_bits_);
  }
  bool IsCurrent(const RuleEntry& entry) const;
  bool Allocate(size_t entry_count);
  void Grow();
  void Insert(uint64_t address, CompactRule rule, bool is_return_address);

  SharedRules* const shared_;
  PageMemory memory_;  // of a table that is not shared
  RuleEntry* entries_ = nullptr;
  unsigned set_bits_ = 0;
  size_t used_ = 0;        // entries that were ever stored to
  size_t grow_above_ = 0;  // of these
  uint64_t tag_ = 0;       // generation in the top 16 bits; never 0, so that empty entries match nothing
  uint32_t generation_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_RULE_CACHE_H_
