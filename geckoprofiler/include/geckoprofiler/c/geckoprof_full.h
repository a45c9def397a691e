/* The full library's API for C99 and for languages that call C. This header has control, threads and state.
 * geckoprof_output.h has profiles and backtraces. geckoprof_asked_counters.h has counters that the library asks for.
 * Labels, markers and other counters belong to the base library (baseprofiler/c/geckoprof_base.h).
 *
 *   int main(void) {
 *     geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
 *     char why[200];
 *     geckoprof_init();                                  takes over the recording that base began
 *     geckoprof_start(&wanted, 0);
 *     work();
 *     if (geckoprof_save_profile("profile-%p.json", why, sizeof(why)) != GECKOPROF_DONE) fprintf(stderr, "%s\n", why);
 *     geckoprof_shutdown();                              hands back: base records the end of the process
 *   }
 *
 * A program links with -lgeckoprofiler. It may also load the library by dlopen("libgeckoprofiler.so.0", RTLD_NOW), and
 * look each function up by dlsym. It may close the library again, but not in a callback of the library. Stable:
 * functions, fields and numbers are only added.
 *
 * No function throws. If memory runs out, a call answers GECKOPROF_NO_MEMORY, and may be repeated. Any thread may call
 * any function, in any order. The functions are not for signal handlers. A handler that interrupted this library gets
 * GECKOPROF_WRONG_THREAD. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_

#include <stddef.h>
#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprofiler/c/geckoprof_asked_counters.h"
#include "geckoprofiler/c/geckoprof_full_functions.h"
#include "geckoprofiler/c/geckoprof_threads.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* Returns the meaning of a status, such as "nothing is recorded". The text is static and never null. Signal safe. */
const char* geckoprof_status_text(int status);

/* --- control ---
 *
 * Each function answers a geckoprof_status. `detail` has room for `detail_bytes`, and may be null. It receives a
 * sentence about the error, or about a success that is not complete. The sentence is cut to the room and always
 * terminated. It is mostly empty after a success. */

/* Becomes the owner of base's recording, active or not: it goes on without a gap. A function that must own it does the
 * same first. */
int geckoprof_init(void);
/* Gives the recording back to base, which goes on to the end of the process. */
int geckoprof_shutdown(void);

/* The actions of geckoprof_control. Append only. */
#define GECKOPROF_ACTION_INIT 0u
#define GECKOPROF_ACTION_SHUTDOWN 1u
#define GECKOPROF_ACTION_STOP 2u
#define GECKOPROF_ACTION_PAUSE 3u
#define GECKOPROF_ACTION_RESUME 4u
#define GECKOPROF_ACTION_PAUSE_SAMPLING 5u
#define GECKOPROF_ACTION_RESUME_SAMPLING 6u
/* Does the same as the function with the action's name, and gives a detail. OUT_OF_RANGE: there is no such action. */
int geckoprof_control(uint32_t action, char* detail, size_t detail_bytes);

/* Starts recording. Ranges and defaults are as in base_profiler_abi.h. The library keeps the data that base recorded.
 * It stops and discards a recording of its own. Both pointers may be null. */
int geckoprof_start(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome);
/* The same, but a recording of this library with the same parameters goes on (UNCHANGED). */
int geckoprof_ensure_started(const geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome);
/* Discards what was recorded, unless a recorder outside of the process holds it. */
int geckoprof_stop(void);
/* Stops both samples and markers. */
int geckoprof_pause(void);
int geckoprof_resume(void);
/* Stops samples alone, and markers go on. The two kinds of pause are independent of each other. */
int geckoprof_pause_sampling(void);
int geckoprof_resume_sampling(void);

/* Says if the children of this process follow its recording while this library owns it. They do so at first. Children
 * are all descendants of the same user that have base. They start, stop and pause with this process, with the same
 * parameters, and its profiles contain them. After 0, children that follow are told to stop. */
int geckoprof_follow_children(int follow);
/* Shows `visit` the variables of the environment with which a child that has base follows from its first instruction.
 * Without a recording, they keep a child from recording. Both texts are valid during the call. */
typedef void (*geckoprof_environment_visitor)(void* user, const char* name, const char* value);
int geckoprof_visit_child_environment(geckoprof_environment_visitor visit, void* user);

/* Sets the name of this process in profiles, which otherwise is the program's name. It holds for later recordings, too.
 * A null or empty name restores the program's name. OLD_BASE: the loaded base cannot do it. */
int geckoprof_set_process_name(const char* name);

/* Shows `visit` the parameters that are in effect. They are valid until `visit` returns. INACTIVE: nothing is recorded.
 */
typedef void (*geckoprof_start_parameters_visitor)(void* user, const geckoprof_start_parameters* parameters);
int geckoprof_visit_start_parameters(geckoprof_start_parameters_visitor visit, void* user);

/* --- state; each function costs a call and a few loads, and is signal safe --- */

#define GECKOPROF_STATE_ACTIVE 1u
#define GECKOPROF_STATE_PAUSED 2u          /* neither samples nor markers */
#define GECKOPROF_STATE_SAMPLING_PAUSED 4u /* no samples, also while everything is paused */
uint32_t geckoprof_get_state(void);

/* Returns the features that are on, or 0 while nothing is recorded. */
uint32_t geckoprof_get_features(void);
/* Returns the features that a start can turn on. */
uint32_t geckoprof_get_available_features(void);
/* Returns the name of one bit, such as "cpu", or "bit 30" where no feature has it. The text is static. */
const char* geckoprof_feature_name(uint32_t feature);
/* Returns why a start cannot turn this bit on. The text is static, and empty if a start can do it. */
const char* geckoprof_feature_refusal_reason(uint32_t feature);

/* Returns the time in ms on the time line of the process's profiles. The line begins with the process, or when dlopen
 * loaded base. Returns 0 if that time is not known yet, and there is no memory to find it out. Not signal safe. */
double geckoprof_get_time_ms(void);

/* --- callbacks --- */

/* Bits of states. The library announces pausing, stopping, generating and shutting down before they happen. */
#define GECKOPROF_TELL_ALREADY_ACTIVE 1u /* at once, in geckoprof_add_state_callback */
#define GECKOPROF_TELL_REMOVING 2u       /* in geckoprof_remove_state_callback */
#define GECKOPROF_TELL_STARTED 4u
#define GECKOPROF_TELL_PAUSING 8u
#define GECKOPROF_TELL_RESUMED 16u
#define GECKOPROF_TELL_GENERATING 32u
#define GECKOPROF_TELL_STOPPING 64u
#define GECKOPROF_TELL_SHUTTING_DOWN 128u

/* The callback gets `user`, which must be valid until the callback is removed. */
typedef void (*geckoprof_state_callback)(void* user, uint32_t state);

/* Calls `callback` for each of `states`. It runs on the thread that changes the state. Changes by base's API are told
 * on a thread of the profiler. No lock of the profiler is held then. The callback may call all of this API, and must
 * not throw. `*id` is for geckoprof_remove_state_callback, and `id` may be null. OUT_OF_RANGE: the callback is null, or
 * a state does not exist. */
int geckoprof_add_state_callback(uint32_t states, geckoprof_state_callback callback, void* user, uint64_t* id);
/* The same for a caller that chooses the id. Several callbacks may have the same id. Callbacks of key 0 stay.
 * `release`, which may be null, is called once with `user`, when the callback cannot be called any more. If the
 * callback is not added, that is before this function returns. */
typedef void (*geckoprof_release_callback)(void* user);
int geckoprof_add_keyed_state_callback(uint64_t key, uint32_t states, geckoprof_state_callback callback, void* user,
                                       geckoprof_release_callback release);
/* Removes a callback. Afterwards no call of it is under way on another thread, unless a state callback calls this.
 * UNCHANGED: there is no such id. */
int geckoprof_remove_state_callback(uint64_t id);

/* `outcome` is 0 if the recording ended before the tick, 1 if sampling is paused, 2 if the tick sampled without stacks,
 * and 3 if it sampled. */
typedef void (*geckoprof_sampling_callback)(void* user, uint32_t outcome);

/* Calls `callback` once, after the next tick, on a thread of the profiler. INACTIVE, OWNED, NO_SAMPLER: the callback
 * will not be called. */
int geckoprof_call_after_sampling(geckoprof_sampling_callback callback, void* user);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_H_ */
