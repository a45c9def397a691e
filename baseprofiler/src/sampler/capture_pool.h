#ifndef GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_

#include <bit>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {

// CapturePool: makes and hands out the buffers that the handler fills, and sends the signal.
//
// Buffers are populated memory, never unmapped, so the handler never meets a fault or a freed page. The common one
// holds 64 KiB of stack; a thread with a deeper stack gets one that was made larger, up to 1 MiB. Two pools share a
// table, each with a range of its own. Threads: one owner, the sampler or who captures on demand; the handler reads the
// table. Context: not signal context.
class CapturePool {
 public:
  // [first, end) of the table.
  struct Range {
    uint32_t first, end;
  };
  static constexpr Range kSampler = {0, CaptureTable::kFirstOnDemand};
  static constexpr Range kOnDemand = {CaptureTable::kFirstOnDemand, CaptureTable::kCapacity};

  // Takes over what an earlier pool left in its range; a request of its that was never answered keeps its buffer.
  explicit CapturePool(CaptureTable* table, Range range = kSampler);

  static constexpr uint32_t kUsualCopyBytes = 64 * 1024;
  static constexpr uint32_t kMostCopyBytes = 1024 * 1024;

  // What to ask for where so many bytes were needed, so that a stack that grows does not ask again and again.
  static uint32_t RoomFor(uint64_t bytes) {
    return bytes < kMostCopyBytes ? static_cast<uint32_t>(std::bit_ceil(bytes)) : kMostCopyBytes;
  }

  // A free buffer whose stack copy has room for `copy_bytes` (clamped to the limits above), or null: all are in use, or
  // no memory.
  CaptureBuffer* Take(uint32_t copy_bytes);
  void GiveBack(CaptureBuffer* buffer) {
    buffer->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_relaxed);
  }

  // Publishes the request in `buffer` and sends the signal. 0 or -errno; on error the buffer is the caller's again.
  int Send(CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal);

  // Sends the signal of an unanswered request once more.
  int SendAgain(const CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal) const;

  static bool IsAnswered(const CaptureBuffer* buffer) {
    return (buffer->word.load(std::memory_order_acquire) & 0xff) == static_cast<uint64_t>(CaptureState::kAnswered);
  }

 private:
  CaptureBuffer* Make();
  static bool Enlarge(CaptureBuffer* buffer, uint32_t copy_bytes);

  CaptureTable* const table_;
  const Range range_;
  uint32_t end_;         // of what has been made
  uint64_t next_token_;  // not used before in this process: counts on from the time, in 1,024 ns
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_
