#include "geckoprofiler/profiler_thread_registration.h"

geckoprof::ProfilerStatus profiler_register_thread(const char* name, const void* guess_stack_top) {
  return geckoprof::ThreadRegistration::RegisterThread(name, guess_stack_top);
}

geckoprof::ProfilerStatus profiler_unregister_thread() { return geckoprof::ThreadRegistration::UnregisterThread(); }
