/* The answers of the full library's functions, and all of its functions as one list. This header is a part of
 * geckoprof_full.h, geckoprof_output.h and geckoprof_threads.h.
 *
 * If baseprofiler/enabled.h says that nothing is instrumented, the functions are inline functions that give the
 * answers of the list. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_FUNCTIONS_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_FUNCTIONS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/enabled.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- answers --- */

/* The status that functions return. With DONE and UNCHANGED the state is now as the caller asked. Append only. */
enum geckoprof_status {
  GECKOPROF_DONE = 0,
  GECKOPROF_UNCHANGED = 1,              /* it was so already */
  GECKOPROF_INACTIVE = 2,               /* nothing is recorded */
  GECKOPROF_GENERATION_FAILED = 3,      /* the profile could not be made */
  GECKOPROF_CANNOT_WRITE = 4,           /* the profile could not be written to its destination */
  GECKOPROF_OUT_OF_RANGE = 5,           /* an argument */
  GECKOPROF_NO_BASE = 6,                /* libbaseprofiler.so is not in this process, or is too old */
  GECKOPROF_BASE_UNUSABLE = 7,          /* its table is damaged or too small */
  GECKOPROF_OTHER_VERSION = 8,          /* its table has another version */
  GECKOPROF_OLD_BASE = 9,               /* it lacks a function that this call needs */
  GECKOPROF_OWNED = 10,                 /* another copy of this library controls the recording: nothing has changed */
  GECKOPROF_TIMEOUT = 11,               /* the sampler did not come to the end of a tick in time: nothing has changed */
  GECKOPROF_WRONG_THREAD = 12,          /* the calling thread would have to wait for itself */
  GECKOPROF_FILTERED = 13,              /* the filters exclude this process */
  GECKOPROF_NOTHING_TO_HOLD_IT = 14,    /* there is no memory or space for the recording */
  GECKOPROF_NO_SAMPLER = 15,            /* the kernel allows no further thread */
  GECKOPROF_REFUSED = 16,               /* base cannot do it, or gave an answer that this version does not know */
  GECKOPROF_THREAD_GONE = 17,           /* this process has no thread of this id */
  GECKOPROF_THREAD_SIGNAL_BLOCKED = 18, /* the thread runs, and the profiler may not send its signals to it */
  GECKOPROF_NO_MEMORY = 19,
  GECKOPROF_CANCELLED = 20, /* the caller's progress function returned 0 */
};

/* The result of a start. The caller sets size_bytes, detail and detail_bytes. */
typedef struct geckoprof_start_outcome {
  uint32_t size_bytes;       /* sizeof(geckoprof_start_outcome), or less */
  uint32_t features;         /* that are on */
  uint32_t refused_features; /* that were asked for and cannot be had; the recording runs without them */
  uint32_t reserved;
  char* detail;        /* a sentence, as in geckoprof_full.h */
  size_t detail_bytes; /* as in geckoprof_full.h */
} geckoprof_start_outcome;
/* clang-format off */
#define GECKOPROF_START_OUTCOME {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_start_outcome)), 0, 0, 0, 0, 0}
/* clang-format on */

#if !GECKOPROF_IS_ENABLED_

/* --- the functions that do nothing --- */

struct geckoprof_backtrace;
struct geckoprof_profile_options;
struct geckoprof_backtrace_info;
struct geckoprof_frame;
struct geckoprof_thread_info;
struct geckoprof_asked_counter;

/* Says in `detail` that there is no library. */
static inline int geckoprof_no_base_(char* detail, size_t detail_bytes) {
  if (detail == NULL || detail_bytes == 0) return GECKOPROF_NO_BASE;
  detail[0] = '\0';
  if (detail_bytes >= sizeof(GECKOPROF_NO_LIBRARY_TEXT_)) {
    memcpy(detail, GECKOPROF_NO_LIBRARY_TEXT_, sizeof(GECKOPROF_NO_LIBRARY_TEXT_));
  }
  return GECKOPROF_NO_BASE;
}
static inline int geckoprof_no_start_(geckoprof_start_outcome* outcome) {
  const int has_detail = outcome != NULL && outcome->size_bytes >= sizeof(*outcome);
  return has_detail ? geckoprof_no_base_(outcome->detail, outcome->detail_bytes) : GECKOPROF_NO_BASE;
}
static inline int geckoprof_no_profile_(char** json, size_t* json_bytes, char* detail, size_t detail_bytes) {
  if (json != NULL) *json = NULL;
  if (json_bytes != NULL) *json_bytes = 0;
  return geckoprof_no_base_(detail, detail_bytes);
}
static inline int geckoprof_no_callback_(uint64_t* id) {
  if (id != NULL) *id = 0;
  return GECKOPROF_NO_BASE;
}
static inline int geckoprof_no_keyed_callback_(void* user, void (*release)(void* user)) {
  if (release != NULL) release(user);
  return GECKOPROF_NO_BASE;
}

/* RETURNS(result, function without its prefix, parameters, answer) DOES(function, parameters) */
/* clang-format off */
#define GECKOPROF_FULL_FUNCTION_LIST_(RETURNS, DOES)                                                                  \
  RETURNS(const char*, status_text, (int status), GECKOPROF_NO_LIBRARY_TEXT_)                                         \
  RETURNS(int, init, (void), GECKOPROF_NO_BASE)                                                                       \
  RETURNS(int, shutdown, (void), GECKOPROF_NO_BASE)                                                                   \
  RETURNS(int, control, (uint32_t action, char* detail, size_t detail_bytes),                                         \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, start, (const struct geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome),        \
          geckoprof_no_start_(outcome))                                                                               \
  RETURNS(int, ensure_started,                                                                                        \
          (const struct geckoprof_start_parameters* parameters, geckoprof_start_outcome* outcome),                    \
          geckoprof_no_start_(outcome))                                                                               \
  RETURNS(int, stop, (void), GECKOPROF_NO_BASE)                                                                       \
  RETURNS(int, pause, (void), GECKOPROF_NO_BASE)                                                                      \
  RETURNS(int, resume, (void), GECKOPROF_NO_BASE)                                                                     \
  RETURNS(int, pause_sampling, (void), GECKOPROF_NO_BASE)                                                             \
  RETURNS(int, resume_sampling, (void), GECKOPROF_NO_BASE)                                                            \
  RETURNS(int, follow_children, (int follow), GECKOPROF_NO_BASE)                                                      \
  RETURNS(int, visit_child_environment,                                                                               \
          (void (*visit)(void* user, const char* name, const char* value), void* user), GECKOPROF_NO_BASE)            \
  RETURNS(int, set_process_name, (const char* name), GECKOPROF_NO_BASE)                                               \
  RETURNS(int, visit_start_parameters,                                                                                \
          (void (*visit)(void* user, const struct geckoprof_start_parameters* parameters), void* user),               \
          GECKOPROF_INACTIVE)                                                                                         \
  RETURNS(uint32_t, get_state, (void), 0)                                                                             \
  RETURNS(uint32_t, get_features, (void), 0)                                                                          \
  RETURNS(uint32_t, get_available_features, (void), 0)                                                                \
  RETURNS(const char*, feature_name, (uint32_t feature), "")                                                          \
  RETURNS(const char*, feature_refusal_reason, (uint32_t feature), GECKOPROF_NO_LIBRARY_TEXT_)                        \
  RETURNS(double, get_time_ms, (void), 0)                                                                             \
  RETURNS(int, add_state_callback,                                                                                    \
          (uint32_t states, void (*callback)(void* user, uint32_t state), void* user, uint64_t* id),                  \
          geckoprof_no_callback_(id))                                                                                 \
  RETURNS(int, add_keyed_state_callback,                                                                              \
          (uint64_t key, uint32_t states, void (*callback)(void* user, uint32_t state), void* user,                   \
           void (*release)(void* user)),                                                                              \
          geckoprof_no_keyed_callback_(user, release))                                                                \
  RETURNS(int, remove_state_callback, (uint64_t id), GECKOPROF_UNCHANGED)                                             \
  RETURNS(int, call_after_sampling, (void (*callback)(void* user, uint32_t outcome), void* user), GECKOPROF_INACTIVE) \
  RETURNS(int, save_profile, (const char* file_name, char* detail, size_t detail_bytes),                              \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, get_profile, (char** json, size_t* json_bytes, char* detail, size_t detail_bytes),                     \
          geckoprof_no_profile_(json, json_bytes, detail, detail_bytes))                                              \
  DOES(free_profile, (char* json))                                                                                    \
  RETURNS(int, stream_profile,                                                                                        \
          (int (*sink)(void* user, const char* bytes, size_t size_bytes), void* user, char* detail,                   \
           size_t detail_bytes),                                                                                      \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, save_profile_with,                                                                                     \
          (const struct geckoprof_profile_options* options, const char* file_name, char* detail,                      \
           size_t detail_bytes),                                                                                      \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, stream_profile_with,                                                                                   \
          (const struct geckoprof_profile_options* options,                                                           \
           int (*sink)(void* user, const char* bytes, size_t size_bytes), void* user, char* detail,                   \
           size_t detail_bytes),                                                                                      \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, capture_last, (double seconds, const char* file_name, char* detail, size_t detail_bytes),              \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(int, get_buffer_info, (struct geckoprof_buffer_info* info), GECKOPROF_INACTIVE)                             \
  RETURNS(int, get_buffer_range, (uint64_t* range_start, uint64_t* range_end), GECKOPROF_INACTIVE)                    \
  RETURNS(struct geckoprof_backtrace*, capture_backtrace, (void), NULL)                                               \
  RETURNS(int, capture_backtrace_into, (struct geckoprof_backtrace** backtrace, int native), 0)                       \
  RETURNS(int, sample_thread,                                                                                         \
          (int32_t tid, int native, struct geckoprof_backtrace** backtrace, char* detail, size_t detail_bytes),       \
          geckoprof_no_base_(detail, detail_bytes))                                                                   \
  RETURNS(struct geckoprof_backtrace*, copy_backtrace, (const struct geckoprof_backtrace* backtrace), NULL)           \
  DOES(free_backtrace, (struct geckoprof_backtrace* backtrace))                                                       \
  RETURNS(int, get_backtrace_info,                                                                                    \
          (const struct geckoprof_backtrace* backtrace, struct geckoprof_backtrace_info* info),                       \
          GECKOPROF_OUT_OF_RANGE)                                                                                     \
  RETURNS(size_t, backtrace_size, (const struct geckoprof_backtrace* backtrace), 0)                                   \
  RETURNS(int, backtrace_frame,                                                                                       \
          (const struct geckoprof_backtrace* backtrace, size_t index, struct geckoprof_frame* frame),                 \
          GECKOPROF_OUT_OF_RANGE)                                                                                     \
  RETURNS(int, add_screenshot,                                                                                        \
          (const void* image, size_t image_bytes, const char* mime, uint32_t width, uint32_t height, uint64_t window), \
          GECKOPROF_INACTIVE)                                                                                         \
  RETURNS(int, register_thread, (const char* name), GECKOPROF_NO_BASE)                                                \
  RETURNS(int, unregister_thread, (void), GECKOPROF_UNCHANGED)                                                        \
  RETURNS(uint64_t, begin_thread_scope, (const char* name), 0)                                                        \
  DOES(end_thread_scope, (uint64_t scope))                                                                            \
  RETURNS(uint32_t, thread_registrations, (void), 0)                                                                  \
  RETURNS(int, thread_is_profiled, (int32_t tid, uint32_t what), 0)                                                   \
  DOES(thread_sleep, (void))                                                                                          \
  DOES(thread_wake, (void))                                                                                           \
  RETURNS(int, thread_is_sleeping, (void), 0)                                                                         \
  DOES(mark_thread_asleep, (void))                                                                                    \
  DOES(mark_thread_awake, (void))                                                                                     \
  DOES(visit_threads, (int (*visit)(void* user, const struct geckoprof_thread_info* thread), void* user))             \
  RETURNS(int, visit_thread,                                                                                          \
          (int32_t tid, int (*visit)(void* user, const struct geckoprof_thread_info* thread), void* user), 0)          \
  RETURNS(int, remove_asked_counter, (uint64_t id), GECKOPROF_UNCHANGED)
/* clang-format on */

GECKOPROF_BEGIN_UNUSED_PARAMETERS_

#define GECKOPROF_FULL_RETURNS_(result, name, parameters, answer) \
  static inline result geckoprof_##name parameters { return answer; }
#define GECKOPROF_FULL_DOES_(name, parameters) \
  static inline void geckoprof_##name parameters {}
GECKOPROF_FULL_FUNCTION_LIST_(GECKOPROF_FULL_RETURNS_, GECKOPROF_FULL_DOES_)

GECKOPROF_END_UNUSED_PARAMETERS_

#endif /* !GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_FULL_FUNCTIONS_H_ */
