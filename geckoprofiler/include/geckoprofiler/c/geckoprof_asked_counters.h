/* The full library's API for C: counters whose values the library asks for. Part of geckoprof_full.h, whose comment has
 * the rules of all functions.
 *
 *   static int queue_length(void* user, int64_t* value) {
 *     *value = atomic_load(&((struct server*)user)->queued);
 *     return 1;
 *   }
 *   geckoprof_asked_counter asked = GECKOPROF_ASKED_COUNTER("queue", "Server", "Requests in the queue", queue_length);
 *   asked.user = server;
 *   geckoprof_add_asked_counter(&asked, &id);
 *   geckoprof_remove_asked_counter(id);           before the server goes
 *
 * A program that changes a number itself needs none of this. Its counters are cheaper (baseprofiler/counter_abi.h). */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_ASKED_COUNTERS_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_ASKED_COUNTERS_H_

#include <stdint.h>

#include "baseprofiler/counter_abi.h"
#include "geckoprofiler/c/geckoprof_full_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

GECKOPROF_BEGIN_EXPORTED_

/* Writes the value to `*value` and returns 1. Returns 0 if it is not known now, and the counter stays as it was then.
 *
 * It runs on a thread of the profiler, one call at a time, and with no lock of the profiler held. All signals are
 * blocked except for those of crashes. It may call all of this API. It must not throw, and must not end its thread. If
 * a call takes more than 50 ms, another thread calls the other functions, and the profile has a marker "Counter not
 * read". Four functions may take long at a time. From then on, the others wait. The one that waited longest is next. */
typedef int (*geckoprof_counter_function)(void* user, int64_t* value);

/* The function returns the change since its last call. Otherwise it returns the value. */
#define GECKOPROF_ASKED_CHANGE 1u

typedef struct geckoprof_asked_counter {
  uint32_t size_bytes; /* sizeof(geckoprof_asked_counter) */
  uint32_t flags;      /* 0 or GECKOPROF_ASKED_CHANGE */
  const char* name;    /* the texts are as in geckoprof_counter_description, and are copied */
  const char* category;
  const char* description;
  const char* unit;
  const char* color;
  uint32_t graph;            /* 0 (by category), GECKOPROF_COUNTER_RATE or GECKOPROF_COUNTER_ACCUMULATED */
  uint32_t reserved;         /* 0 */
  int64_t least_interval_ns; /* mean time between two calls at least, 0 to 1 hour; 0: a call at each look */
  geckoprof_counter_function ask;
  void* user; /* the argument of `ask` */
  /* Called once with `user` when `ask` cannot run any more, or null. It runs on the thread that removes the counter, or
   * on that of the last call. After an error it runs before geckoprof_add_asked_counter returns. */
  void (*release)(void* user);
} geckoprof_asked_counter;

/* clang-format off */
#define GECKOPROF_ASKED_COUNTER(name, category, description, ask) \
  {GECKOPROF_TO_(uint32_t, sizeof(geckoprof_asked_counter)), 0, name, category, description, 0, 0, 0, 0, 0, ask, 0, 0}
/* clang-format on */

/* Adds a counter. While this library owns a recording that samples, it calls the function when the sampler looks, and
 * writes the value at the next look. While threads run, looks are 10 ms apart, or an interval if that is longer. They
 * are an interval apart if the program has a counter of baseprofiler/counter_abi.h, or a thread without a timer. While
 * no thread runs, looks are rare. Two calls may be one look closer than the least interval. The library becomes the
 * owner first, like geckoprof_init. From the first counter on, dlclose does not unload this library.
 *
 * `*id` is for geckoprof_remove_asked_counter, and `id` may be null. UNCHANGED: there is a counter with this function,
 * argument and name, whose id is returned. OUT_OF_RANGE: no name or function, or another argument. REFUSED: there are
 * 512 of these counters. A process has at most 512 counters of all kinds. If there is no room at the first value, the
 * profile has a marker "Counter not read", and the function is still called. */
#if GECKOPROF_IS_ENABLED_
int geckoprof_add_asked_counter(const geckoprof_asked_counter* asked, uint64_t* id);
#else
static inline int geckoprof_add_asked_counter(const geckoprof_asked_counter* asked, uint64_t* id) {
  if (id != NULL) *id = 0;
  if (asked != NULL && asked->release != NULL) asked->release(asked->user);
  return GECKOPROF_NO_BASE;
}
#endif

/* Removes a counter. The profile keeps its values. Afterwards no call of its function is under way on another thread,
 * unless such a function calls this. A function that never returns keeps the caller waiting. Call it before the code or
 * the data of the function goes. UNCHANGED: there is no such counter. */
int geckoprof_remove_asked_counter(uint64_t id);

GECKOPROF_END_VISIBILITY_

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_ASKED_COUNTERS_H_ */
