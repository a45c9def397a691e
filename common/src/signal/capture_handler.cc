#include "geckoprof/signal/capture_handler.h"

#include <string.h>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/arch/signal_frame.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/open_labels.h"

namespace geckoprof {
namespace {

// A leaf function may keep data below the stack pointer without moving it (System V ABI for x86-64, 3.2.2). This margin
// does no harm on other architectures.
constexpr uintptr_t kRedZoneBytes = 128;
constexpr uintptr_t kSmallestPage = 4096;

#if defined(GECKOPROF_SANITIZED)
// A sanitizer treats most of a stack as out of bounds. Here we need all its bytes.
__attribute__((no_sanitize("address", "thread"))) void CopyBytes(uint8_t* to, uintptr_t from, uint32_t bytes) {
  const volatile uint8_t* const source = reinterpret_cast<const uint8_t*>(from);
  for (uint32_t i = 0; i < bytes; ++i) to[i] = source[i];
}
#else
void CopyBytes(uint8_t* to, uintptr_t from, uint32_t bytes) { memcpy(to, reinterpret_cast<const void*>(from), bytes); }
#endif

// Returns the open request for the calling thread, or null.
CaptureBuffer* FindOpenRequest(const CaptureTable& table, int32_t tid) {
  for (const auto& entry : table.buffers) {
    CaptureBuffer* const buffer = entry.load(std::memory_order_acquire);
    if (buffer == nullptr) continue;
    const uint64_t word = buffer->word.load(std::memory_order_acquire);
    if (CaptureStateIn(word) == CaptureState::kRequested && buffer->tid == tid) return buffer;
  }
  return nullptr;
}

// Returns the buffer that the signal names, or null if it is not a signal of the sampler. `token` is that of the
// request, which may be over already.
CaptureBuffer* FindBuffer(const CaptureTable& table, const siginfo_t& info, uint64_t& token) {
  const int32_t pid = table.pid.load(std::memory_order_relaxed);
  if (pid == 0) return nullptr;
  if (HasLostSiginfo(info)) {
    CaptureBuffer* const buffer = FindOpenRequest(table, static_cast<int32_t>(RawSyscall(SYS_gettid)));
    if (buffer != nullptr) token = CaptureTokenIn(buffer->word.load(std::memory_order_relaxed));
    return buffer;
  }
  if (info.si_code != SI_QUEUE || info.si_pid != pid) return nullptr;
  const CaptureValue value(info);
  if (!value.is_marked()) return nullptr;
  token = value.token();
  return table.buffers[value.index()].load(std::memory_order_acquire);
}

// Takes a buffer that is free for ticks, or returns null.
CaptureBuffer* TakeFree(TickTable& ticks) {
  for (uint32_t i = 0; i < TickTable::kWords; ++i) {
    uint64_t free = ticks.free[i].load(std::memory_order_relaxed);
    while (free != 0) {
      const uint64_t rest = free & (free - 1);
      if (!ticks.free[i].compare_exchange_weak(free, rest, std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      return ticks.buffers[64 * i + static_cast<uint32_t>(__builtin_ctzll(free))].load(std::memory_order_relaxed);
    }
  }
  return nullptr;
}

// Returns whether more than `few` buffers are free.
bool HasMoreFree(const TickTable& ticks, uint32_t few) {
  uint32_t count = 0;
  for (const auto& word : ticks.free) {
    for (uint64_t free = word.load(std::memory_order_relaxed); free != 0; free &= free - 1) {
      if (++count > few) return true;
    }
  }
  return false;
}

// Wakes the sampler if it waits for this tick, or if it must make room for the next ones.
void WakeSampler(const TickTable& ticks) {
  const bool is_urgent = !HasMoreFree(ticks, ticks.few.load(std::memory_order_relaxed));
  ticks.sampler.load(std::memory_order_relaxed)
      ->WakeFrom(is_urgent ? SamplerSleep::kUntilBatch : SamplerSleep::kUntilTick);
}

// Makes the request that a tick stands for. Returns null if it comes too soon or there is no buffer.
CaptureBuffer* RequestOfTick(TickTable& ticks, const TickedThread& thread, uint64_t now_cycles) {
  if (now_cycles < thread.skipped_until_cycles.load(std::memory_order_relaxed)) {
    ticks.skipped.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  CaptureBuffer* const buffer = TakeFree(ticks);
  if (buffer == nullptr) {
    ticks.unserved.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  buffer->tid = thread.tid.load(std::memory_order_relaxed);
  buffer->labels = thread.labels.load(std::memory_order_relaxed);
  buffer->stack.high = thread.stack_high.load(std::memory_order_acquire);
  buffer->stack.low = thread.stack_low.load(std::memory_order_relaxed);
  return buffer;
}

}  // namespace

void ReadInterruptedRegisters(const void* context, CapturedRegisters& registers) {
  static_assert(kDwarfRegisterCount <= CapturedRegisters::kCount);
  CopyUcontextRegisters(*static_cast<const ucontext_t*>(context), registers.values);
  registers.pc = registers.values[kDwarfPc];
  registers.sp = registers.values[kDwarfSp];
  registers.known = CapturedRegisters::kAllKnown;
}

void CopyStack(CaptureBuffer& buffer) {
  const uintptr_t sp = buffer.registers.sp;
  const bool known = buffer.stack.Contains(sp);
  // On an unknown stack (a coroutine's), only the page of sp is certainly mapped.
  const uintptr_t end = known ? buffer.stack.high : (sp | (kSmallestPage - 1)) + 1;
  const uintptr_t from = known && sp - buffer.stack.low >= kRedZoneBytes ? sp - kRedZoneBytes : sp;
  const uintptr_t wanted = end - from;
  const uint32_t bytes = wanted < buffer.capacity_bytes ? static_cast<uint32_t>(wanted) : buffer.capacity_bytes;
  CopyBytes(buffer.stack_copy, from, bytes);
  buffer.copied_from = from;
  buffer.copied_bytes = bytes;
  buffer.unknown_stack = !known;
  buffer.reached_stack_end = known && bytes == wanted;
}

void CopyLabels(CaptureBuffer& buffer) {
  buffer.label_count = 0;
  buffer.labels_missing = 0;
  if (buffer.labels == nullptr) return;
  const StackRange stale = buffer.stack.Below(buffer.registers.sp);
  const auto append = [&](const char* text, uint32_t from, uint32_t to) {
    return AppendLabelText(text, buffer.label_text, from, to);
  };
  uint32_t used = 0;
  buffer.labels_missing =
      ForEachOpenLabel(*buffer.labels, stale, [&](const LabelFrame& frame, uintptr_t stack_address) {
        const uint32_t end = WriteLabelText(frame, buffer.label_text, used, CaptureBuffer::kLabelTextBytes, append);
        buffer.label[buffer.label_count++] = {stack_address, frame.category_pair, static_cast<uint16_t>(used),
                                              static_cast<uint16_t>(end - used)};
        used = end;
        return used < CaptureBuffer::kLabelTextBytes;
      });
}

bool CaptureSignalSafe(const CaptureTable& table, const siginfo_t& info, void* context) {
  // The program may have set the AC flag, under which unaligned accesses of the handler would fault.
  DisableAlignmentCheck();
  const uint64_t begin_cycles = ReadCycleCounter();
  uint64_t token = 0;
  CaptureBuffer* buffer = nullptr;
  bool is_wanted = false;
  TickTable* const ticks = table.ticks.load(std::memory_order_acquire);
  TickedThread* thread = nullptr;
  if (ticks != nullptr && IsTick(*ticks, info, &thread)) {
    const bool is_timer = info.si_code == SI_TIMER;
    const bool counts = thread != nullptr && table.pid.load(std::memory_order_relaxed) != 0 &&
                        (!is_timer || !thread->has_both.load(std::memory_order_relaxed) || WasInSystemCall(context));
    if (counts) buffer = RequestOfTick(*ticks, *thread, begin_cycles);
    is_wanted = buffer != nullptr;
    if (is_wanted) buffer->clock = is_timer ? SampleClock::kCpuTimer : SampleClock::kPerfEvent;
  } else {
    buffer = FindBuffer(table, info, token);
    if (buffer == nullptr) return false;
    is_wanted = buffer->word.load(std::memory_order_acquire) == MakeCaptureWord(token, CaptureState::kRequested);
  }
  // A stale signal may still have interrupted a system call, so the repair is needed in any case.
  // The registers are read before the repair changes them. The sample shows the thread in its call.
  if (is_wanted) ReadInterruptedRegisters(context, buffer->registers);
  RepairInterruptedCall(context, table.own_syscall_return.load(std::memory_order_relaxed));
  if (!is_wanted) return true;
  CopyStack(*buffer);
  CopyLabels(*buffer);
  buffer->begin_cycles = begin_cycles;
  buffer->end_cycles = ReadCycleCounter();
  if (thread != nullptr) {
    const uint64_t end_cycles = buffer->end_cycles;
    thread->skipped_until_cycles.store(end_cycles + 3 * (end_cycles - begin_cycles), std::memory_order_relaxed);
  }
  buffer->word.store(MakeCaptureWord(token, CaptureState::kAnswered), std::memory_order_seq_cst);
  if (thread != nullptr) WakeSampler(*ticks);
  return true;
}

}  // namespace geckoprof
