#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_

#include <cstddef>
#include <vector>

#include "geckoprof/base/ids.h"
#include "sampler/sampled_thread.h"

namespace geckoprof {

// SampledThreadMap: finds a thread by its id in constant time. Threads may come and go.
//
//   rows: | | A | B | | C | |    a power of two, at most half of them in use; a thread stands in the row of its id, or
//                                in the first free row after it
//
// Invariants: no row between a thread's own row and its actual row is free. The map borrows the threads.
// Threads: owned by the sampler.
// Context: not signal context. It allocates.
class SampledThreadMap {
 public:
  // Returns null if the map has no thread with this id.
  SampledThread* Find(ThreadId tid) const;
  // REQUIRES: the map has no thread with this id.
  void Add(SampledThread* thread);
  // REQUIRES: the map has a thread with this id.
  void Remove(ThreadId tid);

 private:
  size_t FindRow(ThreadId tid) const;
  size_t NextRow(size_t row) const { return (row + 1) & (rows_.size() - 1); }
  void Insert(SampledThread* thread);

  std::vector<SampledThread*> rows_;
  size_t count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_
