// Small questions to the kernel about this process, and memory whose meaning depends on the process.
#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_CONTROL_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_CONTROL_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/signal/capture_handler.h"

namespace geckoprof {

ProcessId CurrentProcess();
ProcessId ParentProcess();
ThreadId CurrentThread();
// MonotonicNs from the kernel itself: for a forked child, which may do nothing else, and has not mapped the vDSO's
// pages.
int64_t KernelMonotonicNs();
// The kernel's number of what the process's id is a number of; 0 where /proc does not say. The link is read, not
// opened.
uint32_t PidNamespace();
// Whether the process has (still, or again) a thread with this id.
bool ThreadExists(ProcessId process, ThreadId thread);

// The kernel's name of the calling thread, which is the program's in its first one. prctl(2), PR_GET_NAME.
void CopyCommandName(char (&name)[16]);

// What the main thread ended with; 0 while it lives.
int MainThreadExitStatus();

// What the words below lie in: a page of its own, so that wiping it wipes nothing else. Its beginning is what
// marker_abi.h calls geckoprof_base_words, and is exported.
struct alignas(kPageBytes) WipedPage {
  std::atomic<uint32_t> state;
  std::atomic<uint32_t> clock;
  uint8_t rest[kPageBytes - 2 * sizeof(std::atomic<uint32_t>)];
};
static_assert(sizeof(WipedPage) == kPageBytes);
extern __attribute__((visibility("default"))) WipedPage g_wiped __asm__("geckoprof_base_words");
// The same under a name of the library's own: each marker reads it, and does so without asking where it is.
extern __attribute__((visibility("hidden"))) WipedPage g_wiped_here __asm__("geckoprof_base_words_here");

// A word that reads 0 in every forked child, however it was forked (fork, _Fork, clone): the kernel wipes its page
// (madvise(2), MADV_WIPEONFORK). So a child that no handler of ours could prepare is inactive, and never writes into
// its parent's segment. WipeStateOnFork must have been called once before the word is set.
inline std::atomic<uint32_t>& ForkSafeState() { return g_wiped_here.state; }
// The same for whether times of markers are the processor's counter (marker_abi.h).
inline std::atomic<uint32_t>& ForkSafeClock() { return g_wiped_here.clock; }
void WipeStateOnFork();

// Whether the process is under a filter that may forbid whatever we would ask of the kernel: ProfilerCore::StopForGood.
std::atomic<bool>& StoppedForGood();

// Whether anything of ours was used in this process that a fork must put right in the child: a recording, a thread's
// slot, a table's lock. Noted before that lock is taken. Until then the child learns its number, and pays for no more.
std::atomic<bool>& WasUsed();
inline void NoteUse() {
  if (!WasUsed().load(std::memory_order_relaxed)) WasUsed().store(true, std::memory_order_relaxed);
}

// ProcessIdentity: which process this memory belongs to. A child of vfork shares its parent's memory, so code that
// changes anything asks IsThisProcess first. Threads: any. Context: any, signal context included.
class ProcessIdentity {
 public:
  // Id 0 until the first Set.
  ProcessId pid() const { return pid_.load(std::memory_order_relaxed); }
  void Set(ProcessId pid) { pid_.store(pid, std::memory_order_relaxed); }
  // False in the child of a vfork. Under a seccomp filter the kernel is not asked, and the answer is true. It is also
  // true before the first Set.
  bool IsThisProcess() const {
    const ProcessId known = pid();
    return StoppedForGood().load(std::memory_order_relaxed) || known.ToNumber() == 0 || CurrentProcess() == known;
  }

 private:
  std::atomic<ProcessId> pid_;  // relaxed
};

// Things that the process keeps for each recording that begins. A start, which is to be short, asks for these bits
// alone: each thing is a lock and a page of its own.
//
//   whoever changes the thing:   change, NoteKept | write to the recording, if there is one
//   a start:                     publish the recording | write the thing, if IsKept
//
// So one of the two writes it, or both; sequentially consistent. Threads: any.
enum class Kept : uint32_t { kCategories = 1, kProcessName = 2 };
void NoteKept(Kept thing);
bool IsKept(Kept thing);

// The table that the signal handler reads. ForgetCaptureBuffers: in a forked child, the parent's buffers are nobody's.
CaptureTable& TheCaptureTable();
void ForgetCaptureBuffers();

// A Segment object in memory of its own that is never given back; null if there is no memory.
Segment* NewSegment();

// What the header says of a recording that begins now, in this process.
void DescribeRecording(const StartParameters& parameters, SegmentHeader& header);

// Writes what this process is into the metadata: executable, arguments, filters, and what was wrong with the
// parameters.
void DescribeFilters(const StartParameters& parameters, MetadataWriter& metadata);
void DescribeProcess(const StartParameters& parameters, MetadataWriter& metadata);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_CONTROL_H_
