#ifndef GECKOPROF_READER_THREADS_BY_TID_H_
#define GECKOPROF_READER_THREADS_BY_TID_H_

#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// ThreadsByTid: which thread had a tid at a time: the kernel gives tids again. Threads of one tid are taken to have
// lived in the order of their rows. Lifetime: copies what it needs. Threads: one. Context: allocates.
class ThreadsByTid {
 public:
  explicit ThreadsByTid(std::span<const ThreadRow> threads);

  // The row of the first thread with this tid that had not ended by then; if all had, of the last. kNone: there is
  // none.
  int32_t At(int32_t tid, int64_t time_ns) const;

 private:
  struct Life {
    int32_t tid;
    int32_t row;
    int64_t until_ns;  // until which it or one before it with the same tid lived: never falls within a tid
  };
  std::vector<Life> lives_;  // by tid, then by row
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_THREADS_BY_TID_H_
