#ifndef GECKOPROF_GECKOPROFILER_THREADS_CURRENT_THREAD_H_
#define GECKOPROF_GECKOPROFILER_THREADS_CURRENT_THREAD_H_

#include <cstdint>

#include "geckoprof/base/ids.h"
#include "geckoprofiler/profiler_values.h"
#include "threads/registered_thread.h"

namespace geckoprof {

// CurrentThread: the calling thread's registration, its sleep, and the data that is recorded of it.
//
// Registrations nest. The first one is the root. Its name and record stay. Others are counted, and each is marked in
// the profile.
//   root by Register:    the thread is registered until there were as many ends as beginnings
//   root by BeginScope:  until its EndScope, whatever was done in between; one Unregister too many does nothing
// Ends without a beginning do nothing. A thread that ends while it is registered is unregistered.
//
// Registering waits for no other thread but one that looks at a filter just then. Unregistering waits for a thread that
// holds this thread's RegisteredThread::Lock. A walk over all threads makes no thread wait here. The thread's name in
// the kernel is left alone.
//
// A pthread key tells of a thread's end, and not a thread_local object, which would keep this library from being
// unloaded. After this library is unloaded, threads that end leave their records' memory behind.
//
// Threads: each acts on itself.
// Context: a thread that libc knows, and not signal context.
class CurrentThread {
 public:
  // Null if the calling thread is not registered. No other thread ends the registration.
  static RegisteredThread* record();
  // How often the calling thread is registered.
  static uint32_t registrations() { return record() != nullptr ? record()->registrations : 0; }

  // Copies the name. Null means "". kNoMemory means that nothing has changed. kWrongThread means that the caller is a
  // handler or an allocator that interrupted this library.
  static ProfilerStatus Register(const char* name);
  // Returns kUnchanged if the thread is not registered.
  static ProfilerStatus Unregister();

  // Returns the argument of EndScope, or 0 if the thread could not be registered.
  static uint64_t BeginScope(const char* name);
  // Does nothing on another thread, or if the scope's root has ended.
  static void EndScope(uint64_t scope);

  // Installs the handlers for ends of threads and for forks. Several calls are harmless.
  static void InstallHooks();

  // True if something is recorded and not paused, and at least one of `what` is recorded of the calling thread.
  // `what` has bits of GECKOPROF_THREAD_... Markers are recorded of every thread, the others of selected ones.
  static bool IsProfiled(uint32_t what);
  // Does the same for another thread of this process. 0 means the calling thread. During a visit of a registered thread
  // the answer about another one is false, but for markers.
  static bool IsProfiled(ThreadId tid, uint32_t what);

  // The state is kept whether something is recorded or not. The thread's times awake are markers, "Awake". Nothing on a
  // thread that is not registered.
  static void Sleep();
  static void Wake();
  // The markers alone.
  static void MarkAsleep();
  static void MarkAwake();

 private:
  static ProfilerStatus BeginRoot(const char* name, bool is_scope);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_CURRENT_THREAD_H_
