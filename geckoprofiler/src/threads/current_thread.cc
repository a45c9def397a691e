#include "threads/current_thread.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <optional>

#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/system_marker_types.h"
#include "geckoprof/base/clock.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/labels/builtin_categories.h"
#include "geckoprofiler/c/geckoprof_threads.h"
#include "threads/thread_base_link.h"
#include "threads/thread_directory.h"

namespace geckoprof {
namespace {

// Initial-exec costs one instruction. It uses 8 bytes of the static TLS that the loader reserves for libraries that are
// loaded late.
[[gnu::tls_model("initial-exec")]] constinit thread_local RegisteredThread* t_record = nullptr;

constinit std::atomic<uint64_t> last_number{0};

// A scope is the number of the root that it is or is nested in, and this bit if it is the root.
constexpr uint64_t kIsRoot = 1;

// --- the ends of threads, and forks ---

constinit std::atomic<bool> has_key{false};  // release: end_key is set
pthread_key_t end_key;
pthread_once_t install_once = PTHREAD_ONCE_INIT;  // libc knows of forks in the middle of it

__attribute__((destructor)) void DeleteKey() {
  if (has_key.exchange(false, std::memory_order_acq_rel)) pthread_key_delete(end_key);
}

// Decides whether the end of the calling thread is reported. The value is not null and is not used.
void WatchEnd(bool watch) {
  if (has_key.load(std::memory_order_acquire)) pthread_setspecific(end_key, watch ? &has_key : nullptr);
}

// --- one registration ---

ThreadId CurrentId() { return ThreadId::FromNumber(static_cast<int32_t>(RawSyscall(SYS_gettid))); }

void MarkMisuse(const char* what, const char* name) { ThreadBaseLink::Current().MarkNow(what, name); }

// Registering is a call of this library. Code that interrupts it must not begin another one, nor wait for a lock of
// this thread's.
bool IsRefused() { return ApiLocks::Holds(ApiLockRank::kProfiler) || !ApiLocks::MayAcquire(ApiLockRank::kPolicy); }

// Returns the facts of the calling thread, with base's facts about it.
RegisteredThread::Facts CurrentFacts() {
  RegisteredThread::Facts facts;
  facts.tid = CurrentId();
  facts.is_main = facts.tid.ToNumber() == static_cast<int32_t>(RawSyscall(SYS_getpid));
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  if (base.thread_registration != nullptr) {
    facts.register_time_ns = base.thread_registration(facts.name_in_base, sizeof facts.name_in_base);
  }
  if (facts.register_time_ns <= 0) facts.register_time_ns = MonotonicNs();
  return facts;
}

// Makes the root, or null if memory ran out. A thread that base could not be told of is registered all the same.
RegisteredThread* Attach(const char* name, bool is_scope) {
  const uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  RegisteredThread* const record = RegisteredThread::Make(name, CurrentFacts(), number, is_scope);
  if (record == nullptr) return nullptr;
  t_record = record;
  WatchEnd(true);
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  if (base.register_thread != nullptr) base.register_thread(record->name());
  return record;
}

// The calling thread becomes unregistered.
RegisteredThread* Detach() {
  RegisteredThread* const record = t_record;
  t_record = nullptr;
  WatchEnd(false);
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  if (base.unregister_thread != nullptr) base.unregister_thread();
  return record;
}

// Removes one registration of the thread. Returns true if it was the last one.
bool EndOne(RegisteredThread& record) {
  if (record.registrations > 1) {
    --record.registrations;
    return false;
  }
  if (!record.ends_with_scope()) return true;
  MarkMisuse("profiler_unregister_thread again", record.name());
  return false;
}

// --- recorded data ---

// This bit of geckoprof_base_state is set while markers are recorded. A pause of sampling alone leaves it set.
constexpr uint32_t kRecordsMarkers = 1;

bool IsActive() {
  uint32_t (*const state)(void) = ThreadBaseLink::Current().state;
  return state != nullptr && (state() & kRecordsMarkers) != 0;
}

// The fields of markers::Awake, in its order.
struct AwakeFacts {
  std::optional<int64_t> cpu_ns = {}, cpu = {}, priority = {};
};

void AddAwakeMarker(uint32_t phase, const AwakeFacts& facts) {
  static constinit geckoprof_marker_site site = {sizeof(geckoprof_marker_site), kOtherCategory << 8, "Awake",
                                                 internal::ConstantTypeOf<markers::Awake>(), 0};
  uint8_t payload[3 * (1 + sizeof(int64_t))];
  size_t size = 0;
  for (const std::optional<int64_t>& field : {facts.cpu_ns, facts.cpu, facts.priority}) {
    payload[size++] = field.has_value() ? 1 : 0;
    if (!field.has_value()) continue;
    std::memcpy(payload + size, &*field, sizeof *field);
    size += sizeof *field;
  }
  (void)ThreadBaseLink::Current().Mark(site, phase, {payload, size});
}

// The nice value of the calling thread, from -20, the most important, to 19. The kernel's call returns 20 less that.
std::optional<int64_t> Priority() {
  const long answer = RawSyscall(SYS_getpriority, PRIO_PROCESS, 0);
  return IsSyscallError(answer) ? std::nullopt : std::optional<int64_t>(20 - answer);
}

}  // namespace

RegisteredThread* CurrentThread::record() { return t_record; }

void CurrentThread::InstallHooks() {
  pthread_once(&install_once, [] {
    const auto in_forked_child = [] {
      if (t_record != nullptr) t_record->AdoptInForkedChild(CurrentId());
      ThreadDirectory::ResetInForkedChild(t_record);
    };
    const auto on_thread_end = [](void*) {
      if (t_record != nullptr) ThreadDirectory::Remove(Detach());
    };
    pthread_atfork(nullptr, nullptr, in_forked_child);  // libc undoes it when this library is unloaded
    if (pthread_key_create(&end_key, on_thread_end) == 0) has_key.store(true, std::memory_order_release);
  });
}

ProfilerStatus CurrentThread::Register(const char* name) {
  if (t_record != nullptr) {  // counting takes no lock and no memory
    ++t_record->registrations;
    MarkMisuse("profiler_register_thread again", name != nullptr ? name : "");
    return ProfilerStatus::kDone;
  }
  return BeginRoot(name, false);
}

ProfilerStatus CurrentThread::BeginRoot(const char* name, bool is_scope) {
  if (IsRefused()) return ProfilerStatus::kWrongThread;
  const ApiLocks::Scope inside(ApiLockRank::kProfiler);
  InstallHooks();
  RegisteredThread* const record = Attach(name != nullptr ? name : "", is_scope);
  if (record == nullptr) return ProfilerStatus::kNoMemory;
  ThreadDirectory::Add(record);
  return ProfilerStatus::kDone;
}

ProfilerStatus CurrentThread::Unregister() {
  if (t_record == nullptr) return ProfilerStatus::kUnchanged;
  if (t_record->registrations == 1 && IsRefused()) return ProfilerStatus::kWrongThread;
  if (EndOne(*t_record)) ThreadDirectory::Remove(Detach());
  return ProfilerStatus::kDone;
}

uint64_t CurrentThread::BeginScope(const char* name) {
  if (t_record != nullptr) {
    (void)Register(name);
    return t_record->number() << 1;
  }
  return BeginRoot(name, true) == ProfilerStatus::kDone ? t_record->number() << 1 | kIsRoot : 0;
}

void CurrentThread::EndScope(uint64_t scope) {
  if (t_record == nullptr || t_record->number() != scope >> 1) return;  // ended already, or on another thread
  if ((scope & kIsRoot) != 0 || EndOne(*t_record)) ThreadDirectory::Remove(Detach());
}

bool CurrentThread::IsProfiled(uint32_t what) {
  if ((what & GECKOPROF_THREAD_MARKERS) != 0) return IsActive();
  const bool asks = (what & (GECKOPROF_THREAD_CPU | GECKOPROF_THREAD_SAMPLING)) != 0;
  return asks && t_record != nullptr && t_record->is_selected() && IsActive();
}

bool CurrentThread::IsProfiled(ThreadId tid, uint32_t what) {
  if (!tid.IsSpecified() || tid == CurrentId()) return IsProfiled(what);
  if (!IsActive()) return false;
  // Markers are of every thread, registered or not, so the question is whether there is such a thread.
  if ((what & GECKOPROF_THREAD_MARKERS) != 0) return RawSyscall(SYS_tgkill, getpid(), tid.ToNumber(), 0) == 0;
  if ((what & (GECKOPROF_THREAD_CPU | GECKOPROF_THREAD_SAMPLING)) == 0) return false;
  if (!ApiLocks::MayAcquire(ApiLockRank::kRegistry)) return false;
  ThreadDirectory::Walk walk;
  while (const RegisteredThread* const thread = walk.Next()) {
    if (thread->facts().tid == tid) return thread->is_selected();
  }
  return false;
}

void CurrentThread::Sleep() {
  if (t_record == nullptr) return;
  MarkAsleep();
  t_record->set_sleeping(true);
}

void CurrentThread::Wake() {
  if (t_record == nullptr) return;
  t_record->set_sleeping(false);
  MarkAwake();
}

void CurrentThread::MarkAsleep() {
  if (t_record == nullptr) return;
  if (!IsActive()) {
    t_record->cpu_at_sleep_ns = -1;  // CPU time from here on is not since the last sleep that was marked
    return;
  }
  const int64_t cpu_ns = t_record->CpuTimeNs();
  AwakeFacts facts;
  if (cpu_ns >= 0 && t_record->cpu_at_sleep_ns >= 0) facts.cpu_ns = cpu_ns - t_record->cpu_at_sleep_ns;
  t_record->cpu_at_sleep_ns = cpu_ns < 0 ? -1 : cpu_ns;
  AddAwakeMarker(GECKOPROF_MARKER_INTERVAL_END, facts);
}

void CurrentThread::MarkAwake() {
  if (t_record == nullptr || !IsActive()) return;
  AwakeFacts facts;
  if (const int cpu = sched_getcpu(); cpu >= 0) facts.cpu = cpu;
  facts.priority = Priority();
  AddAwakeMarker(GECKOPROF_MARKER_INTERVAL_START, facts);
}

}  // namespace geckoprof
