/* Whether there is a library behind the functions. Part of geckoprof_base.h. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_LIBRARY_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_LIBRARY_H_

#ifdef GECKOPROF_SHIM

#ifdef __cplusplus
extern "C" {
#endif

/* Not 0: the functions go to a library. A load. See geckoprof_shim.h. */
extern __attribute__((visibility("hidden"))) int geckoprof_shim_is_bound;
static inline int geckoprof_base_is_here(void) { return __atomic_load_n(&geckoprof_shim_is_bound, __ATOMIC_RELAXED); }

#ifdef __cplusplus
}
#endif

#else

/* A program that is linked with the library does not start without it. */
static inline int geckoprof_base_is_here(void) { return 1; }

#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_LIBRARY_H_ */
