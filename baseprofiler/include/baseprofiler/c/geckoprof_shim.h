/* For programs and plugins that mark, and are to run where the library is not. All files are compiled with
 * -DGECKOPROF_SHIM, none is linked with -lbaseprofiler, and one of them has
 *
 *   #define GECKOPROF_SHIM_IMPLEMENTATION
 *   #include "baseprofiler/c/geckoprof_shim.h"
 *
 * which makes the functions of base's API in this program (or this shared object, for which they are its own and
 * hidden). They go to the library that is in the process:
 *
 *   preloaded (geckoprof record does that), or linked by somebody else   found when this object's constructors run
 *   nowhere                                                              nothing happens: markers and labels cost a
 * load and a branch, and a start is GECKOPROF_NOT_HERE to be loaded by name, or loaded later by somebody else
 * geckoprof_shim_bind
 *
 * C++'s headers of base may be used in the same way, but for AUTO_PROFILER_LABEL and its like, which read a variable of
 * the library's: GECKOPROF_LABEL serves there. A library that is older than these headers serves as far as it
 * goes. Needs dlsym: libc, and libdl with glibc before 2.34; in a fully static program there is nothing to be found. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_

#ifndef GECKOPROF_SHIM
#error "compile all files of the program with -DGECKOPROF_SHIM"
#endif

#include "baseprofiler/c/geckoprof_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for the library again, and loads the one of this name (or path) if there is none in the process; null: loads
 * nothing. 1: the functions go to a library now. It stays loaded. Not in signal handlers; others may mark meanwhile. */
__attribute__((visibility("hidden"))) int geckoprof_shim_bind(const char* library);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_H_ */

#if defined(GECKOPROF_SHIM_IMPLEMENTATION) && !defined(GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_IMPLEMENTED_)
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_SHIM_IMPLEMENTED_

#include <dlfcn.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GECKOPROF_SHIM_HIDDEN_ __attribute__((visibility("hidden")))

GECKOPROF_SHIM_HIDDEN_ int geckoprof_shim_is_bound = 0;
static const struct geckoprof_base_words geckoprof_shim_no_words = {0, 0};
GECKOPROF_SHIM_HIDDEN_ const volatile struct geckoprof_base_words* geckoprof_shim_words = &geckoprof_shim_no_words;

/* What the library has of the table; the rest is null. */
static geckoprof_base_functions geckoprof_shim_table;
static const geckoprof_base_functions* geckoprof_shim_bound;
static int geckoprof_shim_is_binding;

static int geckoprof_shim_take(void* get) {
  const geckoprof_base_functions* (*get_functions)(void);
  const geckoprof_base_functions* functions;
  size_t known = sizeof(geckoprof_shim_table);
  if (get == NULL) return 0;
  memcpy(&get_functions, &get, sizeof(get_functions));
  functions = get_functions();
  if (functions->version != 1) return 0;
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
      geckoprof_base_is_here() || geckoprof_shim_take(dlsym((void*)0 /* anywhere */, "geckoprof_base_get_functions"));
  if (!bound && library != NULL) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    bound = handle != NULL && geckoprof_shim_take(dlsym(handle, "geckoprof_base_get_functions"));
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
