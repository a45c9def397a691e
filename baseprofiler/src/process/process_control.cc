#include "process/process_control.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <new>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "process/process_title.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

constinit GECKOPROF_LARGE_STORAGE CaptureTable g_capture_table{};
constinit std::atomic<bool> g_was_used{false}, g_stopped_for_good{false};
constinit std::atomic<uint32_t> g_persistent{0};  // bits of PersistentState
// Most processes have one segment. This storage spares them a mapping and a page.
constinit std::atomic<bool> g_has_first_segment{false};
alignas(Segment) uint8_t g_first_segment[sizeof(Segment)];

constexpr size_t kStatBytes = 1024;

// Returns the length of the text, or a negative number.
long ReadOwnStat(char (&text)[kStatBytes]) {
  const Fd file = Fd::Open("/proc/self/stat", O_RDONLY);
  const long length = RawSyscall(SYS_read, file.number(), text, sizeof(text));
  return IsSyscallError(length) ? -1 : length;
}

}  // namespace

constinit GECKOPROF_PAGE_STORAGE WipedPage g_wiped{};
extern WipedPage g_wiped_here __attribute__((alias("geckoprof_base_words")));

ProcessId CurrentProcess() { return ProcessId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_getpid))); }
ProcessId ParentProcess() { return ProcessId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_getppid))); }
ThreadId CurrentThread() { return ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid))); }

int64_t KernelMonotonicNs() {
  timespec now = {};
  RawSyscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

uint32_t PidNamespace() {
  char link[32];  // for example pid:[4026531836]
  const long bytes = RawSyscall(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/pid", link, sizeof(link));
  uint32_t number = 0;
  for (long i = 0; i < bytes; ++i) {
    if (link[i] >= '0' && link[i] <= '9') number = number * 10 + static_cast<uint32_t>(link[i] - '0');
  }
  return number;
}

bool ThreadExists(ProcessId process, ThreadId thread) {
  return RawSyscall(SYS_tgkill, process.ToNumber(), thread.ToNumber(), 0) == 0;
}

void CopyCommandName(char (&name)[16]) { RawSyscall(SYS_prctl, PR_GET_NAME, name); }

uint64_t ProcessStartTicks() {
  constexpr int kStartField = 22;
  char text[kStatBytes];
  const long length = ReadOwnStat(text);
  long at = length - 1;
  while (at >= 0 && text[at] != ')') --at;  // the name before it may hold anything
  if (at < 0) return 0;
  for (int field = 2; field < kStartField; ++at) {
    if (at >= length) return 0;
    if (text[at] == ' ') ++field;
  }
  uint64_t ticks = 0;
  for (; at < length && text[at] >= '0' && text[at] <= '9'; ++at) {
    ticks = ticks * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  return ticks;
}

// The status is the last field of /proc/self/stat (proc(5)), in the form of waitpid(2).
int MainThreadExitStatus() {
  char text[kStatBytes];
  const long length = ReadOwnStat(text);
  int code = 0;
  int scale = 1;
  for (long i = length - 1; i >= 0 && text[i] != ' '; --i) {
    if (text[i] < '0' || text[i] > '9') continue;  // the newline at the end
    code += (text[i] - '0') * scale;
    scale *= 10;
  }
  return code >> 8 & 0xff;
}

void WipeStateOnFork() { RawSyscall(SYS_madvise, &g_wiped, kPageBytes, MADV_WIPEONFORK); }

std::atomic<bool>& StoppedForGood() { return g_stopped_for_good; }
std::atomic<bool>& WasUsed() { return g_was_used; }

void NotePersistent(PersistentState thing) {
  g_persistent.fetch_or(static_cast<uint32_t>(thing), std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // The caller loads the recording next, and only with acquire.
}
bool HasPersistent(PersistentState thing) {
  return (g_persistent.load(std::memory_order_seq_cst) & static_cast<uint32_t>(thing)) != 0;
}

CaptureTable& TheCaptureTable() { return g_capture_table; }

void ForgetCaptureBuffers() {
  g_capture_table.pid.store(0, std::memory_order_relaxed);
  for (auto& buffer : g_capture_table.buffers) buffer.store(nullptr, std::memory_order_relaxed);
  g_capture_table.ticks.store(nullptr, std::memory_order_relaxed);
}

Segment* NewSegment() {
  if (!g_has_first_segment.exchange(true, std::memory_order_relaxed)) return new (g_first_segment) Segment();
  const long memory =
      RawSyscall(SYS_mmap, nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_assert(sizeof(Segment) <= kPageBytes);
  return IsSyscallError(memory) ? nullptr : new (reinterpret_cast<void*>(memory)) Segment();
}

void DescribeSettings(const StartParameters& parameters, SegmentHeader& header) {
  header.interval_ns = header.asked_interval_ns = parameters.interval_ns;
  header.overhead_limit = parameters.overhead_limit;
  header.features = parameters.features | (parameters.requested_features & kHookFeatures);
}

void DescribeRecording(const StartParameters& parameters, SegmentHeader& header) {
  header.created_ns = MonotonicNs();
  header.created_epoch_ns = RealtimeNs();
  DescribeSettings(parameters, header);
  CopyCommandName(header.command_name);
  header.command_line_bytes = static_cast<uint32_t>(ProcessTitle::Get().CopyArguments(header.command_line));
  header.heartbeat_ns.store(header.created_ns, std::memory_order_relaxed);
  header.state.store(static_cast<uint32_t>(SegmentState::kRecording), std::memory_order_release);
}

ProcessEnd ProcessEnd::Read(int status, int64_t sampler_cpu_ns) {
  rusage used = {};
  RawSyscall(SYS_getrusage, RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) { return time.tv_sec * kNsPerSecond + time.tv_usec * kNsPerUs; };
  return {status, ns(used.ru_utime), ns(used.ru_stime), static_cast<uint64_t>(used.ru_maxrss) << 10, sampler_cpu_ns};
}

void DescribeEnd(const ProcessEnd& end, SegmentHeader& header) {
  header.user_cpu_ns.store(end.user_cpu_ns, std::memory_order_relaxed);
  header.system_cpu_ns.store(end.system_cpu_ns, std::memory_order_relaxed);
  header.peak_memory_bytes.store(end.peak_memory_bytes, std::memory_order_relaxed);
  // The sampler tells its time at each tick. If it ran on another thread before, it told more than this thread's time.
  if (end.sampler_cpu_ns > static_cast<int64_t>(header.sampler_cpu_ns.load(std::memory_order_relaxed))) {
    header.sampler_cpu_ns.store(static_cast<uint64_t>(end.sampler_cpu_ns), std::memory_order_relaxed);
  }
  header.exit_word.store(kExitKnown | (static_cast<uint32_t>(end.status) & 0xff), std::memory_order_relaxed);
}

void DescribeFilters(const StartParameters& parameters, MetadataWriter& metadata) {
  std::string_view filters[ThreadFilter::kMaxItems];
  const size_t filter_count = parameters.filter.size();
  for (size_t i = 0; i < filter_count; ++i) filters[i] = parameters.filter.item(i);
  metadata.Filters({filters, filter_count});
}

void DescribeProcess(const StartParameters& parameters, MetadataWriter& metadata) {
  ProcessTitle::Get().Write(metadata, MonotonicNs());
  DescribeFilters(parameters, metadata);
  for (uint32_t i = 0; i < parameters.problem_count; ++i) {
    const StartProblem& problem = parameters.problems[i];
    char text[256];
    TextBuilder line(text);
    if (problem.variable == StartVariable::kOther) {  // the detail is the variable's name
      line.Text(problem.detail).Text(" ");
    } else {
      line.Text(StartVariableName(problem.variable)).Text(" \"").Text(problem.detail).Text("\" ");
    }
    metadata.Problem(line.Text(StartProblemText(problem.kind)).view());
  }
}

}  // namespace geckoprof
