/* Counters, for C and for every version of the C++ headers beside this one. See base_profiler_abi.h for what holds of
 * all functions.
 *
 *   static const geckoprof_counter_description description = {sizeof description, GECKOPROF_COUNTER_HAS_NUMBER,
 *                                                             "cache", "Memory", "Bytes in the cache", "bytes", 0};
 *   geckoprof_counter* cache = geckoprof_base_counter_create(&description);
 *   geckoprof_base_counter_add(cache, 4096);                  from any thread, at any time
 *   geckoprof_base_counter_destroy(cache);
 *
 * A counter belongs to the process, not to a recording: it counts before, between and after recordings, and in the
 * children of a fork from where the parent was. It is read once a tick while samples are taken. Null is a counter that
 * counts nothing, and may be given to every function. */
#ifndef GECKOPROF_BASEPROFILER_COUNTER_ABI_H_
#define GECKOPROF_BASEPROFILER_COUNTER_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GECKOPROF_COUNTER_HAS_NUMBER 1u /* the number of operations is shown, too */
#define GECKOPROF_COUNTER_RATE 2u       /* what is drawn is how fast it changes */
#define GECKOPROF_COUNTER_ACCUMULATED                                             \
  4u /* what is drawn is its value; with neither, that of category "Memory" alone \
      */

/* Strings are copied, and may be null; longer ones are cut: name 95 bytes, category 47, description 191, unit 23,
 * color 15. */
typedef struct geckoprof_counter_description {
  uint32_t size_bytes; /* sizeof(geckoprof_counter_description) */
  uint32_t flags;
  const char* name;
  const char* category; /* the viewer knows "Memory", "Bandwidth", "power", "CPU"; any other will do */
  const char* description;
  const char* unit;  /* "bytes", "percent", "ns", ...; null or "": a plain number */
  const char* color; /* blue, green, grey, ink, magenta, orange, purple, red, teal, yellow; null: by category */
} geckoprof_counter_description;

/* Its memory stays mapped for ever, and that of a destroyed one is given to another only after 256 more were destroyed:
 * who adds to one that was just destroyed does no harm. Each has a cache line of its own. */
typedef struct geckoprof_counter {
  int64_t count;
  int64_t number;
} geckoprof_counter;

/* Null: there are 512 already, no memory, or the description makes no sense (no name). Cold: takes a lock. */
geckoprof_counter* geckoprof_base_counter_create(const geckoprof_counter_description* description);

/* The same once: if *place is null, it becomes a new counter or stays null. However many threads call at a time, one
 * counter is made. Returns *place. */
geckoprof_counter* geckoprof_base_counter_create_once(geckoprof_counter** place,
                                                      const geckoprof_counter_description* description);

/* It stays in the profile with what it had. What is added later is lost. Once for each counter. */
void geckoprof_base_counter_destroy(geckoprof_counter* counter);

/* Counts one operation of `delta`, which may be negative. Signal safe. */
static inline void geckoprof_base_counter_add(geckoprof_counter* counter, int64_t delta) {
  if (!counter) return;
  __atomic_fetch_add(&counter->count, delta, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counter->number, 1, __ATOMIC_RELAXED);
}

/* The same for one without a number of operations: half the cost. Signal safe. */
static inline void geckoprof_base_counter_add_amount(geckoprof_counter* counter, int64_t delta) {
  if (counter) __atomic_fetch_add(&counter->count, delta, __ATOMIC_RELAXED);
}

/* Makes `value` the counter's value: for levels that are known from elsewhere. Signal safe. */
static inline void geckoprof_base_counter_set(geckoprof_counter* counter, int64_t value) {
  if (!counter) return;
  __atomic_store_n(&counter->count, value, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counter->number, 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_COUNTER_ABI_H_ */
