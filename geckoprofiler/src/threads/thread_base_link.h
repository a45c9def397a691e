#ifndef GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_
#define GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_

#include <cstdint>

struct geckoprof_marker_options;
struct geckoprof_marker_site;
struct geckoprof_piece;

namespace geckoprof {

// ThreadBaseLink: the functions of the base tier that the registration of threads needs. The base tier owns the list of
// sampled threads. Each function has the meaning of geckoprof_base_NAME, and may be null, which makes it do nothing.
// Tests put in their own.
struct ThreadBaseLink {
  void (*register_thread)(const char* name) = nullptr;
  void (*unregister_thread)(void) = nullptr;
  // 0 inactive, 1 active, 2 paused, 3 sampling alone is paused; null: inactive
  uint32_t (*state)(void) = nullptr;
  int (*mark_text)(const char* name, uint32_t category, const geckoprof_marker_options* options, const char* text,
                   uint64_t text_bytes) = nullptr;
  int64_t (*thread_registration)(char* name, uint32_t name_bytes) = nullptr;
  int (*add_marker)(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                    const geckoprof_piece* payload, uint32_t piece_count) = nullptr;

  // Adds an instant of the profiler's own category, if there is a base.
  void MarkNow(const char* name, const char* text) const;
  // Adds a marker of the site that is now. `phase`: GECKOPROF_MARKER_INSTANT and so on. Returns a
  // geckoprof_mark_result.
  int Mark(geckoprof_marker_site& site, uint32_t phase, const geckoprof_piece& payload) const;

  // Returns the link in use. At first it has the functions of the base library that the process has.
  static const ThreadBaseLink& Current();
  // Replaces the link. `link` must live for ever, and null means the base library's functions. Registrations that exist
  // stay with the base they are in.
  static void Use(const ThreadBaseLink* link);
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_THREADS_THREAD_BASE_LINK_H_
