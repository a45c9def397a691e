/* The functions that libbaseprofiler.so exports, for C and for every version of the C++ headers beside this one.
 *
 * Stable: a function is never changed, only added to. Times are ns on CLOCK_MONOTONIC. Strings are UTF-8, zero
 * terminated, and copied where they are kept longer than the call. Every function may be called at any time, on any
 * thread, and does nothing useful but harm neither when the profiler is inactive. None may be called from a signal
 * handler but those that say so. */
#ifndef GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_
#define GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0 started, 1 already active (nothing changes), 2 this process is excluded by the filters, 3 no memory or space for
 * the segment, 4 the kernel allows no further thread, 5 this is the child of a fork that libc was not told of (clone,
 * _Fork, vfork). capacity_bytes: 1 MiB to 2 GiB, others are clamped; 0 means 128 MiB. interval_ns: 50,000 to
 * 5,000,000,000, clamped; 0 means 1 ms. features: bits as in GECKOPROF_STARTUP_FEATURES_BITFIELD; 0 means the default
 * ones. filters: see GECKOPROF_STARTUP_FILTERS; none means all threads. duration_ns: sampling ends by itself after it;
 * 0 means never. */
int geckoprof_base_start(uint64_t capacity_bytes, int64_t interval_ns, uint32_t features, const char* const* filters,
                         uint32_t filter_count, int64_t duration_ns);

/* 1 if the profiler was active: it is inactive now, and what it recorded is discarded unless a recorder holds it. */
int geckoprof_base_stop(void);

/* 1 if the state changed. Paused: no samples, no markers; labels go on. */
int geckoprof_base_pause(void);
int geckoprof_base_resume(void);
/* The same of sampling alone: no samples; markers, labels and counting go on. The two kinds are independent. */
int geckoprof_base_pause_sampling(void);
int geckoprof_base_resume_sampling(void);

/* 0 inactive, 1 active, 2 paused, 3 sampling alone is paused: markers are recorded in 1 and 3. Signal safe. Costs a
 * call and a relaxed load. */
uint32_t geckoprof_base_state(void);

/* Names the calling thread; null or empty: as the kernel calls it. Registrations nest: the first name stays, and counts
 * until it was unregistered as often. */
void geckoprof_base_register_thread(const char* name);
void geckoprof_base_unregister_thread(void);
/* Since when the calling thread is registered, on geckoprof_base_now's clock (one that base saw begin: since then), and
 * its name in `name`, which has room for `name_bytes` with the zero. 0: it is not, and `name` is as it was. */
int64_t geckoprof_base_thread_registration(char* name, uint32_t name_bytes);

/* Opens a label on the calling thread; `label` and `dynamic` (may be null) must stay valid until it is closed. `scope`
 * is an address in the frame that the label belongs to. Returns what geckoprof_base_label_leave wants; may be null. */
void* geckoprof_base_label_enter(const char* label, const char* dynamic, uint32_t category_pair, void* scope);
void geckoprof_base_label_leave(void* entered);

/* What this process is called in profiles, from now on, in every recording; cut at 95 bytes. null or empty: what its
 * program was called by. Any thread, not signal context. */
void geckoprof_base_set_process_name(const char* name);

/* CLOCK_MONOTONIC in ns. Signal safe. */
int64_t geckoprof_base_now(void);

/* When this process began, on the same clock: 0 of its profiles' time line. */
int64_t geckoprof_base_process_start(void);

/* The features that a start can turn on, as bits. Signal safe. */
uint32_t geckoprof_base_available_features(void);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_BASE_PROFILER_ABI_H_ */
