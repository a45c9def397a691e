#include "sampler/thread_capture.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "geckoprof/arch/instructions.h"
#include "geckoprof/arch/registers.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/modules/process_memory.h"
#include "process/process_control.h"
#include "sampler/capture_pool.h"
#include "sampler/thread_list.h"
#include "signal/sampling_signal.h"
#include "signal/sigaction_mask_translator.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {
namespace {

constinit RecursiveLock g_lock(LockRank::kThreadCapture);

// A thread on a core answers within some microseconds. A thread that waits for a core answers when it gets one.
constexpr int64_t kSpinNs = 30'000;
constexpr int64_t kPauseNs = 100'000;
constexpr int64_t kResendNs = 20'000'000;  // a call that waits for signals may have taken the signal
// A thread with the signal blocked may enter a system call within this time. Then it is read without a signal.
constexpr int64_t kBlockedPatienceNs = 5'000'000;
constexpr size_t kUnknownBytes = 64 * 1024;  // for an own stack without bounds

// Returns libc's bounds of the calling thread's stack. libc is asked once, because the call may allocate.
StackRange LibcStack() {
  __attribute__((tls_model("initial-exec"))) static thread_local StackRange known = {0, 0};
  __attribute__((tls_model("initial-exec"))) static thread_local bool asked = false;
  if (asked) return known;
  asked = true;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return known;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    known = {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + size};
  }
  pthread_attr_destroy(&attributes);
  return known;
}

// Returns true if the whole range is mapped. While nothing is recorded, a slot may belong to a thread that has ended,
// and another thread may have its id. The handler must not read a stack that is gone.
bool IsMapped(const StackRange& range) {
  constexpr uint64_t kStepBytes = 4096 * uint64_t{kPageBytes};
  unsigned char pages[kStepBytes / kPageBytes];
  const uint64_t end = RoundUpTo(range.high, kPageBytes);
  for (uint64_t at = range.low & ~uint64_t{kPageBytes - 1}; at < end; at += kStepBytes) {
    if (RawSyscall(SYS_mincore, at, std::min(kStepBytes, end - at), pages) != 0) return false;
  }
  return range.low < range.high;
}

}  // namespace

// Target: the thread to capture.
struct ThreadCapture::Target {
  ThreadId tid;
  SamplerControl& control;
  const int64_t deadline_ns;
  ThreadSlot* const slot;
  Fd file = {};
  BlockedThreadReader reader = {};
  LabelCopy labels = {};
};

void ThreadCapture::AfterForkInChild(int32_t parent_thread) { g_lock.AdoptInForkedChild(parent_thread); }

StackRange ThreadCapture::FindStackRange(uint64_t sp, ThreadId tid, const ThreadSlot* slot) const {
  const StackRange known = StackBoundsLookup{process_.pid, process_.main_stack}.Find(tid, slot);
  return known.Contains(sp) ? known : StackRange{0, 0};
}

void ThreadCapture::Deliver(ThreadId tid, HandoverStackSource source, const Registers& registers, const Bytes& stack,
                            const LabelCopy& labels) const {
  HandoverLabel given[CaptureBuffer::kMaxLabels];
  uint32_t count = 0;
  for (const LabelCopy::Label& label : labels.labels()) {
    given[count++] = {label.stack_address, label.text.data(), static_cast<uint32_t>(label.text.size()),
                      label.category_pair};
  }
  HandoverStack out = {};
  static_assert(sizeof(registers.values) <= sizeof(out.registers));
  out.size_bytes = sizeof(out);
  out.tid = tid.ToNumber();
  out.source = source;
  out.is_main = tid.ToNumber() == process_.pid.ToNumber() ? 1 : 0;
  out.pc = registers.pc();
  out.sp = registers.sp();
  out.known = registers.known;
  memcpy(out.registers, registers.values, sizeof(registers.values));
  out.bytes = stack.bytes;
  out.bytes_avma = stack.avma;
  out.byte_count = stack.count;
  out.is_whole = stack.is_whole ? 1 : 0;
  out.label_count = count;
  out.labels = given;
  out.label_size_bytes = sizeof(HandoverLabel);
  out.labels_missing = labels.missing();
  out.unloads = process_.unloads;
  callback_(context_, &out);
}

// The registers are the registers of this function. It does not return before they were used.
__attribute__((noinline)) HandoverSample ThreadCapture::CaptureCurrent(ThreadId self, const ThreadSlot* slot) const {
  Registers registers;
  registers.known = ReadCurrentRegisters(registers.values);
  LabelCopy labels;
  const uint64_t sp = registers.sp();
  StackRange range = FindStackRange(sp, self, slot);
  if (range.high == 0) range = LibcStack();
  if (slot != nullptr) labels.CopyCurrent(slot->labels, range.Below(sp));
  if (range.Contains(sp)) {
    Deliver(self, HandoverStackSource::kOwn, registers,
            {reinterpret_cast<const uint8_t*>(sp), sp, range.high - sp, true}, labels);
    return HandoverSample::kTaken;
  }
  const PageMemory copy = PageMemory::Map(kUnknownBytes);
  if (!copy) return HandoverSample::kNoMemory;
  const size_t count = ProcessMemory().ReadPrefix(sp, {copy.data(), copy.size_bytes()});
  Deliver(self, HandoverStackSource::kOwn, registers, {copy.data(), sp, count, false}, labels);
  return HandoverSample::kTaken;
}

HandoverSample ThreadCapture::CaptureOther(ThreadId tid, SamplerControl& control, int64_t timeout_ns) const {
  if (tid.ToNumber() <= 0 || !ThreadExists(process_.pid, tid)) return HandoverSample::kNoThread;
  NoteUse();
  RecursiveLockHolder holder(g_lock);
  // A handler interrupted the holder on this thread.
  if (g_lock.depth() > 1) return HandoverSample::kWrongThread;
  const int64_t begin_ns = MonotonicNs();
  Target target{tid, control, begin_ns + timeout_ns, process_.registry->FindByTid(tid)};
  if (!target.reader.ok()) return HandoverSample::kNoMemory;
  target.file = BlockedThreadReader::Open(tid);
  for (;;) {
    const int64_t cpu_ns = ThreadCpuNs(tid);
    BlockedThreadReader::Place place;
    Attempt attempt = Attempt::kAgain;
    switch (target.reader.ReadPlace(target.file, place)) {
      case BlockedThreadReader::State::kRunning:
        attempt = TryRunning(target);
        break;
      case BlockedThreadReader::State::kBlocked:
        attempt = TryBlocked(target, place, cpu_ns);
        break;
      case BlockedThreadReader::State::kGone:
        return HandoverSample::kNoThread;
      case BlockedThreadReader::State::kNoAccess:
        if (BlockedThreadReader::StateLetter(tid) != 'R') {
          return ThreadExists(process_.pid, tid) ? HandoverSample::kUnreadable : HandoverSample::kNoThread;
        }
        attempt = TryRunning(target);
        break;
    }
    if (attempt == Attempt::kTaken) return HandoverSample::kTaken;
    if (attempt == Attempt::kGone) return HandoverSample::kNoThread;
    if (attempt == Attempt::kNoMemory) return HandoverSample::kNoMemory;
    const int64_t now_ns = MonotonicNs();
    const bool is_signal_blocked = attempt == Attempt::kSignalBlocked;
    if (is_signal_blocked && now_ns - begin_ns >= kBlockedPatienceNs) return HandoverSample::kSignalBlocked;
    if (attempt == Attempt::kTimeout || now_ns >= target.deadline_ns) {
      return is_signal_blocked ? HandoverSample::kSignalBlocked : HandoverSample::kTimeout;
    }
    SleepUntilNs(now_ns + kPauseNs);
  }
}

ThreadCapture::Attempt ThreadCapture::TryBlocked(Target& target, const BlockedThreadReader::Place& place,
                                                 int64_t cpu_ns) const {
  const StackRange range = FindStackRange(place.sp, target.tid, target.slot);
  target.labels.Clear();
  target.reader.Clear();
  if (target.slot != nullptr) {
    target.labels.ReadFrom(target.slot->labels, range.Below(place.sp));
  }
  // A copy counts only if the thread has not moved or run meanwhile.
  const bool copied =
      (range.high != 0 && target.reader.CopyStack(place, range.high)) || target.reader.CopyReadable(place);
  if (!copied || !BlockedThreadReader::IsStillAt(target.file, place) || ThreadCpuNs(target.tid) != cpu_ns) {
    return Attempt::kAgain;
  }
  const BlockedThreadReader::Copy& copy = target.reader.copy();
  Deliver(target.tid, HandoverStackSource::kBlocked, place.KnownRegisters(),
          {copy.bytes, place.sp, copy.size_bytes, copy.reached_stack_end}, target.labels);
  return Attempt::kTaken;
}

ThreadCapture::Attempt ThreadCapture::TryRunning(Target& target) const {
  if (target.control.busy_forking_tid.load(std::memory_order_relaxed) == target.tid.ToNumber()) return Attempt::kAgain;
  const int signal = SamplingSignal::Current();
  const SamplerControl::Sending sending(target.control);
  if ((target.slot != nullptr && target.slot->IsSignalUnsafe(signal, TheSigactionMaskTranslator().may_nest())) ||
      ThreadList::IsSignalBlocked(target.tid, signal)) {
    return Attempt::kSignalBlocked;
  }
  process_.table->pid.store(process_.pid.ToNumber(), std::memory_order_relaxed);
  CapturePool pool(process_.table, CapturePool::kOnDemand);
  uint32_t wanted_bytes = 0;
  for (;;) {
    CaptureBuffer* const buffer = pool.Acquire(wanted_bytes);
    if (buffer == nullptr) return Attempt::kNoMemory;
    const Attempt attempt = RequestCapture(target, pool, buffer);
    if (attempt != Attempt::kTaken) return attempt;
    // The first answer shows the depth of the stack. A cut copy is taken again with a larger buffer.
    const bool cut = !buffer->unknown_stack && !buffer->reached_stack_end;
    if (cut && buffer->capacity_bytes < CapturePool::kMaxCopyBytes && wanted_bytes == 0) {
      wanted_bytes = static_cast<uint32_t>(std::min<uint64_t>(
          RoundUpTo(buffer->stack.high - buffer->copied_from + kUnknownBytes, kPageBytes), CapturePool::kMaxCopyBytes));
      pool.Release(buffer);
      continue;
    }
    target.labels.BorrowFrom(*buffer);
    Deliver(target.tid, HandoverStackSource::kSignal, ToUnwindRegisters(buffer->registers),
            {buffer->stack_copy, buffer->copied_from, buffer->copied_bytes, buffer->reached_stack_end}, target.labels);
    pool.Release(buffer);
    return Attempt::kTaken;
  }
}

ThreadCapture::Attempt ThreadCapture::RequestCapture(Target& target, CapturePool& pool, CaptureBuffer* buffer) const {
  const StackBoundsLookup stacks{process_.pid, process_.main_stack};
  StackRange stack = stacks.Find(target.tid, target.slot);
  if (!IsMapped(stack)) stack = stacks.Find(target.tid, nullptr);
  buffer->stack = stack;
  buffer->labels = target.slot != nullptr ? &target.slot->labels : nullptr;
  struct Request {
    CapturePool& pool;
    CaptureBuffer* buffer;
    ProcessId pid;
    ThreadId tid;
    int result;
  } request{pool, buffer, process_.pid, target.tid, 0};
  const auto send = [](void* argument, int signal) {
    auto* const sent = static_cast<Request*>(argument);
    sent->result = sent->pool.Send(sent->buffer, sent->pid, sent->tid, signal);
  };
  if (!SamplingSignal::Lend(send, &request)) return Attempt::kSignalBlocked;
  if (request.result == -ESRCH) return Attempt::kGone;
  if (request.result != 0) return Attempt::kAgain;  // RLIMIT_SIGPENDING: the kernel queues no further signal
  return WaitFor(target, pool, buffer);
}

ThreadCapture::Attempt ThreadCapture::WaitFor(const Target& target, CapturePool& pool, CaptureBuffer* buffer) const {
  struct Request {
    const CapturePool& pool;
    const CaptureBuffer* buffer;
    ProcessId pid;
    ThreadId tid;
  } request{pool, buffer, process_.pid, target.tid};
  const auto send = [](void* argument, int signal) {
    const auto* const sent = static_cast<const Request*>(argument);
    sent->pool.SendAgain(sent->buffer, sent->pid, sent->tid, signal);
  };
  const int64_t begin_ns = MonotonicNs();
  int64_t resend_ns = begin_ns + kResendNs;
  for (int64_t now_ns = begin_ns; !CapturePool::IsAnswered(buffer); now_ns = MonotonicNs()) {
    if (now_ns - begin_ns < kSpinNs) {
      SpinHint();
      continue;
    }
    if (!ThreadExists(process_.pid, target.tid)) {
      pool.Release(buffer);
      return Attempt::kGone;
    }
    if (now_ns >= target.deadline_ns) return Attempt::kTimeout;
    if (now_ns >= resend_ns) {
      resend_ns = now_ns + kResendNs;
      SamplingSignal::Lend(send, &request);
    }
    SleepUntilNs(now_ns + kPauseNs);
  }
  return Attempt::kTaken;
}

}  // namespace geckoprof
