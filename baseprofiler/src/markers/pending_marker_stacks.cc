#include "markers/pending_marker_stacks.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/futex.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/segment/chunk_directory.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

constinit PendingMarkerStacks g_stacks;
constinit GECKOPROF_LARGE_STORAGE CaptureBuffer g_crash_buffer{};

bool IsAnswered(const CaptureBuffer& buffer) {
  return CaptureStateIn(buffer.word.load(std::memory_order_acquire)) == CaptureState::kAnswered;
}

}  // namespace

PendingMarkerStacks& PendingMarkerStacks::Get() { return g_stacks; }

// Populated: the thread that copies must not wait for pages one by one.
CaptureBuffer* PendingMarkerStacks::Make() {
  const size_t head_bytes = RoundUpTo(sizeof(CaptureBuffer), kPageBytes);
  PageMemory memory = PageMemory::Map(head_bytes + kCopyBytes);
  if (!memory) return nullptr;
  memory.Populate();
  auto* const buffer = new (memory.data()) CaptureBuffer();
  buffer->stack_copy = memory.data() + head_bytes;
  buffer->capacity_bytes = kCopyBytes;
  for (auto& place : std::span(buffers_).first(kBuffers)) {
    CaptureBuffer* none = nullptr;
    if (place.compare_exchange_strong(none, buffer, std::memory_order_acq_rel)) {
      memory.Release();
      return buffer;
    }
  }
  return nullptr;
}

CaptureBuffer* PendingMarkerStacks::Acquire() {
  bool full = true;
  for (auto& place : std::span(buffers_).first(kBuffers)) {
    CaptureBuffer* const buffer = place.load(std::memory_order_acquire);
    if (buffer == nullptr) {
      full = false;
      break;
    }
    if (TryAcquire(*buffer)) return buffer;
  }
  if (full) return nullptr;
  CaptureBuffer* const made = Make();
  if (made == nullptr) return nullptr;
  return TryAcquire(*made) ? made : nullptr;  // others see it already
}

CaptureBuffer& PendingMarkerStacks::AcquireForCrash() {
  const uint64_t id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  g_crash_buffer.marker_block = ChunkUse::kNone;
  g_crash_buffer.word.store(MakeCaptureWord(id, CaptureState::kRequested), std::memory_order_relaxed);
  buffers_[kCrashBuffer].store(&g_crash_buffer, std::memory_order_release);
  return g_crash_buffer;
}

bool PendingMarkerStacks::TryAcquire(CaptureBuffer& buffer) {
  uint64_t free = MakeCaptureWord(0, CaptureState::kFree);
  if (buffer.word.load(std::memory_order_relaxed) != free) return false;
  const uint64_t id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  return buffer.word.compare_exchange_strong(free, MakeCaptureWord(id, CaptureState::kRequested),
                                             std::memory_order_acquire, std::memory_order_relaxed);
}

void PendingMarkerStacks::Publish(CaptureBuffer* buffer, SamplerSleep& sampler) {
  buffer->word.store(MakeCaptureWord(IdOf(*buffer), CaptureState::kAnswered), std::memory_order_release);
  for (uint32_t i = 0; i < std::size(buffers_); ++i) {
    if (buffers_[i].load(std::memory_order_relaxed) != buffer) continue;
    if (published_.fetch_or(1u << i, std::memory_order_release) == 0) sampler.Nudge();
    return;
  }
}

void PendingMarkerStacks::Drain(ReadCopy read, void* context) {
  uint32_t bits = published_.exchange(0, std::memory_order_acquire);
  for (uint32_t i = 0; bits != 0; ++i, bits >>= 1) {
    if ((bits & 1) == 0) continue;
    CaptureBuffer* const buffer = buffers_[i].load(std::memory_order_acquire);
    if (!IsAnswered(*buffer)) continue;
    read(context, CaptureTokenIn(buffer->word.load(std::memory_order_relaxed)), *buffer);
    buffer->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_release);
    is_awaited_.store(true, std::memory_order_relaxed);
    drains_.fetch_add(1, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) != 0) FutexWake(drains_, INT32_MAX);
  }
}

bool PendingMarkerStacks::WaitForSampler() {
  if (!is_awaited_.load(std::memory_order_relaxed)) return false;
  const int64_t deadline_ns = MonotonicNs() + kMaxWaitNs;
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  const uint32_t before = drains_.load(std::memory_order_seq_cst);
  while (drains_.load(std::memory_order_acquire) == before && MonotonicNs() < deadline_ns) {
    FutexWaitUntil(drains_, before, deadline_ns);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (drains_.load(std::memory_order_acquire) != before) return true;
  is_awaited_.store(false, std::memory_order_relaxed);
  return false;
}

void PendingMarkerStacks::WaitUntilWritten(int64_t most_ns) const {
  constexpr int64_t kLookNs = 50'000;
  const auto waits = [this] {
    return std::ranges::any_of(buffers_, [](const std::atomic<CaptureBuffer*>& place) {
      const CaptureBuffer* const buffer = place.load(std::memory_order_acquire);
      return buffer != nullptr && IsAnswered(*buffer);
    });
  };
  const std::atomic<uint32_t> never_changed{0};
  const int64_t deadline_ns = MonotonicNs() + most_ns;
  while (waits() && MonotonicNs() < deadline_ns) FutexWaitUntil(never_changed, 0, MonotonicNs() + kLookNs);
}

void PendingMarkerStacks::SetOwnCode(const AddressRange& code) {
  own_low_.store(code.start_avma, std::memory_order_relaxed);
  own_high_.store(code.end_avma, std::memory_order_relaxed);
}

void PendingMarkerStacks::AfterForkInChild() {
  published_.store(0, std::memory_order_relaxed);
  waiting_.store(0, std::memory_order_relaxed);
  is_awaited_.store(true, std::memory_order_relaxed);
  for (auto& place : buffers_) {
    CaptureBuffer* const buffer = place.load(std::memory_order_relaxed);
    if (buffer != nullptr) buffer->word.store(MakeCaptureWord(0, CaptureState::kFree), std::memory_order_relaxed);
  }
}

}  // namespace geckoprof
