/* Base's API for C: when markers are, and macros that make them. Part of geckoprof_base.h; see geckoprof_markers.h. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_MARK_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_MARK_H_

#include <stdint.h>
#include <string.h>

#include "baseprofiler/c/geckoprof_markers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- options: made by one of these, changed by geckoprof_on_thread and the like --- */

static inline geckoprof_marker_options geckoprof_options_(uint32_t phase, geckoprof_time start, geckoprof_time end) {
  geckoprof_marker_options options;
  memset(&options, 0, sizeof(options));
  options.size_bytes = GECKOPROF_TO_(uint32_t, sizeof(options));
  options.phase = phase;
  options.start = start;
  options.end = end;
  return options;
}
static inline geckoprof_marker_options geckoprof_instant_at(geckoprof_time time) {
  return geckoprof_options_(0, time, time);
}
static inline geckoprof_marker_options geckoprof_instant(void) { return geckoprof_instant_at(geckoprof_base_time()); }
static inline geckoprof_marker_options geckoprof_interval(geckoprof_time start, geckoprof_time end) {
  return geckoprof_options_(1, start, end);
}
/* From `start` until now. */
static inline geckoprof_marker_options geckoprof_interval_since(geckoprof_time start) {
  return geckoprof_interval(start, geckoprof_base_time());
}
/* Halves of an interval, now: the viewer pairs them by name within a thread. */
static inline geckoprof_marker_options geckoprof_interval_start(void) {
  const geckoprof_time now = geckoprof_base_time();
  return geckoprof_options_(2, now, now);
}
static inline geckoprof_marker_options geckoprof_interval_end(void) {
  const geckoprof_time now = geckoprof_base_time();
  return geckoprof_options_(3, now, now);
}
/* The marker is about another thread of this process: `tid` as gettid(2) gives it. */
static inline geckoprof_marker_options geckoprof_on_thread(geckoprof_marker_options options, int32_t tid) {
  options.thread = tid;
  return options;
}
/* With the stack that leads here: native frames, if the recording has any, and labels. */
static inline geckoprof_marker_options geckoprof_with_stack(geckoprof_marker_options options) {
  options.flags |= GECKOPROF_MARKER_WITH_STACK;
  return options;
}
/* With the labels that are open. */
static inline geckoprof_marker_options geckoprof_with_labels(geckoprof_marker_options options) {
  options.flags |= GECKOPROF_MARKER_WITH_LABELS;
  return options;
}
/* Of a site without a name: this one, which must stay valid until the marker is made. */
static inline geckoprof_marker_options geckoprof_named(geckoprof_marker_options options, const char* name) {
  options.name = name != 0 ? name : "";
  options.name_bytes = strlen(options.name);
  return options;
}
/* Another category than the site's. */
static inline geckoprof_marker_options geckoprof_in_category(geckoprof_marker_options options, uint32_t category) {
  options.category_pair = category;
  options.flags |= GECKOPROF_MARKER_HAS_CATEGORY;
  return options;
}
/* Of a flow, whatever the marker's type: the viewer leads from one of its markers to the next. `flow`: any number, the
 * same wherever it passes, or geckoprof_flow_id_of_process's. */
static inline geckoprof_marker_options geckoprof_in_flow(geckoprof_marker_options options, uint64_t flow) {
  options.flow = flow;
  options.flags |= GECKOPROF_MARKER_HAS_FLOW;
  return options;
}
/* The last marker of a flow. */
static inline geckoprof_marker_options geckoprof_at_end_of_flow(geckoprof_marker_options options, uint64_t flow) {
  options = geckoprof_in_flow(options, flow);
  options.flags |= GECKOPROF_MARKER_ENDS_FLOW;
  return options;
}

/* --- a payload that is not known in one place: values one after the other --- */

/*   geckoprof_values payload;
 *   geckoprof_clear(&payload);
 *   geckoprof_put(&payload, geckoprof_string(path));
 *   if (known) geckoprof_put(&payload, geckoprof_uint64(size)); else geckoprof_put(&payload, geckoprof_nothing());
 *   geckoprof_base_mark(site, 0, payload.values, payload.count); */
typedef struct geckoprof_values {
  uint32_t count;
  geckoprof_value values[GECKOPROF_MOST_FIELDS];
} geckoprof_values;

static inline void geckoprof_clear(geckoprof_values* payload) { payload->count = 0; }
/* More than there can be are counted, so that the marker is refused. */
static inline void geckoprof_put(geckoprof_values* payload, geckoprof_value value) {
  if (payload->count < GECKOPROF_MOST_FIELDS) payload->values[payload->count] = value;
  ++payload->count;
}

/* --- macros. `name` is a literal; what else is given is evaluated only while something is recorded --- */

/* What is static at a place. In C++ of a type of the file's own, by which gcc makes it the file's own in inline
 * functions, too: compilers number what has the same name each in its own way, and linkers merge by name. */
#ifdef __cplusplus
namespace { /* NOLINT */
#endif
typedef struct geckoprof_place_ {
  geckoprof_site* site;
} geckoprof_place_;
#ifdef __cplusplus
}
#endif

/* The site of a place, declared when it is first needed. */
static inline geckoprof_site* geckoprof_site_of(geckoprof_site** place, const char* name, uint32_t category,
                                                geckoprof_lazy_type* type) {
  geckoprof_site* const site = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  geckoprof_type* handle;
  if (site != 0) return site;
  handle = type != 0 ? geckoprof_type_of(type) : 0;
  return type != 0 && handle == 0 ? 0 : geckoprof_base_declare_site(place, name, category, handle);
}

/* An instant, now. */
#define GECKOPROF_MARK(name, category)                                                                    \
  do {                                                                                                    \
    if (geckoprof_base_wants_markers()) {                                                                 \
      static geckoprof_place_ geckoprof_place_of_mark;                                                    \
      geckoprof_base_mark_instant(geckoprof_site_of(&geckoprof_place_of_mark.site, "" name, category, 0), \
                                  geckoprof_base_time());                                                 \
    }                                                                                                     \
  } while (0)

/* With options: GECKOPROF_MARK_WITH("Frame", GECKOPROF_CATEGORY_GRAPHICS, geckoprof_interval_since(start)). */
#define GECKOPROF_MARK_WITH(name, category, options)                                                    \
  do {                                                                                                  \
    if (geckoprof_base_wants_markers()) {                                                               \
      static geckoprof_place_ geckoprof_place_of_mark;                                                  \
      const geckoprof_marker_options geckoprof_options__ = options;                                     \
      (void)geckoprof_base_mark(geckoprof_site_of(&geckoprof_place_of_mark.site, "" name, category, 0), \
                                &geckoprof_options__, 0, 0);                                            \
    }                                                                                                   \
  } while (0)

/* With a text; here the name may be any. */
#define GECKOPROF_MARK_TEXT(name, category, options, shown)                                         \
  do {                                                                                              \
    if (geckoprof_base_wants_markers()) {                                                           \
      const geckoprof_marker_options geckoprof_options__ = options;                                 \
      const geckoprof_value geckoprof_text_ = geckoprof_string(shown);                              \
      (void)geckoprof_base_mark_text(name, category, &geckoprof_options__, geckoprof_text_.as.text, \
                                     geckoprof_text_.count);                                        \
    }                                                                                               \
  } while (0)

/* With a payload: `type` is a geckoprof_lazy_type*, then a value for each field. */
#define GECKOPROF_MARK_TYPED(name, category, options, type, ...)                                                    \
  do {                                                                                                              \
    if (geckoprof_base_wants_markers()) {                                                                           \
      static geckoprof_place_ geckoprof_place_of_mark;                                                              \
      const geckoprof_marker_options geckoprof_options__ = options;                                                 \
      const geckoprof_value geckoprof_values_[] = {__VA_ARGS__};                                                    \
      (void)geckoprof_base_mark(geckoprof_site_of(&geckoprof_place_of_mark.site, "" name, category, type),          \
                                &geckoprof_options__, geckoprof_values_,                                            \
                                GECKOPROF_TO_(uint32_t, sizeof(geckoprof_values_) / sizeof(geckoprof_values_[0]))); \
    }                                                                                                               \
  } while (0)

/* The rest of the block as an interval: the fastest of all. One in a line. */
typedef struct geckoprof_scope_ {
  geckoprof_site** site;
  const char* name;
  uint32_t category;
  geckoprof_time start; /* 0: nothing was recorded then */
} geckoprof_scope_;
static inline geckoprof_scope_ geckoprof_open_scope_(geckoprof_site** site, const char* name, uint32_t category) {
  geckoprof_scope_ scope;
  scope.site = site;
  scope.name = name;
  scope.category = category;
  scope.start = geckoprof_base_wants_markers() ? geckoprof_base_time() : 0;
  return scope;
}
static inline void geckoprof_close_scope_(geckoprof_scope_* scope) {
  if (scope->start == 0) return;
  geckoprof_base_mark_scope(geckoprof_site_of(scope->site, scope->name, scope->category, 0), scope->start,
                            geckoprof_base_time());
}
#define GECKOPROF_SCOPE(name, category)                                                                       \
  static geckoprof_place_ GECKOPROF_JOIN_(geckoprof_place_, __LINE__);                                        \
  __attribute__((cleanup(geckoprof_close_scope_), unused)) geckoprof_scope_ GECKOPROF_JOIN_(geckoprof_scope_, \
                                                                                            __LINE__) =       \
      geckoprof_open_scope_(&GECKOPROF_JOIN_(geckoprof_place_, __LINE__).site, "" name, category)

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_MARK_H_ */
