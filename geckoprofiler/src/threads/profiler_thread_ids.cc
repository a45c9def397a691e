#include "geckoprofiler/profiler_thread_ids.h"

#include <unistd.h>

#include "geckoprof/base/raw_syscall.h"

geckoprof::ProfilerProcessId profiler_current_process_id() {
  return geckoprof::ProfilerProcessId::FromNumber(static_cast<int32_t>(geckoprof::RawSyscall(SYS_getpid)));
}

geckoprof::ProfilerThreadId profiler_current_thread_id() {
  return geckoprof::ProfilerThreadId::FromNumber(static_cast<int32_t>(geckoprof::RawSyscall(SYS_gettid)));
}

geckoprof::ProfilerThreadId profiler_main_thread_id() {
  return geckoprof::ProfilerThreadId::FromNumber(profiler_current_process_id().ToNumber());
}

bool profiler_is_main_thread() { return profiler_current_thread_id() == profiler_main_thread_id(); }
