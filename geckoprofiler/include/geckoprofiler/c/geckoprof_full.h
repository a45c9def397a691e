/* The full library's API for C99, and for whatever calls C: control, threads, state. geckoprof_output.h beside it takes
 * profiles and backtraces out; labels, markers and counters are base's: baseprofiler/c/geckoprof_base.h.
 *
 *   int main(void) {
 *     geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
 *     char why[200];
 *     geckoprof_init();                                  takes over what base recorded since the start
 *     geckoprof_start(&wanted, 0);
 *     work();
 *     if (geckoprof_save_profile("profile-%p.json", why, sizeof(why)) != GECKOPROF_DONE) fprintf(stderr, "%s\n", why);
 *     geckoprof_shutdown();                              hands back: base records the end of the process
 *   }
 *
 * Link with -lgeckoprofiler, or load it by name: dlopen("libgeckoprofiler.so.0", RTLD_NOW) and dlsym of each function;
 * it may be closed again, but not by one of its callbacks. Stable: functions, fields and numbers are only added.
 * Nothing is thrown; a call for which memory runs out answers GECKOPROF_NO_MEMORY and may be repeated. Threads: any, in
 * any order. Not in signal handlers: one that interrupted this library is answered GECKOPROF_WRONG_THREAD. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_

#include <stddef.h>
#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprofiler/c/geckoprof_full_functions.h"
#include "geckoprofiler/c/geckoprof_threads.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* What a status means: "nothing is recorded". Never null. Static. Signal safe. */
const char* geckoprof_status_text(int status);

/* --- control: each answers a geckoprof_status ---
 *
 * `detail`, of `detail_bytes`, takes a sentence that says what went wrong, or what the caller should know of a success.
 * It is cut to what fits, always terminated, mostly empty after a success, and may be null. */

/* Becomes the owner of base's recording, active or not: it goes on without a gap. Every function that needs it does it.
 */
int geckoprof_init(void);
/* Gives the recording back to base, which goes on to the end of the process. */
int geckoprof_shutdown(void);

/* What geckoprof_control does. Append only. */
#define GECKOPROF_ACTION_INIT 0u
#define GECKOPROF_ACTION_SHUTDOWN 1u
#define GECKOPROF_ACTION_STOP 2u
#define GECKOPROF_ACTION_PAUSE 3u
#define GECKOPROF_ACTION_RESUME 4u
#define GECKOPROF_ACTION_PAUSE_SAMPLING 5u
#define GECKOPROF_ACTION_RESUME_SAMPLING 6u
/* The same as the function of the action's name, with a detail. OUT_OF_RANGE: there is no such action. */
int geckoprof_control(uint32_t action, char* detail, size_t detail_bytes);

/* Starts recording; ranges and defaults as for base's (geckoprof_control.h). What base recorded of itself is kept; a
 * recording of this library's is stopped and discarded. Pointers may be null: defaults, and nobody who asks. */
int geckoprof_start(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome);
/* The same, but a recording of this library's with the same parameters goes on (UNCHANGED). */
int geckoprof_ensure_started(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome);
/* Discards what was recorded, unless a recorder outside of the process holds it. */
int geckoprof_stop(void);
/* Neither samples nor markers. */
int geckoprof_pause(void);
int geckoprof_resume(void);
/* No samples; markers go on. The two kinds of pause are independent of each other. */
int geckoprof_pause_sampling(void);
int geckoprof_resume_sampling(void);

/* What this process is called in profiles, instead of its program's name. It stays so in later recordings. Null or
 * empty takes it back. OLD_BASE: the loaded base cannot do it. */
int geckoprof_set_process_name(const char* name);

/* Shows `visit` the parameters that are in effect, until it returns. INACTIVE: nothing is recorded. */
typedef void (*geckoprof_start_parameters_visitor)(void* user, const geckoprof_start_parameters* parameters);
int geckoprof_visit_start_parameters(geckoprof_start_parameters_visitor visit, void* user);

/* --- asking: a call and a few loads each; signal safe --- */

#define GECKOPROF_STATE_ACTIVE 1u
#define GECKOPROF_STATE_PAUSED 2u          /* neither samples nor markers */
#define GECKOPROF_STATE_SAMPLING_PAUSED 4u /* no samples, also while everything is paused */
uint32_t geckoprof_get_state(void);

/* The features that are on; 0 while nothing is recorded. */
uint32_t geckoprof_get_features(void);
/* Those that a start can turn on. */
uint32_t geckoprof_get_available_features(void);
/* The name of one bit, "memory" or "bit 30". Static. */
const char* geckoprof_feature_name(uint32_t feature);
/* Why a start cannot turn this bit on; empty for one that it can. Static. */
const char* geckoprof_feature_refusal_reason(uint32_t feature);

/* ms on the time line of the process's profiles: since it began, or since base was loaded by dlopen. 0: that is not
 * known yet, and there is no memory to find it out. Not signal safe. */
double geckoprof_get_time_ms(void);

/* --- being told --- */

/* Bits of states. Pausing, stopping, generating and shutting down are told before they happen. */
#define GECKOPROF_TELL_ALREADY_ACTIVE 1u /* at once, in geckoprof_add_state_callback */
#define GECKOPROF_TELL_REMOVING 2u       /* in geckoprof_remove_state_callback */
#define GECKOPROF_TELL_STARTED 4u
#define GECKOPROF_TELL_PAUSING 8u
#define GECKOPROF_TELL_RESUMED 16u
#define GECKOPROF_TELL_GENERATING 32u
#define GECKOPROF_TELL_STOPPING 64u
#define GECKOPROF_TELL_SHUTTING_DOWN 128u

/* `user` is given back as it is, and must be valid until the callback is removed. */
typedef void (*geckoprof_state_callback)(void* user, uint32_t state);

/* Calls `callback` for each of `states`, without any lock of the profiler's, on the thread that changes the state, or
 * on one of the profiler's for what base's API changed. It may call all of this API, and must not throw. *id (may be
 * null): for geckoprof_remove_state_callback. OUT_OF_RANGE: null, or states that there are not. */
int geckoprof_add_state_callback(uint32_t states, geckoprof_state_callback callback, void* user, uint64_t* id);
/* The same for a caller that chooses the id, which several callbacks may have. Callbacks of key 0 stay. `release` (may
 * be null) is called once with `user`: when the callback can be called no more, or before this returns if it is not
 * added. */
typedef void (*geckoprof_release_callback)(void* user);
int geckoprof_add_keyed_state_callback(uint64_t key, uint32_t states, geckoprof_state_callback callback, void* user,
                                       geckoprof_release_callback release);
/* After it no call is under way on another thread, unless it is called from a state callback. UNCHANGED: no such id. */
int geckoprof_remove_state_callback(uint64_t id);

/* What a tick came to: 0 the recording ended before it, 1 sampling is paused, 2 it sampled without stacks, 3 sampled.
 */
typedef void (*geckoprof_sampling_callback)(void* user, uint32_t outcome);

/* Calls `callback` once, after the next tick, on a thread of the profiler's. INACTIVE, OWNED, NO_SAMPLER: it never
 * will. */
int geckoprof_call_after_sampling(geckoprof_sampling_callback callback, void* user);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_ */
