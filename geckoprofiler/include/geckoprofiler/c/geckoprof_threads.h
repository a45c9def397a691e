/* The full library's API for C: registered threads. Part of geckoprof_full.h, whose comment
 * has the rules of all functions. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_THREADS_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_THREADS_H_

#include <stdint.h>

#include "geckoprofiler/c/geckoprof_full_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* --- registering the calling thread ---
 *
 * Registrations nest. The first one is the root, whose name stays. The others are counted, and each is noted in the
 * profile. A root of geckoprof_register_thread lasts until there were as many ends as beginnings. A root of
 * geckoprof_begin_thread_scope lasts until its own end. Ends without a beginning do nothing. A thread that ends while
 * it is registered is unregistered. */

/* Copies the name. NO_MEMORY: the thread is as before. WRONG_THREAD: a handler or an allocator that interrupted this
 * library called. */
int geckoprof_register_thread(const char* name);
/* UNCHANGED: the thread is not registered. */
int geckoprof_unregister_thread(void);

/* Returns what geckoprof_end_thread_scope takes, or 0 if the thread could not be registered. */
uint64_t geckoprof_begin_thread_scope(const char* name);
/* Does nothing on another thread, or if the root of `scope` has ended already. */
void geckoprof_end_thread_scope(uint64_t scope);

/* How often the calling thread is registered. 0: it is not. */
uint32_t geckoprof_thread_registrations(void);

/* --- what is recorded of a thread --- */

#define GECKOPROF_THREAD_CPU 1u
#define GECKOPROF_THREAD_SAMPLING 2u
#define GECKOPROF_THREAD_MARKERS 4u
/* Returns 1 if at least one of these bits is recorded of the thread now. A full pause ends it, a pause of sampling does
 * not. Markers are recorded of every thread. The other bits apply to registered threads that the filters select. `tid`
 * 0: the calling thread. */
int geckoprof_thread_is_profiled(int32_t tid, uint32_t what);

/* --- sleep of the calling thread --- */

/* These note that the calling thread sleeps or is awake, and mark its times awake. They do nothing on a thread that is
 * not registered. Sleeping does not nest. */
void geckoprof_thread_sleep(void);
void geckoprof_thread_wake(void);
int geckoprof_thread_is_sleeping(void);
/* These make the markers alone. */
void geckoprof_mark_thread_asleep(void);
void geckoprof_mark_thread_awake(void);

/* --- looking at registered threads --- */

#define GECKOPROF_THREAD_IS_MAIN 1u
#define GECKOPROF_THREAD_IS_SLEEPING 2u
#define GECKOPROF_THREAD_IS_SELECTED 4u /* something is recorded, and the filters select the thread */

typedef struct geckoprof_thread_info {
  uint32_t size_bytes; /* as this library knows it */
  int32_t tid;
  const char* name;         /* valid during the visit */
  int64_t register_time_ns; /* on CLOCK_MONOTONIC; the time of its registration with base, if that was earlier */
  int64_t cpu_time_ns;      /* what the thread has used so far, or -errno */
  uint32_t flags;           /* GECKOPROF_THREAD_IS_... */
  uint32_t reserved;
} geckoprof_thread_info;

/* Returns 0 to end the visits. It must not throw. The thread cannot unregister during the visit, so the visit should be
 * short. Functions of this library that take locks answer WRONG_THREAD during a visit. */
typedef int (*geckoprof_thread_visitor)(void* user, const geckoprof_thread_info* thread);

/* Visits every registered thread. Threads that begin meanwhile may be left out. Other threads may begin and end
 * meanwhile without waiting. */
void geckoprof_visit_threads(geckoprof_thread_visitor visit, void* user);
/* Visits one thread. `tid` 0: the calling thread. Returns 0 if the thread is not registered. */
int geckoprof_visit_thread(int32_t tid, geckoprof_thread_visitor visit, void* user);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_THREADS_H_ */
