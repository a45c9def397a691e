/* Counters, for C and for every version of the C++ headers beside this one. base_profiler_abi.h says which rules all
 * functions share.
 *
 *   static const geckoprof_counter_description description = {sizeof description, GECKOPROF_COUNTER_HAS_NUMBER,
 *                                                             "cache", "Memory", "Bytes in the cache", "bytes", 0};
 *   geckoprof_counter* cache = geckoprof_base_counter_create(&description);
 *   geckoprof_base_counter_add(cache, 4096);                  from any thread, at any time
 *   geckoprof_base_counter_destroy(cache);
 *
 * A counter belongs to the process, not to a recording. It counts before, between and after recordings. The child of a
 * fork counts on from the value that the parent had. The sampler reads it once a tick while it takes samples. A null
 * pointer is a counter that counts nothing. Every function takes it. */
#ifndef GECKOPROF_BASEPROFILER_COUNTER_ABI_H_
#define GECKOPROF_BASEPROFILER_COUNTER_ABI_H_

#include <stdint.h>

#include "baseprofiler/c/geckoprof_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Without RATE and ACCUMULATED, the viewer draws the value of a counter of category "Memory", and the rate of any other
 * counter. */
#define GECKOPROF_COUNTER_HAS_NUMBER 1u  /* the viewer also shows the number of operations */
#define GECKOPROF_COUNTER_RATE 2u        /* the viewer draws how fast the value changes */
#define GECKOPROF_COUNTER_ACCUMULATED 4u /* the viewer draws the value */

/* The library copies the strings, which may be null. It cuts the name at 95 bytes, the category at 47, the description
 * at 191, the unit at 23, and the color at 15. */
typedef struct geckoprof_counter_description {
  uint32_t size_bytes; /* sizeof(geckoprof_counter_description) */
  uint32_t flags;
  const char* name;
  const char* category; /* the viewer knows "Memory", "Bandwidth", "power", "CPU"; any other is allowed */
  const char* description;
  const char* unit;  /* "bytes", "percent", "ns", ...; null or "": a plain number; "W/1000": counts are thousandths */
  const char* color; /* blue, green, grey, ink, magenta, orange, purple, red, teal, yellow; null: by category */
} geckoprof_counter_description;

/* A description with more about the counter. The functions take a pointer to `shown`, whose size_bytes is that of this
 * structure. An older library ignores the rest. */
typedef struct geckoprof_detailed_counter_description {
  geckoprof_counter_description shown;
  int64_t first_count; /* the value at the creation */
  /* The value changes at most once in so many ns, such as a value that a thread reads from elsewhere. The sampler does
   * not wake at each tick for it, and the viewer draws its rate over this time. It has no number of operations. 0: it
   * may change at any time. */
  int64_t period_ns;
} geckoprof_detailed_counter_description;

/* A counter has a cache line of its own, which stays mapped for ever. The line of a destroyed counter is used again
 * only after 256 further counters were destroyed, so a late addition does no harm. */
typedef struct geckoprof_counter {
  int64_t count;
  int64_t number;
} geckoprof_counter;

/* Makes a counter. Returns null if there are 512 counters already, if there is no memory, or if the description has no
 * name. Takes a lock. */
geckoprof_counter* geckoprof_base_counter_create(const geckoprof_counter_description* description);

/* Makes a counter once. If `*place` is null, it becomes a new counter, or stays null. However many threads call at a
 * time, they make one counter. Returns `*place`. */
geckoprof_counter* geckoprof_base_counter_create_once(geckoprof_counter** place,
                                                      const geckoprof_counter_description* description);

/* Ends a counter, once. The profile keeps its values. Later additions are lost. */
void geckoprof_base_counter_destroy(geckoprof_counter* counter);

#if GECKOPROF_IS_ENABLED_

/* Counts one operation of `delta`, which may be negative. Signal safe. */
static inline void geckoprof_base_counter_add(geckoprof_counter* counter, int64_t delta) {
  if (!counter) return;
  __atomic_fetch_add(&counter->count, delta, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counter->number, 1, __ATOMIC_RELAXED);
}

/* The same for a counter without a number of operations, at half the cost. Signal safe. */
static inline void geckoprof_base_counter_add_amount(geckoprof_counter* counter, int64_t delta) {
  if (counter) __atomic_fetch_add(&counter->count, delta, __ATOMIC_RELAXED);
}

/* Sets the value of the counter, for levels that the program knows from elsewhere. Signal safe. */
static inline void geckoprof_base_counter_set(geckoprof_counter* counter, int64_t value) {
  if (!counter) return;
  __atomic_store_n(&counter->count, value, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counter->number, 1, __ATOMIC_RELAXED);
}

#else

static inline void geckoprof_base_counter_add(geckoprof_counter* counter, int64_t delta) { (void)counter, (void)delta; }
static inline void geckoprof_base_counter_add_amount(geckoprof_counter* counter, int64_t delta) {
  (void)counter, (void)delta;
}
static inline void geckoprof_base_counter_set(geckoprof_counter* counter, int64_t value) { (void)counter, (void)value; }

#endif

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_COUNTER_ABI_H_ */
