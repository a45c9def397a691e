#ifndef GECKOPROF_TOOLS_REPORT_WAIT_SUMS_H_
#define GECKOPROF_TOOLS_REPORT_WAIT_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// WaitSums are the waiting times of a model, added up by cause and stack, and for locks by address.
//
// A wait is a run of waiting samples of a thread with one stack and one cause. Stacks that name the same functions in
// the same order count as one.
//
// If the feature `locks` was on, the waits for locks and conditions are those of its markers (lock_waits.h). A wait of
// samples is left out if the hooks library has recorded it. A wait that did not end, or that no hook saw, stays.
struct WaitSums {
  struct Row {
    WaitCause cause = WaitCause::kOther;
    int32_t stack = kNoRow;     // row of the model's stacks; kNoRow: the waits were too short for a stack
    uint64_t lock_address = 0;  // 0: it is no lock, or unknown
    int64_t total_ns = 0;
    int64_t waits = 0;  // 0: unknown
    int64_t longest_ns = 0;
    int32_t lock_wait =
        kNoRow;  // row of the model's lock_waits: the longest whose holder is known, if over kShowHolder
  };

  // One wait, or the waits without a stack before one sample.
  struct Wait {
    size_t thread = 0;  // of the model
    size_t row = 0;     // of `rows`
    double begin_ms = 0;
    int64_t ns = 0;
  };

  // The holder of a lock is shown for longer waits than this.
  static constexpr int64_t kShowHolderNs = 1'000'000;

  // `keeps_waits`: whether `waits` is filled in.
  explicit WaitSums(const ProfileModel& model, bool keeps_waits = false);

  std::vector<Row> rows;    // with the largest total first
  std::vector<Wait> waits;  // by thread, and in the order of their ends
  int64_t total_ns = 0;
  int64_t ready_ns = 0;   // of waiting for a core
  bool is_known = false;  // a thread has such times
};

// Returns "0x7f001230", or nothing for 0.
std::string AddressText(uint64_t address);
// Returns "worker (4711)". REQUIRES: the holder is known.
std::string HolderText(const ProfileModel& model, const ProfileLockWait& wait);

// Makes the table of waiting times by cause and stack, and for locks by address, with the longest in total first. Waits
// that were too short for a stack are one row for each cause. `top` limits the rows.
//
// If a wait for a lock took longer than a millisecond, the lock's row has the holder. It also has the stack at which
// the holder was in the middle of the longest wait.
ReportTable WaitTable(const ProfileModel& model, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_WAIT_SUMS_H_
