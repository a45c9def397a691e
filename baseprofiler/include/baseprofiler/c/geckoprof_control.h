/* Base's API for C: starting, stopping, asking, and names of threads. Part of geckoprof_base.h, which says how a
 * program gets at the library, and what holds of all functions: C99, stable, UTF-8, times in ns on CLOCK_MONOTONIC.
 *
 *   geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
 *   wanted.interval_ns = 500000;
 *   const int result = geckoprof_base_start_with(&wanted);
 *   if (result != GECKOPROF_STARTED) fprintf(stderr, "not recorded: %s\n", geckoprof_base_start_text(result));
 *
 * A structure that the caller fills in begins with its size. A program that was compiled with an older, smaller one
 * gets the defaults for the rest; one with a newer, larger one is served as long as what this library does not know is
 * 0. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_CONTROL_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_CONTROL_H_

#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/detail/casts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What geckoprof_base_start and geckoprof_base_start_with answer. Append only. */
enum geckoprof_start_result {
  GECKOPROF_STARTED = 0,
  GECKOPROF_ALREADY_ACTIVE = 1, /* nothing changes */
  GECKOPROF_EXCLUDED = 2,       /* the filters exclude this process */
  GECKOPROF_NO_SEGMENT = 3,     /* no memory or space for the segment */
  GECKOPROF_NO_THREAD = 4,      /* the kernel allows no further thread */
  /* The child of a fork that libc was not told of (clone, _Fork, vfork), or a copy that dlmopen loaded. */
  GECKOPROF_UNPREPARED = 5,
  GECKOPROF_UNKNOWN_PARAMETER = 6, /* asks for what this library does not know, or is no whole structure */
  GECKOPROF_NOT_HERE = 7,          /* there is no library: geckoprof_shim.h answers so */
};

/* Bits of features, as in GECKOPROF_STARTUP_FEATURES_BITFIELD. */
#define GECKOPROF_FEATURE_NO_MARKER_STACKS (UINT32_C(1) << 5)   /* markers capture no stacks */
#define GECKOPROF_FEATURE_STACK_WALK (UINT32_C(1) << 8)         /* native stacks */
#define GECKOPROF_FEATURE_NO_STACK_SAMPLING (UINT32_C(1) << 10) /* neither stacks nor labels */
#define GECKOPROF_FEATURE_CPU (UINT32_C(1) << 14)               /* CPU time of each thread */

/* 0 everywhere but in size_bytes means the defaults. */
typedef struct geckoprof_start_parameters {
  uint32_t size_bytes;        /* sizeof(geckoprof_start_parameters), or less: from 8, in steps of 8 */
  uint32_t features;          /* GECKOPROF_FEATURE_...; 0: the default ones */
  uint64_t capacity_bytes;    /* 1 MiB to 2 GiB, others are clamped; 0: 128 MiB */
  int64_t interval_ns;        /* 50,000 to 5,000,000,000, others are clamped; 0: 1 ms */
  int64_t duration_ns;        /* sampling ends by itself so long after the call; 0: never */
  const char* const* filters; /* parts of names of threads, see GECKOPROF_STARTUP_FILTERS; the first 32 are copied */
  uint32_t filter_count;      /* 0: all threads */
  uint32_t reserved;          /* 0 */
} geckoprof_start_parameters;
/* clang-format off */
#define GECKOPROF_START_PARAMETERS {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_start_parameters)), 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/* Starts recording. Null: all defaults. Threads: any, one at a time. Not in signal handlers. */
int geckoprof_base_start_with(const geckoprof_start_parameters* parameters);

/* The same, unless what runs was asked for alike: then it goes on (GECKOPROF_ALREADY_ACTIVE). A recording of other
 * parameters ends first, as geckoprof_base_stop ends it; not if the filters exclude this process. Two parameters are
 * alike if they are so within their ranges; filters, in their order. */
int geckoprof_base_ensure_started(const geckoprof_start_parameters* parameters);

/* Shows `visit` what the recording that runs was asked for, with the defaults and the bounds that took effect; features
 * are those that are on. It is valid until `visit` returns, which must not start, stop or pause. 0: nothing is
 * recorded, and `visit` was not called. Takes a lock. */
int geckoprof_base_visit_start_parameters(void (*visit)(void* context, const geckoprof_start_parameters* parameters),
                                          void* context);

/* 1 if samples are taken of the calling thread: it records, no pause holds, and the filters select the thread by the
 * name that it has now. Takes a lock. */
int geckoprof_base_thread_is_being_profiled(void);

/* What a geckoprof_start_result means: "the filters exclude this process". Never null. Static. Signal safe. */
const char* geckoprof_base_start_text(int result);

/* The features that are on; 0 while nothing is recorded. Takes a lock. */
uint32_t geckoprof_base_features(void);

/* How much is recorded. */
typedef struct geckoprof_buffer_info {
  uint32_t size_bytes;      /* sizeof(geckoprof_buffer_info), or less: that much is filled in */
  uint32_t reserved;        /* 0 */
  uint64_t capacity_bytes;  /* of all chunks */
  uint64_t used_bytes;      /* of entries that are still there */
  uint64_t samples_taken;   /* since the start */
  uint64_t entries_dropped; /* samples and markers that are lost, for whatever reason */
} geckoprof_buffer_info;
/* clang-format off */
#define GECKOPROF_BUFFER_INFO {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_buffer_info)), 0, 0, 0, 0, 0}
/* clang-format on */

/* 1: filled in. 0: nothing is recorded (or all is paused), or `info` is no structure; then it is left as it was. */
int geckoprof_base_get_buffer_info(geckoprof_buffer_info* info);

/* From base_profiler_abi.h:
 *   int geckoprof_base_stop(void), geckoprof_base_pause(void), geckoprof_base_resume(void)   1: the state changed
 *   int geckoprof_base_pause_sampling(void), geckoprof_base_resume_sampling(void)            of samples alone
 *   uint32_t geckoprof_base_state(void)   0 inactive, 1 active, 2 paused, 3 samples alone are paused; signal safe
 *   uint32_t geckoprof_base_available_features(void)        what can be asked for
 *   int64_t geckoprof_base_process_start(void)              0 of the time line, as a time of geckoprof_base_now
 *   void geckoprof_base_register_thread(const char* name)   names the calling thread; nests
 *   void geckoprof_base_unregister_thread(void) */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_CONTROL_H_ */
