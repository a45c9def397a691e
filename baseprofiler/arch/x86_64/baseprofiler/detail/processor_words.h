/* How code anywhere reaches the library's words, the processor's counter and its own stack pointer. This is a part of
 * marker_abi.h: include that. */
#ifndef GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_

#include <stdint.h>

struct geckoprof_base_words;

#ifndef GECKOPROF_SHIM
static inline const volatile struct geckoprof_base_words* geckoprof_base_words_address(void) {
  const volatile struct geckoprof_base_words* words;
  __asm__("movq geckoprof_base_words@GOTPCREL(%%rip), %0" : "=r"(words));
  return words;
}
#endif

/* A geckoprof_time of the counter. */
static inline uint64_t geckoprof_base_counter_time(void) {
  uint64_t low, high; /* the instruction clears the upper halves */
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return UINT64_C(1) << 63 | high << 32 | low;
}

/* Where the calling function's frame ends now. To be inlined. */
static inline __attribute__((always_inline)) const void* geckoprof_base_stack_pointer(void) {
  const void* sp;
  __asm__ volatile("movq %%rsp, %0" : "=r"(sp));
  return sp;
}

#endif /* GECKOPROF_BASEPROFILER_DETAIL_PROCESSOR_WORDS_H_ */
