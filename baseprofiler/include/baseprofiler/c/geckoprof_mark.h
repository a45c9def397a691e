/* Base's API for C: the options of markers, and macros that mark. This header is part of geckoprof_base.h. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_MARK_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_MARK_H_

#include <stdint.h>
#include <string.h>

#include "baseprofiler/c/geckoprof_markers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- options: these functions make them, and geckoprof_on_thread and those after it change them --- */

static inline geckoprof_marker_options geckoprof_options_(uint32_t phase, geckoprof_time start, geckoprof_time time) {
  geckoprof_marker_options options;
  memset(&options, 0, sizeof(options));
  options.size_bytes = GECKOPROF_TO_(uint32_t, sizeof(options));
  options.flags = phase;
  options.start = start;
  options.time = time;
  return options;
}
static inline geckoprof_marker_options geckoprof_instant_at(geckoprof_time time) {
  return geckoprof_options_(GECKOPROF_MARKER_INSTANT, 0, time);
}
static inline geckoprof_marker_options geckoprof_instant(void) { return geckoprof_instant_at(geckoprof_base_time()); }
static inline geckoprof_marker_options geckoprof_interval(geckoprof_time start, geckoprof_time end) {
  return geckoprof_options_(GECKOPROF_MARKER_INTERVAL, start, end);
}
/* From `start` until now. */
static inline geckoprof_marker_options geckoprof_interval_since(geckoprof_time start) {
  return geckoprof_interval(start, geckoprof_base_time());
}
/* The halves of an interval, now. The viewer pairs them by their name, within a thread. */
static inline geckoprof_marker_options geckoprof_interval_start(void) {
  return geckoprof_options_(GECKOPROF_MARKER_INTERVAL_START, 0, geckoprof_base_time());
}
static inline geckoprof_marker_options geckoprof_interval_end(void) {
  return geckoprof_options_(GECKOPROF_MARKER_INTERVAL_END, 0, geckoprof_base_time());
}
/* The marker is about another thread of this process. `tid` is as gettid(2) returns it. */
static inline geckoprof_marker_options geckoprof_on_thread(geckoprof_marker_options options, int32_t tid) {
  options.thread = tid;
  return options;
}
/* With the stack that leads here. It has labels, and native frames if the recording has any. */
static inline geckoprof_marker_options geckoprof_with_stack(geckoprof_marker_options options) {
  options.flags |= GECKOPROF_MARKER_WITH_STACK;
  return options;
}
/* With the labels that are open. */
static inline geckoprof_marker_options geckoprof_with_labels(geckoprof_marker_options options) {
  options.flags |= GECKOPROF_MARKER_WITH_LABELS;
  return options;
}
/* The name of the marker, if its site has none. It must stay valid until the marker is made. */
static inline geckoprof_marker_options geckoprof_named(geckoprof_marker_options options, const char* name) {
  options.name = name != 0 ? name : "";
  options.name_bytes = strlen(options.name);
  return options;
}
/* Replaces the category of the site. */
static inline geckoprof_marker_options geckoprof_in_category(geckoprof_marker_options options, uint32_t category) {
  options.category_pair = category;
  options.flags |= GECKOPROF_MARKER_HAS_CATEGORY;
  return options;
}
/* The marker belongs to a flow. The viewer leads from one marker of the flow to the next. `flow` is any number that is
 * the same wherever the flow passes, or the result of geckoprof_flow_id_of_process. */
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

/* --- a payload that several places make, value by value --- */

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
/* Values beyond the last are counted only, so that the marker is refused. */
static inline void geckoprof_put(geckoprof_values* payload, geckoprof_value value) {
  if (payload->count < GECKOPROF_MOST_FIELDS) payload->values[payload->count] = value;
  ++payload->count;
}

/* --- macros. `name` is a literal. The other arguments are evaluated only while something is recorded --- */

/* The static variable of a place. In C++ its type is the file's own, and gcc makes the variable the file's own for
 * that, in inline functions, too. Linkers merge variables by name, and compilers number equal names differently. */
#ifdef __cplusplus
namespace { /* NOLINT */
#endif
typedef struct geckoprof_place_ {
  geckoprof_site* site;
} geckoprof_place_;
#ifdef __cplusplus
}
#endif

/* Returns the site of a place, and declares it first if needed. */
static inline geckoprof_site* geckoprof_site_of(geckoprof_site** place, const char* name, uint32_t category,
                                                geckoprof_lazy_type* type) {
  geckoprof_site* const site = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  geckoprof_type* handle;
  if (site != 0) return site;
  handle = type != 0 ? geckoprof_type_of(type) : 0;
  return type != 0 && handle == 0 ? 0 : geckoprof_base_declare_site(place, name, category, handle);
}

/* A marker without a payload, now. Its site has a name, or could not be declared. */
static inline void geckoprof_mark_now_(geckoprof_site* site, uint32_t phase, geckoprof_time start) {
  if (site == 0) {
    (void)geckoprof_base_add_marker(0, 0, 0, 0); /* counts it */
  } else {
    (void)geckoprof_base_begin_in_place(site, phase | GECKOPROF_MARKER_NOW, start, 0, 0);
  }
}

/* An instant, now. */
#define GECKOPROF_MARK(name, category)                                                            \
  do {                                                                                            \
    if (geckoprof_base_wants_markers()) {                                                         \
      static geckoprof_place_ geckoprof_place_of_mark;                                            \
      geckoprof_mark_now_(geckoprof_site_of(&geckoprof_place_of_mark.site, "" name, category, 0), \
                          GECKOPROF_MARKER_INSTANT, 0);                                           \
    }                                                                                             \
  } while (0)

/* With options, as in GECKOPROF_MARK_WITH("Frame", GECKOPROF_CATEGORY_GRAPHICS, geckoprof_interval_since(start)). */
#define GECKOPROF_MARK_WITH(name, category, options)                                                    \
  do {                                                                                                  \
    if (geckoprof_base_wants_markers()) {                                                               \
      static geckoprof_place_ geckoprof_place_of_mark;                                                  \
      const geckoprof_marker_options geckoprof_options__ = options;                                     \
      (void)geckoprof_base_mark(geckoprof_site_of(&geckoprof_place_of_mark.site, "" name, category, 0), \
                                &geckoprof_options__, 0, 0);                                            \
    }                                                                                                   \
  } while (0)

/* With a text. The name need not be a literal here. */
#define GECKOPROF_MARK_TEXT(name, category, options, shown)                                         \
  do {                                                                                              \
    if (geckoprof_base_wants_markers()) {                                                           \
      const geckoprof_marker_options geckoprof_options__ = options;                                 \
      const geckoprof_value geckoprof_text_ = geckoprof_string(shown);                              \
      (void)geckoprof_base_mark_text(name, category, &geckoprof_options__, geckoprof_text_.as.text, \
                                     geckoprof_text_.count);                                        \
    }                                                                                               \
  } while (0)

/* With a payload. `type` is a geckoprof_lazy_type*. A value for each field follows. */
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

/* The rest of the block as an interval, the fastest of all. A line may have one. */
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
  geckoprof_mark_now_(geckoprof_site_of(scope->site, scope->name, scope->category, 0), GECKOPROF_MARKER_INTERVAL,
                      scope->start);
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
