#include "geckoprof/unwind/shared_rules.h"

#include <cstring>

#include "geckoprof/base/page_memory.h"

namespace geckoprof {
namespace {

RuleEntry Read(const RuleEntry& place) {
  RuleEntry entry;
  __atomic_load(&place.key, &entry.key, __ATOMIC_RELAXED);
  __atomic_load(&place.rule, &entry.rule, __ATOMIC_RELAXED);
  return entry;
}

}  // namespace

bool SharedRules::View::Find(uint64_t address, CompactRule& rule) const {
  const RuleEntry* const set = entries + RuleSetIndex(address, set_bits);
  const uint64_t key = address ^ tag;
  for (const RuleEntry* place = set; place != set + kRuleSetEntries; ++place) {
    const RuleEntry entry = Read(*place);
    if (entry.key != key) continue;
    rule = entry.rule;
    return true;
  }
  return false;
}

bool SharedRules::StartRead(View& view) const {
  view.sequence = sequence_.load(std::memory_order_acquire);
  view.entries = entries_.load(std::memory_order_relaxed);
  view.set_bits = set_bits_.load(std::memory_order_relaxed);
  view.tag = tag_.load(std::memory_order_relaxed);
  // The three belong together only if nothing has changed since.
  return view.sequence % 2 == 0 && view.entries != nullptr && IsValid(view);
}

void SharedRules::EndAbandonedChange() {
  const uint32_t sequence = sequence_.load(std::memory_order_relaxed);
  if (sequence % 2 == 0) BeginChange();
  Publish(nullptr, 0, 0);
  EndChange();
}

void SharedRules::Publish(const RuleEntry* entries, unsigned set_bits, uint64_t tag) {
  entries_.store(entries, std::memory_order_relaxed);
  set_bits_.store(set_bits, std::memory_order_relaxed);
  tag_.store(tag, std::memory_order_relaxed);
}

void SharedRules::Write(RuleEntry* place, RuleEntry entry) {
  __atomic_store(&place->key, &entry.key, __ATOMIC_RELAXED);
  __atomic_store(&place->rule, &entry.rule, __ATOMIC_RELAXED);
}

uint8_t* SharedRules::AllocateTable(size_t bytes) {
  for (Table& table : tables_) {
    if (table.memory == nullptr) {
      PageMemory memory = PageMemory::Map(bytes);
      if (!memory) return nullptr;
      memory.Populate();
      table = {memory.Release(), bytes};
      return table.memory;
    }
    if (table.bytes != bytes) continue;
    memset(table.memory, 0, bytes);
    return table.memory;
  }
  return nullptr;
}

}  // namespace geckoprof
