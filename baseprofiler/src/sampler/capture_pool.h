#ifndef GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_

#include <bit>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/unwind/registers.h"

namespace geckoprof {

// CapturePool: makes the buffers that the handler fills, hands them out, and sends the signal.
//
// Buffers are populated memory that is never unmapped, so the handler never meets a page fault or a freed page. The
// common buffer holds 64 KiB of stack. A thread with a deeper stack gets a larger buffer of up to 1 MiB. Two pools
// share a table, and each has a range of its own.
//
// Threads: one owner, the sampler or a capture on demand. The handler reads the table.
// Context: not signal context.
class CapturePool {
 public:
  // A range [first, end) of the table.
  struct Range {
    uint32_t first, end;
  };
  static constexpr Range kSampler = {0, CaptureTable::kFirstOnDemand};
  static constexpr Range kOnDemand = {CaptureTable::kFirstOnDemand, CaptureTable::kCapacity};

  // Takes over the buffers that an earlier pool left in the range. An unanswered request keeps its buffer.
  explicit CapturePool(CaptureTable* table, Range range = kSampler);

  static constexpr uint32_t kUsualCopyBytes = 64 * 1024;
  static constexpr uint32_t kMaxCopyBytes = 1024 * 1024;

  // Returns the buffer size for a stack of so many bytes. It is rounded up, so that a growing stack asks seldom.
  static uint32_t RoomFor(uint64_t bytes) {
    return bytes < kMaxCopyBytes ? static_cast<uint32_t>(std::bit_ceil(bytes)) : kMaxCopyBytes;
  }

  // Returns a free buffer with room for `copy_bytes` of stack, clamped to the limits above. Returns null if all buffers
  // are in use or if there is no memory.
  CaptureBuffer* Acquire(uint32_t copy_bytes);
  static void Release(CaptureBuffer* buffer) {
    buffer->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_relaxed);
  }

  // Publishes the request in `buffer` and sends the signal. Returns 0 or -errno. After an error the buffer is free
  // again.
  int Send(CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal);

  // Sends the signal of an unanswered request again.
  int SendAgain(const CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal) const;

  // Makes a buffer with room for so many bytes of stack. Returns null if there is no memory.
  static CaptureBuffer* New(uint32_t copy_bytes);
  // Gives a free buffer a larger copy. Returns false if there is no memory.
  static bool Enlarge(CaptureBuffer* buffer, uint32_t copy_bytes);

  static bool IsAnswered(const CaptureBuffer* buffer) {
    return CaptureStateIn(buffer->word.load(std::memory_order_acquire)) == CaptureState::kAnswered;
  }

 private:
  CaptureBuffer* Make();

  CaptureTable* const table_;
  const Range range_;
  uint32_t end_;         // end of the buffers that were made
  uint64_t next_token_;  // not used before in this process, because it begins at the time in 1,024 ns
};

inline Registers ToUnwindRegisters(const CapturedRegisters& captured) {
  Registers registers;
  for (size_t number = 0; number < kDwarfRegisterCount && number < CapturedRegisters::kCount; ++number) {
    if ((captured.known >> number & 1) != 0) registers.Set(number, captured.values[number]);
  }
  registers.Set(kDwarfPc, captured.pc);
  registers.Set(kDwarfSp, captured.sp);
  return registers;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_CAPTURE_POOL_H_
