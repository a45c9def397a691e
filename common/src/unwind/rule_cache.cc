#include "geckoprof/unwind/rule_cache.h"

#include <bit>
#include <cstring>
#include <utility>

namespace geckoprof {

namespace {

constexpr unsigned kAddressBits = 48;
constexpr uint32_t kGenerations = (1u << (64 - kAddressBits)) - 1;  // tags 1 to 65535

uint64_t MakeTag(uint32_t generation) { return uint64_t{generation % kGenerations + 1} << kAddressBits; }

}  // namespace

// While one exists, readers of a shared table know that it changes.
class RuleCache::Change {
 public:
  explicit Change(const RuleCache& cache) : cache_(cache) {
    if (cache_.shared_ != nullptr) cache_.shared_->BeginChange();
  }
  ~Change() {
    if (cache_.shared_ == nullptr) return;
    cache_.shared_->Publish(cache_.entries_, cache_.set_bits_, cache_.tag_);
    cache_.shared_->EndChange();
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  const RuleCache& cache_;
};

RuleCache::RuleCache(SharedRules* shared) : shared_(shared), tag_(MakeTag(0)) {
  static_assert(sizeof(RuleEntry) == 16);
  if (shared_ != nullptr) shared_->EndAbandonedChange();
}

RuleCache::~RuleCache() {
  const Change change(*this);
  entries_ = nullptr;
}

bool RuleCache::Allocate(size_t entry_count) {
  const size_t bytes = entry_count * sizeof(RuleEntry);
  uint8_t* table = nullptr;
  if (shared_ != nullptr) {
    table = shared_->AllocateTable(bytes);
    if (table == nullptr) return false;
  } else {
    PageMemory memory = PageMemory::Map(bytes);
    if (!memory) return false;
    memory.Populate();
    memory_ = std::move(memory);
    table = memory_.data();
  }
  entries_ = reinterpret_cast<RuleEntry*>(table);
  set_bits_ = static_cast<unsigned>(std::countr_zero(entry_count / kRuleSetEntries));
  used_ = 0;
  grow_above_ = entry_count < kMaxEntries ? entry_count / 2 : entry_count;
  return true;
}

void RuleCache::Grow() {
  PageMemory old_memory = std::move(memory_);
  const RuleEntry* old_entries = entries_;
  const size_t old_count = entry_count();
  if (!Allocate(old_count * 4)) {
    memory_ = std::move(old_memory);
    grow_above_ = old_count;
    return;
  }
  // The last place of a set comes first, so that newer entries again precede older ones.
  for (size_t i = 0; i < old_count; ++i) {
    const RuleEntry& entry = old_entries[i ^ (kRuleSetEntries - 1)];
    if (IsCurrent(entry)) Insert(entry.key ^ tag_, entry.rule, true);
  }
}

bool RuleCache::IsCurrent(const RuleEntry& entry) const {
  return entry.key != 0 && (entry.key ^ tag_) >> kAddressBits == 0;
}

void RuleCache::SetGeneration(uint32_t generation) {
  if (generation == generation_) return;
  // More than a full round of tags may have passed unseen only if so many modules went between two samples.
  const Change change(*this);
  const bool came_round = generation / kGenerations != generation_ / kGenerations;
  generation_ = generation;
  tag_ = MakeTag(generation);
  if (!came_round || entries_ == nullptr) return;
  std::memset(static_cast<void*>(entries_), 0, entry_count() * sizeof(RuleEntry));
  used_ = 0;
}

void RuleCache::Store(uint64_t address, CompactRule rule, bool is_return_address) {
  const Change change(*this);
  if ((address >> kAddressBits) != 0 || (entries_ == nullptr && !Allocate(kFirstEntries))) return;
  if (used_ > grow_above_) Grow();
  Insert(address, rule, is_return_address);
}

void RuleCache::Insert(uint64_t address, CompactRule rule, bool is_return_address) {
  RuleEntry* const set = FindSet(address);
  RuleEntry* const last = set + kRuleSetEntries - 1;
  RuleEntry* place = set;
  while (place != last && IsCurrent(*place)) ++place;
  if (place->key == 0) ++used_;
  for (; is_return_address && place != set; --place) SharedRules::Write(place, place[-1]);
  SharedRules::Write(place, {address ^ tag_, rule});
}

}  // namespace geckoprof
