/* How code anywhere reaches the library's words, the processor's counter and its own stack pointer. This is a part of
 * marker_abi.h: include that. */
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_

#include <stdint.h>

struct geckoprof_base_words;

#ifndef GECKOPROF_SHIM
static inline const volatile struct geckoprof_base_words* geckoprof_base_words_address(void) {
  const volatile struct geckoprof_base_words* words;
  __asm__("adrp %0, :got:geckoprof_base_words\n\tldr %0, [%0, #:got_lo12:geckoprof_base_words]" : "=r"(words));
  return words;
}
#endif

/* The library never says that times are the counter's here: it ticks no finer than the clock, which costs the same. */
static inline uint64_t geckoprof_base_counter_time(void) { return 0; }

/* Where the calling function's frame ends now. To be inlined. */
static inline __attribute__((always_inline)) const void* geckoprof_base_stack_pointer(void) {
  const void* sp;
  __asm__ volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

#endif /* GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_ */
