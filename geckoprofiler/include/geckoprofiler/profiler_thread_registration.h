// Registering threads under the names of the original's API. See ThreadRegistration for what nests and what is
// tolerated.
#ifndef GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRATION_H_
#define GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRATION_H_

#include "geckoprofiler/thread_registration.h"

#pragma GCC visibility push(default)

// `guess_stack_top`: any address in the thread's outermost frame; null will do where the stack is one that libc made.
// What is answered is told at ThreadRegistration::RegisterThread.
geckoprof::ProfilerStatus profiler_register_thread(const char* name, const void* guess_stack_top = nullptr);
geckoprof::ProfilerStatus profiler_unregister_thread();

#pragma GCC visibility pop

#define GECKOPROF_THREAD_JOIN_(a, b) a##b
#define GECKOPROF_THREAD_JOIN(a, b) GECKOPROF_THREAD_JOIN_(a, b)

#define PROFILER_REGISTER_THREAD(name) ::profiler_register_thread(name, __builtin_frame_address(0))
#define PROFILER_UNREGISTER_THREAD() ::profiler_unregister_thread()
// To the end of the scope; should be the first object in the thread's function.
#define AUTO_PROFILER_REGISTER_THREAD(name)                                                     \
  const ::geckoprof::ThreadRegistration GECKOPROF_THREAD_JOIN(profiler_thread_, __LINE__)(name, \
                                                                                          __builtin_frame_address(0))

#endif  // GECKOPROF_GECKOPROFILER_PROFILER_THREAD_REGISTRATION_H_
