// control_owner_program: a program that controls its recording by the full library. It prints each change of which its
// listener hears, and ends at the end of its input.
#include <cstdio>

#include "geckoprofiler/gecko_profiler.h"

int main() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  profiler_init();
  profiler_add_state_change_callback(
      ProfilingStateSet::AllStates(),
      [](ProfilingState state) {
        if (state == ProfilingState::Pausing) puts("pausing");
        if (state == ProfilingState::Resumed) puts("resumed");
        if (state == ProfilingState::Stopping) puts("stopping");
      },
      1);
  profiler_start();
  puts("ready");
  while (getchar() != EOF) {
  }
  printf("active %d\n", profiler_is_active() ? 1 : 0);
}
