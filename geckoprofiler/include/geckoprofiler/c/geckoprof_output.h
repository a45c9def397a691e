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

#pragma GCC visibility push(default)

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

/* ms on the time line of the process's profiles: since it began, or, where base was loaded later, by dlopen, since
 * then; 0: not known yet, and no memory to find it out. */
double geckoprof_get_time_ms(void);

/* --- backtraces --- */

typedef struct geckoprof_backtrace geckoprof_backtrace;

/* The calling thread's stack, outermost frame first, without this library's own: native frames and open labels. Null:
 * nothing is recorded, or it samples no stacks, or there is no memory. Uses the heap. Outlives the recording. */
geckoprof_backtrace* geckoprof_capture_backtrace(void);
void geckoprof_free_backtrace(geckoprof_backtrace* backtrace);

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

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_ */
