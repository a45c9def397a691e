#include "process/process_control.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <new>
#include <string_view>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

// A page of its own, so that wiping it wipes nothing else. Its beginning is what marker_abi.h calls
// geckoprof_base_words, and is exported.
struct alignas(kPageBytes) WipedPage {
  std::atomic<uint32_t> state;
  std::atomic<uint32_t> clock;
  uint8_t rest[kPageBytes - 2 * sizeof(std::atomic<uint32_t>)];
};
static_assert(sizeof(WipedPage) == kPageBytes);
extern "C" {
__attribute__((visibility("default"))) constinit WipedPage g_wiped __asm__("geckoprof_base_words"){};
}

constinit CaptureTable g_capture_table{};

}  // namespace

ProcessId CurrentProcess() { return ProcessId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_getpid))); }
ProcessId ParentProcess() { return ProcessId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_getppid))); }
ThreadId CurrentThread() { return ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid))); }

bool ThreadExists(ProcessId process, ThreadId thread) {
  return RawSyscall(SYS_tgkill, process.ToNumber(), thread.ToNumber(), 0) == 0;
}

void CopyCommandName(char (&name)[16]) { RawSyscall(SYS_prctl, PR_GET_NAME, name); }

// The last field of stat(5) in proc, in the form of waitpid(2).
int MainThreadExitStatus() {
  char text[1024];
  const Fd file = Fd::Open("/proc/self/stat", O_RDONLY);
  const long length = RawSyscall(SYS_read, file.number(), text, sizeof(text));
  int code = 0;
  int scale = 1;
  for (long i = length - 1; i >= 0 && text[i] != ' '; --i) {
    if (text[i] < '0' || text[i] > '9') continue;  // the end of the line
    code += (text[i] - '0') * scale;
    scale *= 10;
  }
  return code >> 8 & 0xff;
}

std::atomic<uint32_t>& ForkSafeState() { return g_wiped.state; }
std::atomic<uint32_t>& ForkSafeClock() { return g_wiped.clock; }
void WipeStateOnFork() { RawSyscall(SYS_madvise, &g_wiped, kPageBytes, MADV_WIPEONFORK); }

CaptureTable& TheCaptureTable() { return g_capture_table; }

void ForgetCaptureBuffers() {
  g_capture_table.pid.store(0, std::memory_order_relaxed);
  for (auto& buffer : g_capture_table.buffers) buffer.store(nullptr, std::memory_order_relaxed);
}

Segment* NewSegment() {
  const long memory =
      RawSyscall(SYS_mmap, nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_assert(sizeof(Segment) <= kPageBytes);
  return IsSyscallError(memory) ? nullptr : new (reinterpret_cast<void*>(memory)) Segment();
}

void DescribeFilters(const StartParameters& parameters, MetadataWriter& metadata) {
  std::string_view filters[ThreadFilter::kMaxItems];
  const size_t filter_count = parameters.filter.size();
  for (size_t i = 0; i < filter_count; ++i) filters[i] = parameters.filter.item(i);
  metadata.Filters({filters, filter_count});
}

void DescribeProcess(const StartParameters& parameters, MetadataWriter& metadata) {
  char path[1024];
  const long length = RawSyscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path));
  const std::string_view executable(path, length > 0 ? static_cast<size_t>(length) : 0);
  // The kernel's view of the arguments, each with its terminating zero: the program's own pointers may change under us
  // (git and nginx clear them), these bytes only their contents.
  constexpr size_t kMostArguments = 256;
  std::string_view arguments[kMostArguments];
  size_t count = 0;
  char command_line[4096];
  const Fd file = Fd::Open("/proc/self/cmdline", O_RDONLY);
  const long read_bytes = RawSyscall(SYS_read, file.number(), command_line, sizeof(command_line));
  std::string_view rest(command_line, read_bytes > 0 ? static_cast<size_t>(read_bytes) : 0);
  while (!rest.empty() && count < kMostArguments) {
    arguments[count] = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), arguments[count].size() + 1));
    ++count;
  }
  metadata.Process(executable, {arguments, count});

  DescribeFilters(parameters, metadata);
  for (uint32_t i = 0; i < parameters.problem_count; ++i) {
    const StartProblem& problem = parameters.problems[i];
    char text[256];
    TextBuilder line(text);
    line.Text(StartVariableName(problem.variable)).Text(" \"").Text(problem.detail).Text("\" ");
    metadata.Problem(line.Text(StartProblemText(problem.kind)).view());
  }
}

}  // namespace geckoprof
