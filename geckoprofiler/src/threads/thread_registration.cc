#include "geckoprofiler/thread_registration.h"

#include <pthread.h>

#include <atomic>
#include <new>

#include "geckoprof/base/clock.h"
#include "geckoprofiler/profiler_thread_registry.h"
#include "geckoprofiler/thread_base_link.h"
#include "thread_end_hooks.h"
#include "thread_registration_current.h"
#include "thread_registration_record.h"

namespace geckoprof {

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadRegistrationRecord* current_thread_record = nullptr;

namespace {

constinit std::atomic<uint64_t> last_number{0};

// libc knows where the stack ends; a frame somewhere else is on a stack that the program made itself, and then the
// frame is all that is known.
const void* StackTop(const void* frame) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return frame;
  void* low = nullptr;
  size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return frame;
  const uintptr_t from = reinterpret_cast<uintptr_t>(low), at = reinterpret_cast<uintptr_t>(frame);
  if (frame != nullptr && (at < from || at - from > bytes)) return frame;
  return static_cast<const char*>(low) + bytes;
}

void MarkOddity(const char* what, const char* name) { ThreadBaseLink::Current().MarkNow(what, name); }

// What base has of the calling thread already.
struct EarlierRegistration {
  char name[64] = "";
  int64_t time_ns = 0;
};
EarlierRegistration FindEarlierRegistration() {
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  EarlierRegistration earlier;
  if (base.thread_registration != nullptr) {
    earlier.time_ns = base.thread_registration(earlier.name, sizeof earlier.name);
  }
  return earlier;
}

// Registering is a call of the library's: who interrupts it must not begin another, nor wait for a lock of this
// thread's.
class Inside {
 public:
  static bool IsRefused() {
    return ThreadLockOrder::Holds(ThreadLockRank::kProfiler) || !ThreadLockOrder::MayTake(ThreadLockRank::kPolicy);
  }
  Inside() { ThreadLockOrder::Take(ThreadLockRank::kProfiler); }
  ~Inside() { ThreadLockOrder::Release(ThreadLockRank::kProfiler); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// The calling thread becomes unregistered.
ThreadRegistrationRecord* Detach() {
  ThreadRegistrationRecord* const record = current_thread_record;
  current_thread_record = nullptr;
  WatchThreadEnd(false);
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  if (base.unregister_thread != nullptr) base.unregister_thread();
  return record;
}

// Makes the root, or null if memory ran out. A thread that the base tier could not be told of is registered all the
// same.
ThreadRegistrationRecord* Attach(const char* name, const void* stack_top, bool on_stack) {
  const ProfilerThreadId tid = profiler_current_thread_id();
  const uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  const EarlierRegistration earlier = FindEarlierRegistration();
  ThreadRegistrationInfo info(name, tid, tid == profiler_main_thread_id(),
                              earlier.time_ns > 0 ? earlier.time_ns : MonotonicNs(), earlier.name);
  const bool has_no_name = info.Name()[0] == '\0';
  if (has_no_name && name != nullptr && name[0] != '\0') return nullptr;
  auto* const record =
      new (std::nothrow) ThreadRegistrationRecord(std::move(info), StackTop(stack_top), number, on_stack);
  if (record == nullptr) return nullptr;
  current_thread_record = record;
  WatchThreadEnd(true);
  const ThreadBaseLink& base = ThreadBaseLink::Current();
  if (base.register_thread != nullptr) base.register_thread(record->Info().Name());
  return record;
}

// One registration of the thread less. Whether it was the last one.
bool EndOne(ThreadRegistrationRecord& record) {
  if (record.registrations > 1) {
    --record.registrations;
    return false;
  }
  if (!record.on_stack) return true;
  MarkOddity("profiler_unregister_thread again", record.Info().Name());
  return false;
}

}  // namespace

ThreadRegistration::ThreadRegistration(const char* name, const void* stack_top)
    : root_number_(BeginOnStack(name, stack_top)), is_root_(IsRegistered() && RegistrationCount() == 1) {}

ThreadRegistration::~ThreadRegistration() {
  ThreadRegistrationRecord* const record = current_thread_record;
  // Ended already, or on another thread.
  if (record == nullptr || record->number != root_number_) return;
  if (is_root_ || EndOne(*record)) End();
}

ProfilerStatus ThreadRegistration::RegisterThread(const char* name, const void* stack_top) {
  uint64_t root_number = 0;
  return Begin(name, stack_top, false, root_number);
}

ProfilerStatus ThreadRegistration::UnregisterThread() {
  ThreadRegistrationRecord* const record = current_thread_record;
  if (record == nullptr) return ProfilerStatus::kUnchanged;
  if (record->registrations == 1 && Inside::IsRefused()) return ProfilerStatus::kWrongThread;
  if (EndOne(*record)) End();
  return ProfilerStatus::kDone;
}

uint64_t ThreadRegistration::BeginOnStack(const char* name, const void* stack_top) {
  uint64_t root_number = 0;
  (void)Begin(name, stack_top, true, root_number);
  return root_number;
}

// `root_number`: of the root that it is or is nested in.
ProfilerStatus ThreadRegistration::Begin(const char* name, const void* stack_top, bool on_stack,
                                         uint64_t& root_number) {
  ThreadRegistrationRecord* record = current_thread_record;
  if (record == nullptr && Inside::IsRefused()) return ProfilerStatus::kWrongThread;
  if (record != nullptr) {  // counting takes no lock and no memory
    ++record->registrations;
    MarkOddity("profiler_register_thread again", name != nullptr ? name : "");
  } else {
    const Inside inside;
    InstallHooks();
    record = Attach(name, stack_top, on_stack);
    if (record == nullptr) return ProfilerStatus::kNoMemory;
    ProfilerThreadRegistry::Add(record);
  }
  root_number = record->number;
  return ProfilerStatus::kDone;
}

void ThreadRegistration::InstallHooks() { InstallThreadEndHooks(ThreadEnds, InForkedChild); }

void ThreadRegistration::End() { ProfilerThreadRegistry::Remove(Detach()); }

void ThreadRegistration::ThreadEnds() {
  if (current_thread_record != nullptr) End();
}

void ThreadRegistration::InForkedChild() {
  ThreadRegistrationRecord* const record = current_thread_record;
  if (record != nullptr) record->AdoptInForkedChild(profiler_current_thread_id());
  ProfilerThreadRegistry::ResetInForkedChild(record);
}

ThreadRegistration::OnThreadPtr ThreadRegistration::GetOnThreadPtr() {
  return OnThreadPtr(current_thread_record, current_thread_record);
}

bool ThreadRegistration::IsRegistered() { return current_thread_record != nullptr; }

uint32_t ThreadRegistration::RegistrationCount() {
  return current_thread_record != nullptr ? current_thread_record->registrations : 0;
}

}  // namespace geckoprof
