#include "geckoprof/unwind/rule_cache.h"

#include <cstring>

namespace geckoprof {

namespace {

constexpr unsigned kAddressBits = 48;
constexpr uint32_t kGenerations = (1u << (64 - kAddressBits)) - 1;  // tags 1 to 65535

uint64_t TagOf(uint32_t generation) { return uint64_t{generation % kGenerations + 1} << kAddressBits; }

}  // namespace

RuleCache::RuleCache() : memory_(PageMemory::Map(kEntries * sizeof(Entry))), tag_(TagOf(0)) {
  static_assert(sizeof(Entry) == 16);
  entries_ = reinterpret_cast<Entry*>(memory_.data());
}

void RuleCache::SetGeneration(uint32_t generation) {
  if (generation == generation_) return;
  // More than a full round of tags may have passed unseen only if so many modules went between two samples.
  const bool came_round = generation / kGenerations != generation_ / kGenerations;
  generation_ = generation;
  tag_ = TagOf(generation);
  if (came_round && entries_ != nullptr) std::memset(memory_.data(), 0, memory_.size_bytes());
}

void RuleCache::Store(uint64_t address, CompactRule rule, bool is_return_address) {
  if (entries_ == nullptr || (address >> kAddressBits) != 0) return;
  Entry* set = SetOf(address);
  const uint64_t key = address ^ tag_;
  if (is_return_address) {
    set[1] = set[0];
    set[0] = {key, rule};
  } else {
    set[1] = {key, rule};
  }
}

}  // namespace geckoprof
