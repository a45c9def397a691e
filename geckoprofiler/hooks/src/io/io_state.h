#ifndef GECKOPROF_HOOKS_IO_IO_STATE_H_
#define GECKOPROF_HOOKS_IO_IO_STATE_H_

#include <atomic>
#include <cstdint>

#include "baseprofiler/marker_abi.h"
#include "io/descriptor_table.h"
#include "io/io_requests.h"
#include "io/io_totals.h"
#include "io/pending_requests.h"

namespace geckoprof {

// ThreadTotals: the calls of a thread that IoTotals does not have yet. A burst of calls is added up here, with
// one atomic operation for each call. IoTotals needs several.
//
// A thread that changes it sets `is_busy`: the owner, or another thread that writes all sums. If the owner finds it
// busy, it adds to IoTotals itself. It may be a signal handler that has interrupted a change.
struct ThreadTotals {
  static constexpr uint32_t kSums = 4, kMostCalls = 64;
  // Ticks or ns. A call that comes later than this after the one before is added to IoTotals at once.
  static constexpr uint64_t kBurst = 40'000;
  struct Sum {
    uint32_t row;
    IoFigures figures;
    geckoprof_time since;
  };

  std::atomic<int32_t> owner;  // the thread's id; 0: nobody
  std::atomic<bool> is_busy;
  uint32_t calls;
  geckoprof_time last_end;
  Sum sums[kSums];  // by row % kSums
};

// IoState: the tables of a process. They lie in memory that the kernel clears in a forked child. All bytes are zero at
// first.
struct IoState {
  static constexpr uint32_t kMostThreads = 256;  // further ones add to IoTotals themselves

  std::atomic<geckoprof_time> first_call, last_markers;
  std::atomic<uint32_t> next_row;  // whose marker is written next
  std::atomic<bool> writes_markers;
  std::atomic<uint32_t> registered_file_row;  // 0: not known yet
  ThreadTotals threads[kMostThreads];
  DescriptorTable descriptors;
  IoTotals totals;
  IoRequests requests;
  RingTable rings;
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_STATE_H_
