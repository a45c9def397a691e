#include "markers/crash_report.h"

#include <errno.h>
#include <fcntl.h>

#include <atomic>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/signal/capture_handler.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "recording/recording_state.h"
#include "stacks/stack_bounds.h"

namespace geckoprof {
namespace {

constexpr int64_t kPatienceNs = 200 * kNsPerMs;

constinit std::atomic<bool> g_has_reported{false};

// The kernel copies a new mask before it looks at the other arguments, and refuses the unknown request then.
bool IsReadable(uintptr_t address) {
  constexpr int kNoRequest = -1;
  const auto* const aligned = reinterpret_cast<const void*>(address & ~(sizeof(KernelSignalSet) - 1));
  return RawSyscall(SYS_rt_sigprocmask, kNoRequest, aligned, nullptr, sizeof(KernelSignalSet)) != -EFAULT;
}

const Segment* AwaitSegment(RecordingState& state) {
  const int64_t until_ns = MonotonicNs() + kPatienceNs;
  while (state.IsActive() && state.LastSegment() == nullptr && MonotonicNs() < until_ns) {
    state.control().Nudge();
    SleepUntilNs(MonotonicNs() + kNsPerMs);
  }
  const Segment* const segment = state.LastSegment();
  return segment != nullptr && segment->IsMapped() ? segment : nullptr;
}

// Reads the kernel's name of a process, which may be gone.
void ReadSenderName(int32_t pid, char (&name)[sizeof(SegmentHeader::crash_sender)]) {
  char path[32];
  TextBuilder(path).Text("/proc/").Number(pid).Text("/comm");
  const Fd file = Fd::Open(path, O_RDONLY | O_CLOEXEC);
  uint8_t text[sizeof(name)] = {};
  const int64_t length = file.ok() ? file.ReadAt(0, text) : 0;
  for (int64_t i = 0; i < length && text[i] != '\n'; ++i) name[i] = static_cast<char>(text[i]);
}

void FillStack(RecordingState& state, int32_t tid, const void* context, CaptureBuffer& buffer) {
  const ThreadSlot* const slot = ThreadSlots::Known();
  ReadInterruptedRegisters(context, buffer.registers);
  buffer.tid = tid;
  buffer.labels = slot != nullptr ? &slot->labels : nullptr;
  buffer.unloads = state.control().unloads.load(std::memory_order_relaxed);
  buffer.stack = StackBoundsLookup{state.pid(), state.MainStack()}.Find(ThreadId::FromNumber(tid), slot);
  const StackRange readable = ReadableStack(buffer.registers.sp, buffer.stack);
  buffer.stack_copy = reinterpret_cast<uint8_t*>(readable.low);
  buffer.copied_from = readable.low;
  buffer.copied_bytes = static_cast<uint32_t>(readable.high - readable.low);
  buffer.unknown_stack = readable.high != buffer.stack.high;
  buffer.reached_stack_end = !buffer.unknown_stack;
  CopyLabels(buffer);
}

}  // namespace

StackRange ReadableStack(uintptr_t sp, const StackRange& known) {
  // The known range may begin a little above the lowest page. A large frame may lie below the guard page.
  const bool is_readable = IsReadable(sp);
  const uintptr_t reach = is_readable ? 4 * kPageBytes : uintptr_t{1} << 20;
  const bool is_known = known.Contains(sp) || (sp < known.low && known.low - sp <= reach);
  const uintptr_t high = is_known ? known.high : (sp | (kPageBytes - 1)) + 1;
  if (is_readable) return {sp, high};
  if (!is_known) return {sp, sp};
  // Pages that cannot be read lie below those that can.
  uintptr_t unreadable = sp & ~(kPageBytes - 1);
  uintptr_t readable = (high - 1) & ~(kPageBytes - 1);
  while (readable - unreadable > kPageBytes) {
    const uintptr_t middle = (unreadable + (readable - unreadable) / 2) & ~(kPageBytes - 1);
    (IsReadable(middle) ? readable : unreadable) = middle;
  }
  return {readable, high};
}

void ReportCrash(int signal, const siginfo_t& info, const void* context) {
  RecordingState& state = RecordingState::Get();
  // Several threads may crash at once. The child of a vfork is another process in this memory.
  if (!state.IsThisProcess() || g_has_reported.exchange(true)) return;
  const Segment* const segment = AwaitSegment(state);
  if (segment == nullptr) return;
  SegmentHeader::Crash& crash = segment->header().crash;
  const int32_t tid = CurrentThread().ToNumber();
  PendingMarkerStacks& stacks = PendingMarkerStacks::Get();
  CaptureBuffer& buffer = stacks.AcquireForCrash();
  FillStack(state, tid, context, buffer);
  crash.code = info.si_code;
  const bool is_of_kernel = info.si_code > 0;
  crash.address = is_of_kernel ? reinterpret_cast<uint64_t>(info.si_addr) : static_cast<uint64_t>(info.si_pid);
  if (!is_of_kernel && info.si_pid > 0) ReadSenderName(info.si_pid, segment->header().crash_sender);
  crash.pc = buffer.registers.pc;
  crash.time_ns = MonotonicNs();
  crash.tid = tid;
  crash.stack_id = PendingMarkerStacks::IdOf(buffer);
  crash.signal.store(signal, std::memory_order_release);
  if (!state.IsActive()) return;
  stacks.Publish(&buffer, state.control());
  stacks.WaitUntilWritten(kPatienceNs);
}

}  // namespace geckoprof
