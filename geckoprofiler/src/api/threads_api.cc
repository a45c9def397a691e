// geckoprofiler/c/geckoprof_threads.h.
#include "geckoprofiler/c/geckoprof_threads.h"
#include "runtime/api_locks.h"
#include "threads/current_thread.h"
#include "threads/thread_directory.h"

using geckoprof::ApiLockRank;
using geckoprof::ApiLocks;
using geckoprof::CurrentThread;
using geckoprof::RegisteredThread;
using geckoprof::ThreadDirectory;
using geckoprof::ThreadId;

namespace {

// Returns false if the thread has unregistered. `goes_on` receives the visitor's answer. REQUIRES: a Walk, which keeps
// the record alive even if the visitor ends its own thread's registration.
bool Visit(RegisteredThread& thread, geckoprof_thread_visitor visit, void* user, bool* goes_on) {
  const RegisteredThread::Lock lock(thread);
  if (!thread.is_registered()) return false;
  geckoprof_thread_info info = {};
  info.size_bytes = sizeof(info);
  info.tid = thread.facts().tid.ToNumber();
  info.name = thread.name();
  info.register_time_ns = thread.facts().register_time_ns;
  info.cpu_time_ns = thread.CpuTimeNs();
  info.flags = (thread.facts().is_main ? GECKOPROF_THREAD_IS_MAIN : 0) |
               (thread.is_sleeping() ? GECKOPROF_THREAD_IS_SLEEPING : 0) |
               (thread.is_selected() ? GECKOPROF_THREAD_IS_SELECTED : 0);
  *goes_on = visit(user, &info) != 0;
  return true;
}

// A thread that is in a visit would wait for itself.
bool IsVisiting() { return ApiLocks::Holds(ApiLockRank::kData); }

}  // namespace

int geckoprof_register_thread(const char* name) { return static_cast<int>(CurrentThread::Register(name)); }
int geckoprof_unregister_thread(void) { return static_cast<int>(CurrentThread::Unregister()); }
uint64_t geckoprof_begin_thread_scope(const char* name) { return CurrentThread::BeginScope(name); }
void geckoprof_end_thread_scope(uint64_t scope) { CurrentThread::EndScope(scope); }
uint32_t geckoprof_thread_registrations(void) { return CurrentThread::registrations(); }

int geckoprof_thread_is_profiled(int32_t tid, uint32_t what) {
  return CurrentThread::IsProfiled(ThreadId::FromNumber(tid), what) ? 1 : 0;
}

void geckoprof_thread_sleep(void) { CurrentThread::Sleep(); }
void geckoprof_thread_wake(void) { CurrentThread::Wake(); }
int geckoprof_thread_is_sleeping(void) {
  const RegisteredThread* const thread = CurrentThread::record();
  return thread != nullptr && thread->is_sleeping() ? 1 : 0;
}
void geckoprof_mark_thread_asleep(void) { CurrentThread::MarkAsleep(); }
void geckoprof_mark_thread_awake(void) { CurrentThread::MarkAwake(); }

void geckoprof_visit_threads(geckoprof_thread_visitor visit, void* user) {
  if (visit == nullptr || IsVisiting()) return;
  bool goes_on = true;
  ThreadDirectory::Walk walk;
  while (RegisteredThread* const thread = goes_on ? walk.Next() : nullptr) Visit(*thread, visit, user, &goes_on);
}

int geckoprof_visit_thread(int32_t tid, geckoprof_thread_visitor visit, void* user) {
  if (visit == nullptr || IsVisiting()) return 0;
  bool goes_on = true;
  ThreadDirectory::Walk walk;
  if (tid == 0) return CurrentThread::record() != nullptr && Visit(*CurrentThread::record(), visit, user, &goes_on);
  while (RegisteredThread* const thread = walk.Next()) {
    if (thread->facts().tid.ToNumber() == tid) return Visit(*thread, visit, user, &goes_on) ? 1 : 0;
  }
  return 0;
}
