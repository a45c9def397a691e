/* For programs and plugins that mark, and that also run where the library is not. All files are compiled with
 * -DGECKOPROF_SHIM. None is linked with -lbaseprofiler. One file has
 *
 *   #define GECKOPROF_SHIM_IMPLEMENTATION
 *   #include "baseprofiler/c/geckoprof_shim.h"
 *
 * This file then defines the functions of base's API in the program, or in the shared object, which hides them. They
 * call the library in the process:
 *
 *   preloaded (geckoprof record does that), or linked by another object: the shim finds it when this object's
 *       constructors run
 *   loaded by name, or loaded later by other code: the program calls geckoprof_shim_bind
 *   nowhere: nothing happens; a marker or a label costs a load and a branch, and a start is GECKOPROF_NOT_HERE
 *
 * The C++ headers of base may be used in the same way, except AUTO_PROFILER_LABEL and the macros like it. They read a
 * variable of the library, so GECKOPROF_LABEL takes their place. A library that is older than these headers serves as
 * far as it goes. The shim needs dlsym: libc, and libdl with glibc before 2.34. A fully static program finds no
 * library. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_

#ifndef GECKOPROF_SHIM
#error "compile all files of the program with -DGECKOPROF_SHIM"
#endif

#include "baseprofiler/c/geckoprof_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#if GECKOPROF_IS_ENABLED_

/* Looks for the library again. If the process has none, it loads the library of this name or path. Null loads nothing.
 * Returns 1 if the functions go to a library now. The library stays loaded. Not for signal handlers. Other threads may
 * mark meanwhile. */
__attribute__((visibility("hidden"))) int geckoprof_shim_bind(const char* library);

#else

static inline int geckoprof_shim_bind(const char* library) {
  (void)library;
  return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_ */

#if GECKOPROF_IS_ENABLED_ && defined(GECKOPROF_SHIM_IMPLEMENTATION) && \
    !defined(GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_IMPLEMENTED_)
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_IMPLEMENTED_

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GECKOPROF_SHIM_HIDDEN_ __attribute__((visibility("hidden")))

GECKOPROF_SHIM_HIDDEN_ int geckoprof_shim_is_bound = 0;
static const struct geckoprof_base_words geckoprof_shim_no_words = {0, 0, 0};
GECKOPROF_SHIM_HIDDEN_ const volatile struct geckoprof_base_words* geckoprof_shim_words = &geckoprof_shim_no_words;

/* A copy of the library's table. Entries that an older library does not have are null. */
static geckoprof_base_functions geckoprof_shim_table;
static const geckoprof_base_functions* geckoprof_shim_bound;
static int geckoprof_shim_is_binding;

static int geckoprof_shim_use(void* get) {
  const geckoprof_base_functions* (*get_functions)(void);
  const geckoprof_base_functions* functions;
  size_t known = sizeof(geckoprof_shim_table);
  if (get == NULL) return 0;
  memcpy(&get_functions, &get, sizeof(get_functions));
  functions = get_functions();
  if (functions->version != GECKOPROF_BASE_FUNCTIONS_VERSION) return 0;
  if (functions->size_bytes < known) known = functions->size_bytes;
  memcpy(&geckoprof_shim_table, functions, known);
  __atomic_store_n(&geckoprof_shim_bound, &geckoprof_shim_table, __ATOMIC_RELEASE);
  __atomic_store_n(&geckoprof_shim_is_bound, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&geckoprof_shim_words, functions->words, __ATOMIC_RELEASE);
  return 1;
}

GECKOPROF_SHIM_HIDDEN_ int geckoprof_shim_bind(const char* library) {
  int bound;
  while (__atomic_exchange_n(&geckoprof_shim_is_binding, 1, __ATOMIC_ACQUIRE) != 0) continue;
  bound =
      geckoprof_base_is_here() || geckoprof_shim_use(dlsym((void*)0 /* anywhere */, "geckoprof_base_get_functions"));
  if (!bound && library != NULL) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    bound = handle != NULL && geckoprof_shim_use(dlsym(handle, "geckoprof_base_get_functions"));
  }
  __atomic_store_n(&geckoprof_shim_is_binding, 0, __ATOMIC_RELEASE);
  return bound;
}

__attribute__((constructor(101))) static void geckoprof_shim_look(void) { (void)geckoprof_shim_bind(NULL); }

#define GECKOPROF_SHIM_RETURNS_(result, name, parameters, arguments, absent)                                \
  GECKOPROF_SHIM_HIDDEN_ result geckoprof_base_##name parameters {                                          \
    const geckoprof_base_functions* const bound = __atomic_load_n(&geckoprof_shim_bound, __ATOMIC_ACQUIRE); \
    return bound != NULL && bound->name != NULL ? bound->name arguments : absent;                           \
  }
#define GECKOPROF_SHIM_DOES_(name, parameters, arguments)                                                   \
  GECKOPROF_SHIM_HIDDEN_ void geckoprof_base_##name parameters {                                            \
    const geckoprof_base_functions* const bound = __atomic_load_n(&geckoprof_shim_bound, __ATOMIC_ACQUIRE); \
    if (bound != NULL && bound->name != NULL) bound->name arguments;                                        \
  }
GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_SHIM_RETURNS_, GECKOPROF_SHIM_DOES_)

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_SHIM_IMPLEMENTATION */
