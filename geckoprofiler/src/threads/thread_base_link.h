#ifndef GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_
#define GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_

#include <cstdint>

namespace geckoprof {

// ThreadBaseLink: base's functions that the registration of threads calls. Base owns the list of threads that are
// sampled. The functions have the meanings of base_profiler_abi.h. A null function is not called. Tests put functions
// of their own in.
struct ThreadBaseLink {
  void (*register_thread)(const char* name) = nullptr;
  void (*unregister_thread)(void) = nullptr;
  uint32_t (*state)(void) = nullptr;  // 0 inactive, 1 active, 2 paused; without it: inactive
  void (*marker)(const char* name, uint32_t category_pair, uint32_t phase, int64_t start_ns, int64_t end_ns,
                 const char* text) = nullptr;
  int64_t (*thread_registration)(char* name, uint32_t name_bytes) = nullptr;

  // An instant of the profiler's own, if there is a base that takes it.
  void MarkNow(const char* name, const char* text) const;

  // The one in use: at first the base library's functions, as far as the process has them.
  static const ThreadBaseLink& Current();
  // `link` must live for ever; null: the base library's again. Registrations that exist stay with the base they are in.
  static void Use(const ThreadBaseLink* link);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_
