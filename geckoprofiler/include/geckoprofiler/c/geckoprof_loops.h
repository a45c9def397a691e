/* The iterations of an event loop, for a program whose loop does not wait in epoll, poll or select. The feature
 * `responsiveness` measures these loops without any help.
 *
 *   for (;;) {
 *     struct work* const work = wait_for_work();
 *     geckoprof_loop_begin();
 *     handle(work);
 *     geckoprof_loop_end();
 *   }
 *
 * The functions do nothing in a process without libgeckoprofiler_hooks.so. The program need not be linked with it.
 * Threads: any. Each thread has its own iteration. */
#ifndef GECKOPROF_GECKOPROFILER_C_GECKOPROF_LOOPS_H_
#define GECKOPROF_GECKOPROFILER_C_GECKOPROF_LOOPS_H_

#ifdef __cplusplus
extern "C" {
#endif

extern __attribute__((weak)) void geckoprof_hooks_loop_begin(void);
extern __attribute__((weak)) void geckoprof_hooks_loop_end(void);

/* An iteration begins. */
static inline void geckoprof_loop_begin(void) {
  if (geckoprof_hooks_loop_begin) geckoprof_hooks_loop_begin();
}

/* It ends. The loop waits from here to the next call of geckoprof_loop_begin. */
static inline void geckoprof_loop_end(void) {
  if (geckoprof_hooks_loop_end) geckoprof_hooks_loop_end();
}

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_GECKOPROFILER_C_GECKOPROF_LOOPS_H_ */
