/* The full library's API for C: profiles and backtraces. See geckoprof_full.h for what holds of all functions.
 *
 * `detail`, of `detail_bytes`, takes a sentence that says what went wrong, cut to what fits, always terminated, and
 * empty after a success; it may be null. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_

#include <stddef.h>
#include <stdint.h>

#include "geckoprofiler/c/geckoprof_full.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* --- profiles: raw Gecko JSON of this process, not symbolicated. The recording goes on meanwhile --- */

/* Into a file; each "%p" of the name becomes the process's number. Written beside it and renamed; a device, a pipe and
 * what /proc leads to (/dev/stdout) are written to, for no longer than 10 s without a reader that takes something. */
int geckoprof_save_profile(const char* file_name, char* detail, size_t detail_bytes);

/* Into memory: *json, terminated with a zero, and *json_bytes without it (may be null). To be given back by
 * geckoprof_free_profile. Where there is an error *json is null. */
int geckoprof_get_profile(char** json, size_t* json_bytes, char* detail, size_t detail_bytes);
void geckoprof_free_profile(char* json);

/* Piece by piece, in order. `sink` returns 0 to give up: CANNOT_WRITE. It may call all of this API, and must not throw.
 */
typedef int (*geckoprof_profile_sink)(void* user, const char* bytes, size_t size_bytes);
int geckoprof_stream_profile(geckoprof_profile_sink sink, void* user, char* detail, size_t detail_bytes);

/* How much is recorded. INACTIVE: nothing; OUT_OF_RANGE: `info` is no structure. */
int geckoprof_get_buffer_info(geckoprof_buffer_info* info);

/* Positions in the stream of entries: of the oldest entry that is still there, and of the end. They only ever grow. */
int geckoprof_get_buffer_range(uint64_t* range_start, uint64_t* range_end);

/* --- backtraces --- */

typedef struct geckoprof_backtrace geckoprof_backtrace;

/* The calling thread's stack, outermost frame first, without this library's own: native frames and open labels. Null:
 * nothing is recorded, or it samples no stacks, or there is no memory. Uses the heap. Outlives the recording. */
geckoprof_backtrace* geckoprof_capture_backtrace(void);
/* The same into *backtrace, which is made where it is null. Filled again, it needs no new memory for a stack that is no
 * larger. `native` 0: labels only. 0: not captured, and the backtrace is empty. */
int geckoprof_capture_backtrace_into(geckoprof_backtrace** backtrace, int native);
/* Another thread's stack, also while nothing is recorded. A thread that is blocked is read without its doing anything.
 * A thread that runs is interrupted for microseconds by the profiler's signal, of which it notices nothing. `tid` is
 * not 0. THREAD_GONE, THREAD_DEAF, TIMEOUT (it did not answer within a second), or why base cannot do it. */
int geckoprof_sample_thread(int32_t tid, int native, geckoprof_backtrace** backtrace, char* detail,
                            size_t detail_bytes);
/* Null for null, and where there is no memory. */
geckoprof_backtrace* geckoprof_copy_backtrace(const geckoprof_backtrace* backtrace);
void geckoprof_free_backtrace(geckoprof_backtrace* backtrace);

typedef struct geckoprof_backtrace_info {
  uint32_t size_bytes;        /* sizeof(geckoprof_backtrace_info), or less: that much is filled in */
  int32_t tid;                /* of the thread whose stack it is; 0: none was captured */
  int64_t monotonic_ns;       /* when it was captured */
  uint32_t is_complete;       /* 1: the native frames reach the thread's beginning */
  uint32_t is_main;           /* 1: it is the thread that the process began with */
  uint64_t innermost_address; /* where the thread was, whether or not native frames were asked for */
} geckoprof_backtrace_info;
/* OUT_OF_RANGE: a null backtrace, or `info` is no structure. */
int geckoprof_get_backtrace_info(const geckoprof_backtrace* backtrace, geckoprof_backtrace_info* info);

/* 0 for null. */
size_t geckoprof_backtrace_size(const geckoprof_backtrace* backtrace);

typedef struct geckoprof_frame {
  uint32_t size_bytes;    /* sizeof(geckoprof_frame), or less: that much is filled in */
  uint32_t category_pair; /* of a label */
  uint64_t address;       /* 0: a label. Else a return address, or where the thread was, for the innermost frame */
  const char* label;      /* not terminated; valid as long as the backtrace */
  uint64_t label_bytes;
} geckoprof_frame;
/* OUT_OF_RANGE: there is no such frame, or `frame` is no structure. */
int geckoprof_backtrace_frame(const geckoprof_backtrace* backtrace, size_t index, geckoprof_frame* frame);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_ */
