#include "sampler/sampled_thread_map.h"

#include <cstdint>
#include <utility>

namespace geckoprof {

namespace {

constexpr size_t kFirstRows = 64;

}  // namespace

// The kernel gives ids in sequence. The hash puts neighbouring ids far from each other.
size_t SampledThreadMap::FindRow(ThreadId tid) const {
  const uint64_t mixed = static_cast<uint32_t>(tid.ToNumber()) * uint64_t{0x9e3779b97f4a7c15};
  return static_cast<size_t>(mixed >> 32) & (rows_.size() - 1);
}

SampledThread* SampledThreadMap::Find(ThreadId tid) const {
  if (rows_.empty()) return nullptr;
  size_t row = FindRow(tid);
  while (rows_[row] != nullptr && rows_[row]->tid != tid) row = NextRow(row);
  return rows_[row];
}

void SampledThreadMap::Insert(SampledThread* thread) {
  size_t row = FindRow(thread->tid);
  while (rows_[row] != nullptr) row = NextRow(row);
  rows_[row] = thread;
}

void SampledThreadMap::Add(SampledThread* thread) {
  if (2 * (count_ + 1) > rows_.size()) {
    std::vector<SampledThread*> before(rows_.empty() ? kFirstRows : 2 * rows_.size());
    std::swap(before, rows_);
    for (SampledThread* const moved : before) {
      if (moved != nullptr) Insert(moved);
    }
  }
  Insert(thread);
  ++count_;
}

void SampledThreadMap::Remove(ThreadId tid) {
  size_t free = FindRow(tid);
  while (rows_[free]->tid != tid) free = NextRow(free);
  rows_[free] = nullptr;
  --count_;
  // A thread after the gap moves into it, unless its own row lies after the gap.
  for (size_t row = NextRow(free); rows_[row] != nullptr; row = NextRow(row)) {
    const size_t own = FindRow(rows_[row]->tid), mask = rows_.size() - 1;
    if (((row - own) & mask) < ((row - free) & mask)) continue;
    rows_[free] = std::exchange(rows_[row], nullptr);
    free = row;
  }
}

}  // namespace geckoprof
