/* The functions that libbaseprofiler.so exports, for C and for every version of the C++ headers beside this one.
 *
 * Stable: functions are only added, and never changed. Times are ns on CLOCK_MONOTONIC. Strings are UTF-8 and end with
 * a zero. The library copies a string that it keeps longer than the call. A program may call every function at any
 * time, on any thread. While the profiler is inactive, a call is harmless and has no effect. In a signal handler, a
 * program may call only the functions that say so. */
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the profiler. Returns
 *   0  started
 *   1  already active, and nothing changes
 *   2  the filters exclude this process
 *   3  no memory or space for the segment
 *   4  the kernel allows no further thread
 *   5  this is the child of a fork that libc was not told of (clone, _Fork, vfork)
 * capacity_bytes   1 MiB to 2 GiB, and others are clamped; 0 means 128 MiB
 * interval_ns      50,000 to 5,000,000,000, and others are clamped; 0 means 1 ms
 * features         bits as in GECKOPROF_STARTUP_FEATURES_BITFIELD; 0 means the default features
 * filters          see GECKOPROF_STARTUP_FILTERS; none means all threads
 * duration_ns      sampling ends by itself after this time; 0 means never */
int geckoprof_base_start(uint64_t capacity_bytes, int64_t interval_ns, uint32_t features, const char* const* filters,
                         uint32_t filter_count, int64_t duration_ns);

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

/* Names the calling thread. A null or empty name stands for the kernel's name. Registrations nest. The first name stays
 * until the thread was unregistered as often as it was registered. */
void geckoprof_base_register_thread(const char* name);
void geckoprof_base_unregister_thread(void);
/* Returns the time since which the calling thread is registered, on the clock of geckoprof_base_now. If base saw the
 * thread begin, it is that time. Writes the name of the thread to `name`, which has room for `name_bytes` with the
 * zero. Returns 0 if the thread is not registered, and leaves `name` alone then. */
int64_t geckoprof_base_thread_registration(char* name, uint32_t name_bytes);

/* Opens a label on the calling thread. `label` and `dynamic`, which may be null, must stay valid until it is closed.
 * `scope` is an address in the frame that the label belongs to. The result is for geckoprof_base_label_leave, and may
 * be null. */
void* geckoprof_base_label_enter(const char* label, const char* dynamic, uint32_t category_pair, const void* scope);
void geckoprof_base_label_leave(void* entered);

/* Sets the name of this process in profiles, for every recording from now on. It is cut at 95 bytes. A null or empty
 * name stands for the name that the program was called by. Any thread, not signal context. */
void geckoprof_base_set_process_name(const char* name);

/* CLOCK_MONOTONIC in ns. Signal safe. */
int64_t geckoprof_base_now(void);

/* Returns the time at which this process began, on the same clock. It is 0 on the time line of its profiles. */
int64_t geckoprof_base_process_start(void);

/* Returns the features that a start can turn on, as bits. Signal safe. */
uint32_t geckoprof_base_available_features(void);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_ */
