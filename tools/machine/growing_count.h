#ifndef GECKOPROF_TOOLS_MACHINE_GROWING_COUNT_H_
#define GECKOPROF_TOOLS_MACHINE_GROWING_COUNT_H_

#include <cstdint>

namespace geckoprof {

// GrowingCount adds up what a count of the kernel grows, from the first reading on.
//
//   readings   900   950   1000 | 20     range 1024: +50 +50 +44
//                               wraps
//
// A count without a range that falls has begun anew, as of a network interface with an old name. It adds nothing.
// Threads: one.
class GrowingCount {
 public:
  // The count begins anew at `range`. 0: it never does. It grows by `most_per_second`, and `most_at_once` beyond that.
  GrowingCount(uint64_t range, uint64_t most_per_second, uint64_t most_at_once)
      : range_(range), most_per_second_(most_per_second), most_at_once_(most_at_once) {}

  // Returns false if the count cannot have grown so much. It adds nothing then.
  bool Add(uint64_t reading, int64_t now_ns);

  bool is_begun() const { return read_ns_ != 0; }
  uint64_t total() const { return total_; }

 private:
  uint64_t range_;
  uint64_t most_per_second_, most_at_once_;
  uint64_t last_ = 0, total_ = 0;
  int64_t read_ns_ = 0;  // time of the last reading; 0: there was none
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_GROWING_COUNT_H_
