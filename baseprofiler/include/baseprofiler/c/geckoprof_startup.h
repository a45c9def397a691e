/* The phases of a program's start, under names of its own. `geckoprof report --by startup` lists them with their times
 * and shares. This header is part of geckoprof_base.h.
 *
 *   int main(void) {
 *     geckoprof_startup_phase("read settings");
 *     ...
 *     geckoprof_startup_phase("open window");     ends "read settings"
 *     ...
 *     geckoprof_startup_phase(0);                 the start is over
 *   }
 *
 * A phase is an interval of the type StartupPhase, from its call to the next call. A phase that nothing ends is shown
 * as without an end. The program has one phase at a time, whichever thread begins it. C++ and C share the phase.
 *
 * While nothing is recorded, a call costs two loads and a branch. If the recording begins in the middle of a phase,
 * that phase is not recorded. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_STARTUP_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_STARTUP_H_

#include <stdint.h>

#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/detail/category_pairs.h"

#if GECKOPROF_IS_ENABLED_
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if GECKOPROF_IS_ENABLED_

#ifndef __USE_MISC /* libc's header has it only then */
extern long syscall(long number, ...);
#endif

/* The phase that runs. All files of the program share it. */
struct geckoprof_startup_ {
  const char* name; /* null: none */
  int32_t thread;   /* that began it */
  geckoprof_type* type;
  geckoprof_site* site; /* of markers with names of their own */
};
__attribute__((weak)) struct geckoprof_startup_ geckoprof_startup_state_;

static inline void geckoprof_startup_mark_(struct geckoprof_startup_* state, const char* name, uint32_t phase,
                                           int32_t thread) {
  geckoprof_marker_options options = geckoprof_options_(phase, 0, geckoprof_base_time());
  if (state->site == 0) {
    static const char* const display[] = {"marker-chart", "marker-table", "timeline-overview"};
    geckoprof_marker_type description;
    memset(&description, 0, sizeof(description));
    description.size_bytes = GECKOPROF_TO_(uint32_t, sizeof(description));
    description.name = "StartupPhase";
    description.description = "A phase of the program's start";
    description.display = display;
    description.display_count = 3;
    (void)geckoprof_base_declare_type(&state->type, &description);
    if (state->type == 0) return;
    (void)geckoprof_base_declare_site(&state->site, 0, GECKOPROF_CATEGORY_OTHER, state->type);
  }
  options = geckoprof_named(geckoprof_on_thread(options, thread), name);
  (void)geckoprof_base_mark(state->site, &options, 0, 0);
}

/* Begins a phase, and ends the one before. `name` must stay valid until the phase ends. Null ends the start. Calls on
 * several threads at a time must be ordered by the program. Not for signal handlers. */
static inline void geckoprof_startup_phase(const char* name) {
  struct geckoprof_startup_* const state = &geckoprof_startup_state_;
  if (state->name == 0 && (name == 0 || !geckoprof_base_wants_markers())) return;
  if (state->name != 0 && geckoprof_base_wants_markers()) {
    geckoprof_startup_mark_(state, state->name, GECKOPROF_MARKER_INTERVAL_END, state->thread);
  }
  state->name = 0;
  if (name == 0 || !geckoprof_base_wants_markers()) return;
  state->name = name;
  state->thread = GECKOPROF_TO_(int32_t, syscall(SYS_gettid));
  geckoprof_startup_mark_(state, name, GECKOPROF_MARKER_INTERVAL_START, state->thread);
}

#else

static inline void geckoprof_startup_phase(const char* name) { (void)name; }

#endif /* GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_STARTUP_H_ */
