/* The functions that libbaseprofiler.so exports, for C and for every version of the C++ headers beside this one:
 * control, threads, categories, time. counter_abi.h, label_abi.h and marker_abi.h have the others.
 *
 *   geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
 *   wanted.interval_ns = 500000;
 *   const int result = geckoprof_base_start_with(&wanted);
 *   if (result != GECKOPROF_STARTED) fprintf(stderr, "not recorded: %s\n", geckoprof_base_start_text(result));
 *
 * Stable: functions are only added, and never changed. Times are ns on CLOCK_MONOTONIC. Strings are UTF-8 and end with
 * a zero. The library copies a string that it keeps longer than the call. A program may call every function at any
 * time, on any thread. While the profiler is inactive, a call is harmless and has no effect. In a signal handler, a
 * program may call only the functions that say so.
 *
 * A structure that the caller fills in begins with its size. If the program was compiled with an older, smaller
 * structure, the rest has its defaults. A newer, larger one is served if the fields that this library does not know
 * are 0. */
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_

#include <stdint.h>

#include "baseprofiler/c/geckoprof_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- control --- */

/* Bits of features, as in GECKOPROF_STARTUP_FEATURES_BITFIELD. */
/* [features] tools/build_lists writes these lines from common/lists/features.json. */
#define GECKOPROF_FEATURE_MAIN_THREAD_IO (UINT32_C(1) << 2)       /* sums of file calls, slow ones of the main thread */
#define GECKOPROF_FEATURE_FILE_IO (UINT32_C(1) << 3)              /* and slow file calls of sampled threads */
#define GECKOPROF_FEATURE_FILE_IO_ALL (UINT32_C(1) << 4)          /* and slow file calls of all threads */
#define GECKOPROF_FEATURE_NO_MARKER_STACKS (UINT32_C(1) << 5)     /* no stacks of markers */
#define GECKOPROF_FEATURE_LIBRARIES (UINT32_C(1) << 7)            /* loads and unloads of libraries */
#define GECKOPROF_FEATURE_STACK_WALK (UINT32_C(1) << 8)           /* native stacks */
#define GECKOPROF_FEATURE_NO_STACK_SAMPLING (UINT32_C(1) << 10)   /* neither stacks nor labels (cancels stackwalk) */
#define GECKOPROF_FEATURE_NATIVE_ALLOCATIONS (UINT32_C(1) << 11)  /* samples of allocations, with stacks */
#define GECKOPROF_FEATURE_CPU (UINT32_C(1) << 14)                 /* CPU time of each thread between its samples */
#define GECKOPROF_FEATURE_MARKERS_ALL_THREADS (UINT32_C(1) << 18) /* markers of excluded threads (always on) */
#define GECKOPROF_FEATURE_NET_IO (UINT32_C(1) << 23)              /* totals of socket calls, and slow ones */
#define GECKOPROF_FEATURE_MEMORY (UINT32_C(1) << 24)              /* a counter of the bytes in allocated blocks */
#define GECKOPROF_FEATURE_FLOWS (UINT32_C(1) << 27)               /* all markers of flows (always on) */
#define GECKOPROF_FEATURE_LOCKS (UINT32_C(1) << 30)               /* waits for locks and for other threads */
#define GECKOPROF_FEATURE_RESPONSIVENESS (UINT32_C(1) << 31)      /* how long event loops are blocked */
/* [/features] */

/* In every field but size_bytes, 0 means the default. */
typedef struct geckoprof_start_parameters {
  uint32_t size_bytes;        /* sizeof(geckoprof_start_parameters), or less: from 8, in steps of 8 */
  uint32_t features;          /* GECKOPROF_FEATURE_...; 0: the default features */
  uint64_t capacity_bytes;    /* 1 MiB to 2 GiB, others are clamped; 0: 128 MiB */
  int64_t interval_ns;        /* 50,000 to 5,000,000,000, others are clamped; 0: 1 ms */
  int64_t duration_ns;        /* sampling ends by itself this long after the call; 0: never */
  const char* const* filters; /* parts of names of threads, see GECKOPROF_STARTUP_FILTERS; the first 32 are copied */
  uint32_t filter_count;      /* 0: all threads */
  uint32_t reserved;          /* 0 */
} geckoprof_start_parameters;
/* clang-format off */
#define GECKOPROF_START_PARAMETERS {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_start_parameters)), 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/* Starts recording, and returns a geckoprof_start_result. Null means all defaults. One thread starts at a time. */
int geckoprof_base_start_with(const geckoprof_start_parameters* parameters);
/* The same. The arguments are as in geckoprof_start_parameters. */
int geckoprof_base_start(uint64_t capacity_bytes, int64_t interval_ns, uint32_t features, const char* const* filters,
                         uint32_t filter_count, int64_t duration_ns);

/* The same, but a running recording with equal parameters goes on (GECKOPROF_ALREADY_ACTIVE). A recording with other
 * parameters ends first, as geckoprof_base_stop ends it, unless the filters exclude this process. Parameters are
 * compared after they were moved into their ranges, and filters in their order. */
int geckoprof_base_ensure_started(const geckoprof_start_parameters* parameters);

/* Returns the meaning of a geckoprof_start_result, such as "the filters exclude this process". The text is static and
 * never null. Signal safe. */
const char* geckoprof_base_start_text(int result);

/* Shows `visit` the parameters of the running recording, with the defaults and the bounds that took effect. `features`
 * has the features that are on. The structure is valid until `visit` returns. `visit` must not start, stop or pause.
 * Returns 0 if nothing is recorded, and does not call `visit` then. Takes a lock. */
int geckoprof_base_visit_start_parameters(void (*visit)(void* context, const geckoprof_start_parameters* parameters),
                                          void* context);

/* Returns 1 if the profiler was active. It is inactive now. The recording is discarded unless a recorder holds it. */
int geckoprof_base_stop(void);

/* Return 1 if the state changed. While paused, there are no samples and no markers, and labels go on. */
int geckoprof_base_pause(void);
int geckoprof_base_resume(void);
/* The same for samples alone. Markers, labels and counters go on. The two kinds are independent. */
int geckoprof_base_pause_sampling(void);
int geckoprof_base_resume_sampling(void);

/* Returns 0 inactive, 1 active, 2 paused, 3 sampling alone is paused. Markers are recorded in 1 and 3. Signal safe. It
 * costs a call and a relaxed load. */
uint32_t geckoprof_base_state(void);

/* Returns the features that are on, or 0 while nothing is recorded. Takes a lock. */
uint32_t geckoprof_base_features(void);
/* Returns the features that a start can turn on, as bits. Signal safe. */
uint32_t geckoprof_base_available_features(void);

/* The amount of recorded data. */
typedef struct geckoprof_buffer_info {
  uint32_t size_bytes;      /* sizeof(geckoprof_buffer_info), or less: the library fills in this many bytes */
  uint32_t reserved;        /* 0 */
  uint64_t capacity_bytes;  /* of all chunks */
  uint64_t used_bytes;      /* of entries that are still there */
  uint64_t samples_taken;   /* since the start */
  uint64_t entries_dropped; /* samples and markers that are lost, for any reason */
} geckoprof_buffer_info;
/* clang-format off */
#define GECKOPROF_BUFFER_INFO {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_buffer_info)), 0, 0, 0, 0, 0}
/* clang-format on */

/* Returns 1 if `info` is filled in. Returns 0 and leaves `info` alone if nothing is recorded, if everything is paused,
 * or if `info` is no structure. */
int geckoprof_base_get_buffer_info(geckoprof_buffer_info* info);

/* --- threads and the process --- */

/* Names the calling thread. A null or empty name stands for the kernel's name. Registrations nest. The first name stays
 * until the thread was unregistered as often as it was registered. */
void geckoprof_base_register_thread(const char* name);
void geckoprof_base_unregister_thread(void);
/* Returns the time since which the calling thread is registered, on the clock of geckoprof_base_now. If base saw the
 * thread begin, it is that time. Writes the name of the thread to `name`, which has room for `name_bytes` with the
 * zero. Returns 0 if the thread is not registered, and leaves `name` alone then. */
int64_t geckoprof_base_thread_registration(char* name, uint32_t name_bytes);
/* Returns 1 if the sampler samples the calling thread: something is recorded, no pause holds, and the filters select
 * the thread by its present name. Takes a lock. */
int geckoprof_base_thread_is_being_profiled(void);

/* Sets the name of this process in profiles, for every recording from now on. It is cut at 95 bytes. A null or empty
 * name stands for the name that the program was called by. Any thread, not signal context. */
void geckoprof_base_set_process_name(const char* name);

/* CLOCK_MONOTONIC in ns. Signal safe. */
int64_t geckoprof_base_now(void);
/* Returns the time at which this process began, on the same clock. It is 0 on the time line of its profiles. */
int64_t geckoprof_base_process_start(void);

/* --- labels by a call, for languages without inline functions of C; label_abi.h is faster --- */

/* Opens a label on the calling thread. `label` and `dynamic`, which may be null, must stay valid until it is closed.
 * `scope` is an address in the frame that the label belongs to. The result is for geckoprof_base_label_leave, and may
 * be null. Signal safe. */
void* geckoprof_base_label_enter(const char* label, const char* dynamic, uint32_t category_pair, const void* scope);
void geckoprof_base_label_leave(void* entered);
/* The first returns the number of labels that are open on the calling thread. The second closes all labels that were
 * opened since. They are for longjmp, and for languages whose scopes may end in another order. Signal safe. */
uint32_t geckoprof_base_label_depth(void);
void geckoprof_base_label_cut(uint32_t depth);

/* --- categories ---
 *
 *   uint32_t physics, collisions;
 *   geckoprof_base_add_category("Physics", "magenta", &physics);
 *   geckoprof_base_add_subcategory(physics, "Collisions", &collisions);
 *
 * A category belongs to the process, not to a recording. It is in every profile from then on, and in the profiles of
 * the children of a fork. It cannot be removed. A pair is category << 8 | subcategory. The numbers of the program's own
 * categories stay the same for the whole life of the process. They mean nothing in another process. */

/* Finds the category of this name, or adds it. `*pair` is the category with the subcategory Other. The result is a
 * geckoprof_category_result. If the category is refused, `*pair` is GECKOPROF_CATEGORY_OTHER, and the profile has the
 * number of refusals. Names are compared byte by byte. `color` is a color name of the viewer. Takes a lock. */
int geckoprof_base_add_category(const char* name, const char* color, uint32_t* pair);

/* The same for a subcategory. The subcategory in `category_pair` is ignored. If the subcategory is refused, `*pair` is
 * `category_pair`. */
int geckoprof_base_add_subcategory(uint32_t category_pair, const char* name, uint32_t* pair);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_ */
