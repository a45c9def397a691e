#include "geckoprofiler/profiler_thread_registration.h"

void profiler_register_thread(const char* name, const void* guess_stack_top) {
  geckoprof::ThreadRegistration::RegisterThread(name, guess_stack_top);
}

void profiler_unregister_thread() { geckoprof::ThreadRegistration::UnregisterThread(); }
