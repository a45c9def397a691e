#include "threads_by_tid.h"

#include <algorithm>

namespace geckoprof {

ThreadsByTid::ThreadsByTid(std::span<const ThreadRow> threads) {
  lives_.reserve(threads.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    const int64_t ended_ns = threads[i].unregistered_ns;
    lives_.push_back({threads[i].tid, static_cast<int32_t>(i), ended_ns != 0 ? ended_ns : INT64_MAX});
  }
  std::sort(lives_.begin(), lives_.end(),
            [](const Life& a, const Life& b) { return a.tid != b.tid ? a.tid < b.tid : a.row < b.row; });
  for (size_t i = 1; i < lives_.size(); ++i) {
    if (lives_[i].tid == lives_[i - 1].tid) {
      lives_[i].until_ns = std::max(lives_[i].until_ns, lives_[i - 1].until_ns);
    }
  }
}

int32_t ThreadsByTid::At(int32_t tid, int64_t time_ns) const {
  const auto found = std::partition_point(lives_.begin(), lives_.end(), [&](const Life& life) {
    return life.tid != tid ? life.tid < tid : life.until_ns < time_ns;
  });
  if (found != lives_.end() && found->tid == tid) return found->row;
  return found != lives_.begin() && found[-1].tid == tid ? found[-1].row : kNone;
}

}  // namespace geckoprof
