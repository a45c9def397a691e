#ifndef GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_

#include <cstddef>
#include <vector>

#include "geckoprof/base/ids.h"
#include "sampler/sampled_thread.h"

namespace geckoprof {

// SampledThreadMap: finds a thread by its id in constant time, however many there are and come and go.
//
//   rows: | | A | B | | C | |    a power of two, at most half of them in use; a thread stands in the row that its id
//                                says, or in the first free one after it
//
// Invariant: no row between a thread's own and the one it stands in is free. Borrows the threads. Threads: owned by the
// sampler. Context: not signal context; allocates.
class SampledThreadMap {
 public:
  // Null if there is none.
  SampledThread* Find(ThreadId tid) const;
  // REQUIRES: none of this id is in.
  void Add(SampledThread* thread);
  // REQUIRES: one of this id is in.
  void Remove(ThreadId tid);

 private:
  size_t RowOf(ThreadId tid) const;
  size_t After(size_t row) const { return (row + 1) & (rows_.size() - 1); }
  void Put(SampledThread* thread);

  std::vector<SampledThread*> rows_;
  size_t count_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_SAMPLED_THREAD_MAP_H_
