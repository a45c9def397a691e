// Small questions to the kernel about this process, and memory with a special meaning in a forked child.
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
// Returns MonotonicNs from a system call. A forked child uses it, because it may do nothing else and has not mapped the
// pages of the vDSO.
int64_t KernelMonotonicNs();
// Returns the inode of the process's pid namespace, or 0 if /proc does not show it. The link is read and not opened.
uint32_t PidNamespace();
// Returns the time at which the kernel started the process, in ticks since the machine's start (proc(5), field 22 of
// stat). Exec does not change it, so it tells a process from a later one with the same id. Returns 0 if /proc does not
// show it.
uint64_t ProcessStartTicks();
// Returns true if the process has a thread with this id now.
bool ThreadExists(ProcessId process, ThreadId thread);

// Copies the kernel's name of the calling thread (prctl(2), PR_GET_NAME). In the main thread it is the program's name.
void CopyCommandName(char (&name)[16]);

// Returns the exit status of the main thread, or 0 while the main thread lives.
int MainThreadExitStatus();

// The page that the kernel wipes in a forked child. It has a page of its own, so that nothing else is wiped. The
// library exports its beginning as geckoprof_base_words (marker_abi.h).
struct alignas(kPageBytes) WipedPage {
  std::atomic<uint32_t> state;
  std::atomic<uint32_t> clock;
  std::atomic<uint32_t> features;
  uint8_t rest[kPageBytes - 3 * sizeof(std::atomic<uint32_t>)];
};
static_assert(sizeof(WipedPage) == kPageBytes);
extern __attribute__((visibility("default"))) WipedPage g_wiped __asm__("geckoprof_base_words");
// The same page under a hidden name. Each marker reads it, and a hidden name needs no lookup of its address.
extern __attribute__((visibility("hidden"))) WipedPage g_wiped_here __asm__("geckoprof_base_words_here");

// A word that reads 0 in every forked child, whether fork, _Fork or clone made the child. The kernel wipes its page
// (madvise(2), MADV_WIPEONFORK). A child that no handler of base could prepare is therefore inactive. It never writes
// into its parent's segment. WipeStateOnFork must run once before the word is set.
inline std::atomic<uint32_t>& ForkSafeState() { return g_wiped_here.state; }
// A word like ForkSafeState. It is set while markers take their times from the processor's counter (marker_abi.h).
inline std::atomic<uint32_t>& ForkSafeClock() { return g_wiped_here.clock; }
// The features that the recording was asked for, and 0 while nothing is recorded. The hooks library reads this word.
inline std::atomic<uint32_t>& ForkSafeFeatures() { return g_wiped_here.features; }
void WipeStateOnFork();

// True once the process is under a filter that may forbid any system call (ProfilerCore::StopForGood).
std::atomic<bool>& StoppedForGood();

// True once this process has used a part of base that a fork must repair in the child. Such parts are a recording, a
// thread's slot and a table's lock. The use is noted before the lock is taken. Before that the child only learns its
// id.
std::atomic<bool>& WasUsed();
inline void NoteUse() {
  if (!WasUsed().load(std::memory_order_relaxed)) WasUsed().store(true, std::memory_order_relaxed);
}

// ProcessIdentity: the process that this memory belongs to. A child of vfork shares its parent's memory, so code that
// changes anything calls IsThisProcess first.
//
// Threads: any.
// Context: any, signal context included.
class ProcessIdentity {
 public:
  // The id is 0 until the first Set.
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

// State that outlives a recording and is written into each new recording. A start must be short, so it tests only these
// bits. Each table itself has a lock and a page of its own.
//
//   a change of the table:   change, NotePersistent | write to the recording, if there is one
//   a start:                 publish the recording | write the table, if HasPersistent
//
// The two sides use sequentially consistent order, so at least one of them writes the table.
//
// Threads: any.
enum class PersistentState : uint32_t { kCategories = 1, kProcessName = 2 };
void NotePersistent(PersistentState thing);
bool HasPersistent(PersistentState thing);

// The table that the signal handler reads. ForgetCaptureBuffers drops the parent's buffers in a forked child.
CaptureTable& TheCaptureTable();
void ForgetCaptureBuffers();

// Makes a Segment object in memory that is never freed. Returns null if there is no memory.
Segment* NewSegment();

// Fills in what may change while a recording runs, except for its capacity. The features have those that were asked of
// the hooks library.
void DescribeSettings(const StartParameters& parameters, SegmentHeader& header);
// Fills the header of a recording that begins now in this process.
void DescribeRecording(const StartParameters& parameters, SegmentHeader& header);

// The exit status of this process, and the resources that it has used.
struct ProcessEnd {
  int status = 0;  // as exit(3) gets it
  int64_t user_cpu_ns = 0, system_cpu_ns = 0;
  uint64_t peak_memory_bytes = 0;
  int64_t sampler_cpu_ns = 0;  // the sampler thread's part of the CPU time

  static ProcessEnd Read(int status, int64_t sampler_cpu_ns);
};

// Writes the end of the process into the header.
void DescribeEnd(const ProcessEnd& end, SegmentHeader& header);

// DescribeProcess writes the executable, the arguments, the filters and the problems of the parameters into the
// metadata. DescribeFilters writes the filters alone.
void DescribeFilters(const StartParameters& parameters, MetadataWriter& metadata);
void DescribeProcess(const StartParameters& parameters, MetadataWriter& metadata);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_CONTROL_H_
