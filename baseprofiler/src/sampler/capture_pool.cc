#include "sampler/capture_pool.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {
namespace {

uint8_t* MapPopulated(size_t bytes) {
  const long result = RawSyscall(SYS_mmap, nullptr, RoundUpTo(bytes, kPageBytes), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (IsSyscallError(result)) return nullptr;
  // Populated pages spare the handler a page fault.
  RawSyscall(SYS_madvise, result, RoundUpTo(bytes, kPageBytes), MADV_POPULATE_WRITE);
  return reinterpret_cast<uint8_t*>(result);
}

}  // namespace

CapturePool::CapturePool(CaptureTable* table, Range range)
    : table_(table),
      range_(range),
      end_(range.first),
      next_token_(static_cast<uint64_t>(MonotonicNs()) >> 10 & CaptureValue::kTokenMask) {
  // Answers to an earlier pool's requests are dropped. An unanswered request keeps its buffer.
  while (end_ < range_.end) {
    CaptureBuffer* const buffer = table_->buffers[end_].load(std::memory_order_relaxed);
    if (buffer == nullptr) break;
    if (IsAnswered(buffer)) Release(buffer);
    ++end_;
  }
}

CaptureBuffer* CapturePool::New(uint32_t copy_bytes) {
  uint8_t* const memory = MapPopulated(sizeof(CaptureBuffer));
  if (memory == nullptr) return nullptr;
  CaptureBuffer* const buffer = reinterpret_cast<CaptureBuffer*>(memory);
  if (!Enlarge(buffer, copy_bytes)) {
    RawSyscall(SYS_munmap, memory, RoundUpTo(sizeof(CaptureBuffer), kPageBytes));
    return nullptr;
  }
  return buffer;
}

CaptureBuffer* CapturePool::Make() {
  if (end_ == range_.end) return nullptr;
  CaptureBuffer* const buffer = New(kUsualCopyBytes);
  if (buffer == nullptr) return nullptr;
  table_->buffers[end_++].store(buffer, std::memory_order_release);
  return buffer;
}

bool CapturePool::Enlarge(CaptureBuffer* buffer, uint32_t copy_bytes) {
  uint8_t* const memory = MapPopulated(copy_bytes);
  if (memory == nullptr) return false;
  // The buffer is free, so no handler uses it. A late handler finds another token and touches nothing.
  if (buffer->stack_copy != nullptr) RawSyscall(SYS_munmap, buffer->stack_copy, buffer->capacity_bytes);
  buffer->stack_copy = memory;
  buffer->capacity_bytes = copy_bytes;
  return true;
}

CaptureBuffer* CapturePool::Acquire(uint32_t copy_bytes) {
  if (copy_bytes < kUsualCopyBytes) copy_bytes = kUsualCopyBytes;
  if (copy_bytes > kMaxCopyBytes) copy_bytes = kMaxCopyBytes;
  CaptureBuffer* any_free = nullptr;
  for (uint32_t i = range_.first; i < end_; ++i) {
    CaptureBuffer* const buffer = table_->buffers[i].load(std::memory_order_relaxed);
    if (CaptureStateIn(buffer->word.load(std::memory_order_relaxed)) != CaptureState::kFree) continue;
    if (buffer->capacity_bytes >= copy_bytes) return buffer;
    any_free = buffer;
  }
  if (any_free == nullptr) any_free = Make();
  if (any_free == nullptr || any_free->capacity_bytes >= copy_bytes) return any_free;
  return Enlarge(any_free, copy_bytes) ? any_free : nullptr;
}

int CapturePool::Send(CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal) {
  buffer->tid = tid.ToNumber();
  buffer->clock = SampleClock::kRequest;
  // The release store publishes the buffer to the handler.
  buffer->word.store(MakeCaptureWord(next_token_, CaptureState::kRequested), std::memory_order_release);
  next_token_ = (next_token_ + 1) & CaptureValue::kTokenMask;
  const int result = SendAgain(buffer, pid, tid, signal);
  if (result != 0) Release(buffer);
  return result;
}

int CapturePool::SendAgain(const CaptureBuffer* buffer, ProcessId pid, ThreadId tid, int signal) const {
  uint64_t index = 0;
  while (table_->buffers[index].load(std::memory_order_relaxed) != buffer) ++index;
  const uint64_t token = CaptureTokenIn(buffer->word.load(std::memory_order_relaxed));
  siginfo_t info;
  memset(&info, 0, sizeof(info));
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = pid.ToNumber();
  info.si_value.sival_ptr = CaptureValue(token, index).pointer();
  return static_cast<int>(RawSyscall(SYS_rt_tgsigqueueinfo, pid.ToNumber(), tid.ToNumber(), signal, &info));
}

}  // namespace geckoprof
