// Rules of addresses met before.
#ifndef GECKOPROF_UNWIND_RULE_CACHE_H_
#define GECKOPROF_UNWIND_RULE_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/unwind/compact_rule.h"
#include "geckoprof/unwind/shared_rules.h"

namespace geckoprof {

// RuleCache: four entries a set, which is a cache line; a set is found by a hash of the address.
//
//   entry, 16 bytes: | address, 48 bits | generation, 16 bits | CompactRule |
//
// The generation is that of the last module removed (ModuleTable::removal_generation): a changed one makes all entries
// miss. When its 16 bits come round the table is cleared. Return addresses go to the first place of their set and move
// the older ones on; innermost addresses, which seldom come again, go to a free place or the last one. The table begins
// small and is replaced by one four times its size when half of it is used: a hash scatters the entries over all pages,
// and the first touch of a page costs more than finding a rule (0.4 to 3 us). Without memory from the kernel every
// look-up misses, or the table stays as large as it is. Where it is shared, other threads read it meanwhile
// (SharedRules). Threads: owned by the sampler thread. Context: system calls when it grows, three times at most.
class RuleCache {
 public:
  RuleCache() : RuleCache(nullptr) {}
  // `shared`, if there is one, shows this cache's rules until its end.
  explicit RuleCache(SharedRules* shared);
  ~RuleCache();
  RuleCache(const RuleCache&) = delete;
  RuleCache& operator=(const RuleCache&) = delete;

  void SetGeneration(uint32_t generation);
  // The rule for `address`, or null.
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

  // A compiler at work has more warm addresses than any other program tried: clang -O2, 2,000 samples again and again,
  // took 52 ns a frame with 16 Ki entries and 22 with 64 Ki. 16 KiB at first, 1 MiB at most.
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
