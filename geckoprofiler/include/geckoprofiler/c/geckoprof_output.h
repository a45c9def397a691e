/* The full library's API for C: profiles and backtraces. geckoprof_full.h says which rules all functions share.
 *
 * `detail` has room for `detail_bytes`, and may be null. It receives a sentence about the error, cut to the room and
 * always terminated. It is empty after a success. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_OUTPUT_H_

#include <stddef.h>
#include <stdint.h>

#include "geckoprofiler/c/geckoprof_full.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* --- profiles ---
 *
 * A profile is raw Gecko JSON of this process and of its children that follow it, without symbols. The recording goes
 * on meanwhile. A child that does not answer within a tenth of a second costs no more time: its data is in the profile.
 */

/* Writes the profile to a file. Each "%p" in the name becomes the process's number, "%h" the host's name and "%r" the
 * rank (MPI, Slurm; 0 without). The function writes beside the file, and renames. It writes directly to a device, a
 * pipe, or a file that /proc leads to (/dev/stdout). It gives up after 10 s in which the reader of a pipe takes
 * nothing. */
int geckoprof_save_profile(const char* file_name, char* detail, size_t detail_bytes);

/* Writes the profile to memory. `*json` is terminated with a zero. `*json_bytes` does not count the zero, and
 * `json_bytes` may be null. The caller gives `*json` back by geckoprof_free_profile. After an error `*json` is null. */
int geckoprof_get_profile(char** json, size_t* json_bytes, char* detail, size_t detail_bytes);
void geckoprof_free_profile(char* json);

/* Gives the profile to `sink` piece by piece, in order. `sink` returns 0 to give up (CANNOT_WRITE). It may call all of
 * this API, and must not throw. */
typedef int (*geckoprof_profile_sink)(void* user, const char* bytes, size_t size_bytes);
int geckoprof_stream_profile(geckoprof_profile_sink sink, void* user, char* detail, size_t detail_bytes);

/* Tells how far the making of a profile is, from 0 to 1, and what happens. Returns 0 to cancel. It may call all of this
 * API, and must not throw. */
typedef int (*geckoprof_progress_callback)(void* user, double fraction, const char* text);

/* What a profile is to have. A caller fills in the fields that it needs. */
typedef struct geckoprof_profile_options {
  uint32_t size_bytes;       /* sizeof(geckoprof_profile_options), or less */
  uint32_t without_children; /* 1: this process alone */
  int64_t last_ns;           /* greater than 0: only data of the last so many ns */
  geckoprof_progress_callback progress;
  void* user; /* of `progress` */
} geckoprof_profile_options;
/* clang-format off */
#define GECKOPROF_PROFILE_OPTIONS {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_profile_options)), 0, 0, 0, 0}
/* clang-format on */

/* The same with options, which may be null. CANCELLED: `progress` returned 0. OUT_OF_RANGE: the options are no
 * structure. */
int geckoprof_save_profile_with(const geckoprof_profile_options* options, const char* file_name, char* detail,
                                size_t detail_bytes);
int geckoprof_stream_profile_with(const geckoprof_profile_options* options, geckoprof_profile_sink sink, void* user,
                                  char* detail, size_t detail_bytes);

/* Writes the data of the last seconds to a file, as geckoprof_save_profile does. OUT_OF_RANGE: `seconds` is not greater
 * than 0. */
int geckoprof_capture_last(double seconds, const char* file_name, char* detail, size_t detail_bytes);

/* Returns the amount of recorded data. INACTIVE: nothing is recorded. OUT_OF_RANGE: `info` is no structure. */
int geckoprof_get_buffer_info(geckoprof_buffer_info* info);

/* Returns two positions in the stream of entries. The first is that of the oldest entry which is still there. The other
 * is the end. Both only grow. */
int geckoprof_get_buffer_range(uint64_t* range_start, uint64_t* range_end);

/* --- backtraces --- */

typedef struct geckoprof_backtrace geckoprof_backtrace;

/* Captures the calling thread's stack, outermost frame first, without this library's own frames. It has native frames
 * and open labels. Returns null if nothing is recorded, if the recording samples no stacks, or if there is no memory.
 * Uses the heap. A backtrace outlives the recording. */
geckoprof_backtrace* geckoprof_capture_backtrace(void);
/* The same into `*backtrace`, which is made if it is null. A stack that is no larger than the last one needs no new
 * memory. If `native` is 0, it has labels only. Returns 0 if nothing was captured. The backtrace is empty then. */
int geckoprof_capture_backtrace_into(geckoprof_backtrace** backtrace, int native);
/* Captures another thread's stack, also while nothing is recorded. `tid` is not 0. A thread that is blocked is read
 * without a signal. The profiler's signal interrupts a running thread for microseconds, and the thread does not notice.
 * TIMEOUT: the thread did not answer within a second. The answer may also be THREAD_GONE, THREAD_SIGNAL_BLOCKED, or
 * the reason why base cannot do it. */
int geckoprof_sample_thread(int32_t tid, int native, geckoprof_backtrace** backtrace, char* detail,
                            size_t detail_bytes);
/* Returns a copy, or null if `backtrace` is null or there is no memory. */
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

/* Returns the number of frames, which is 0 for a null backtrace. */
size_t geckoprof_backtrace_size(const geckoprof_backtrace* backtrace);

typedef struct geckoprof_frame {
  uint32_t size_bytes;    /* sizeof(geckoprof_frame), or less: that much is filled in */
  uint32_t category_pair; /* of a label */
  uint64_t address;       /* 0: a label; otherwise a return address, or the instruction of the innermost frame */
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
