/* Base's API for C: markers, with or without a payload, their options, and macros that mark. This header is part of
 * geckoprof_base.h.
 *
 *   static const geckoprof_marker_field load_fields[] = {
 *       {"path", "Path", "file-path", GECKOPROF_FIELD_STRING, 0},
 *       {"size", "Size", "bytes", GECKOPROF_FIELD_UINT64, GECKOPROF_FIELD_OPTIONAL},
 *   };
 *   static const geckoprof_marker_type load_description = {
 *       .size_bytes = sizeof(geckoprof_marker_type), .name = "Load", .chart_label = "{marker.data.path}",
 *       GECKOPROF_FIELDS(load_fields)};
 *   static geckoprof_lazy_type load_type = GECKOPROF_LAZY_TYPE(&load_description);
 *
 *   void Load(const char* path) {
 *     const geckoprof_time start = geckoprof_base_time();
 *     ...
 *     GECKOPROF_MARK_TYPED("Load", GECKOPROF_CATEGORY_STORAGE, geckoprof_interval_since(start), &load_type,
 *                          geckoprof_string(path), geckoprof_uint64(size));
 *   }
 *
 * While nothing is recorded, a macro costs a relaxed load and a branch, and evaluates nothing. No heap is used.
 * A text is cut at 4,096 bytes, and the lists of a marker at 2,048 bytes together. The profile counts every cut and
 * every marker that was dropped. The program must not look into types, sites and values, since their storage may
 * change.
 *
 * Threads: any. Context: any. In a signal handler, the same place must have marked in this recording before. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_MARKERS_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_MARKERS_H_

#include <stdint.h>
#include <string.h>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_functions.h"
#include "baseprofiler/marker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GECKOPROF_JOIN_WORDS_(a, b) a##b
#define GECKOPROF_JOIN_(a, b) GECKOPROF_JOIN_WORDS_(a, b)

/* --- types and sites ---
 *
 * A type or a site is declared once, and is valid as long as the process lives. It is null if it could not be made. */

typedef struct geckoprof_type geckoprof_type;        /* the fields of markers */
typedef struct geckoprof_marker_site geckoprof_site; /* name, category and type of all markers of one place */

#define GECKOPROF_MOST_FIELDS 31u
#define GECKOPROF_FIELDS(array) \
  .fields = (array), .field_count = GECKOPROF_TO_(uint32_t, sizeof(array) / sizeof((array)[0]))

/* Declares a type, and copies the description. Without `display`, the viewer shows the markers in chart and table.
 * Equal descriptions give the same type, so a plugin that is loaded again needs no more memory. If `place` is not null,
 * a type that lies there is the answer, and otherwise the answer is stored there. Returns null if
 * geckoprof_base_type_problem has a reason, if there are 65,536 types, or if there is no memory. Takes a lock. Not for
 * signal handlers. */
geckoprof_type* geckoprof_base_declare_type(geckoprof_type** place, const geckoprof_marker_type* description);

/* Returns why a description is refused, in a few words ("a field has no key"). Null: it is fine. Static. */
const char* geckoprof_base_type_problem(const geckoprof_marker_type* description);

/* Declares a site in the same way. `name` has at most 8 KiB. If it is null, each marker has its own. If `type` is null,
 * the markers have no payload. */
geckoprof_site* geckoprof_base_declare_site(geckoprof_site** place, const char* name, uint32_t category,
                                            geckoprof_type* type);

/* A type that is declared when it is first needed. */
typedef struct geckoprof_lazy_type {
  const geckoprof_marker_type* description;
  geckoprof_type* type;
} geckoprof_lazy_type;
/* clang-format off */
#define GECKOPROF_LAZY_TYPE(description) {(description), 0}
/* clang-format on */

/* Returns the type, and declares it first if needed. */
static inline geckoprof_type* geckoprof_type_of(geckoprof_lazy_type* lazy) {
#if GECKOPROF_IS_ENABLED_
  geckoprof_type* const type = __atomic_load_n(&lazy->type, __ATOMIC_ACQUIRE);
  return type != 0 ? type : geckoprof_base_declare_type(&lazy->type, lazy->description);
#else
  return lazy->type;
#endif
}

/* --- values, in the order of the type's fields --- */

#define GECKOPROF_GIVEN_STRINGS 64u /* a list, for a field of kind VALUE */
#define GECKOPROF_GIVEN_NOTHING 65u /* no value, for an optional field */
#define GECKOPROF_GIVEN_VALUES 66u  /* a list of values of kind STRING, for a field of kind VALUE */
#define GECKOPROF_GIVEN_ROWS 67u    /* the cells of a table, row by row, for a field of kind VALUE that is a table */

typedef struct geckoprof_value {
  uint32_t kind;    /* a geckoprof_field_kind but VALUE, or GECKOPROF_GIVEN_... */
  uint32_t columns; /* of ROWS; else 0 */
  uint64_t count;   /* the bytes of a string, or the elements of a list */
  union {
    int64_t number;                       /* INT64, NS */
    uint64_t whole;                       /* UINT64, TIME, FLOW, and BOOL, where any number but 0 is true */
    double real;                          /* DOUBLE */
    const char* text;                     /* STRING, in UTF-8; need not be terminated */
    const char* const* texts;             /* STRINGS */
    const struct geckoprof_value* values; /* VALUES, ROWS */
  } as;
} geckoprof_value;

static inline geckoprof_value geckoprof_value_of_kind_(uint32_t kind) {
  geckoprof_value value;
  memset(&value, 0, sizeof(value));
  value.kind = kind;
  return value;
}
static inline geckoprof_value geckoprof_whole_(uint32_t kind, uint64_t whole) {
  geckoprof_value value = geckoprof_value_of_kind_(kind);
  value.as.whole = whole;
  return value;
}
static inline geckoprof_value geckoprof_nothing(void) { return geckoprof_value_of_kind_(GECKOPROF_GIVEN_NOTHING); }
static inline geckoprof_value geckoprof_int64(int64_t number) {
  return geckoprof_whole_(GECKOPROF_FIELD_INT64, GECKOPROF_TO_(uint64_t, number));
}
static inline geckoprof_value geckoprof_uint64(uint64_t number) {
  return geckoprof_whole_(GECKOPROF_FIELD_UINT64, number);
}
static inline geckoprof_value geckoprof_bool(int yes) { return geckoprof_whole_(GECKOPROF_FIELD_BOOL, yes != 0); }
static inline geckoprof_value geckoprof_double(double number) {
  geckoprof_value value = geckoprof_value_of_kind_(GECKOPROF_FIELD_DOUBLE);
  value.as.real = number;
  return value;
}
static inline geckoprof_value geckoprof_string_of(const char* text, uint64_t bytes) {
  geckoprof_value value = geckoprof_value_of_kind_(GECKOPROF_FIELD_STRING);
  value.as.text = text;
  value.count = bytes;
  return value;
}
/* Null is an empty text. */
static inline geckoprof_value geckoprof_string(const char* text) {
  return geckoprof_string_of(text, text != 0 ? strlen(text) : 0);
}
/* A list. A null text is an empty text here, too. */
static inline geckoprof_value geckoprof_strings(const char* const* texts, uint64_t count) {
  geckoprof_value value = geckoprof_value_of_kind_(GECKOPROF_GIVEN_STRINGS);
  value.as.texts = texts;
  value.count = count;
  return value;
}
/* A list of texts that need not be terminated. geckoprof_string_of makes them. */
static inline geckoprof_value geckoprof_values_list(const geckoprof_value* texts, uint64_t count) {
  geckoprof_value value = geckoprof_value_of_kind_(GECKOPROF_GIVEN_VALUES);
  value.as.values = texts;
  value.count = count;
  return value;
}
/* A table's cells, row by row. Each row has `columns` cells, as many as the field's format has (GECKOPROF_COLUMN). A
 * cell is made by geckoprof_string, _int64, _uint64, _double, _bool, _duration_ns or _nothing. */
static inline geckoprof_value geckoprof_rows(const geckoprof_value* cells, uint32_t columns, uint64_t rows) {
  geckoprof_value value = geckoprof_value_of_kind_(GECKOPROF_GIVEN_ROWS);
  value.as.values = cells;
  value.columns = columns;
  value.count = rows;
  return value;
}
/* A moment, a duration, and the id of a flow. */
static inline geckoprof_value geckoprof_moment(geckoprof_time time) {
  return geckoprof_whole_(GECKOPROF_FIELD_TIME, time);
}
static inline geckoprof_value geckoprof_duration_ns(int64_t ns) {
  return geckoprof_whole_(GECKOPROF_FIELD_NS, GECKOPROF_TO_(uint64_t, ns));
}
static inline geckoprof_value geckoprof_flow(uint64_t id) { return geckoprof_whole_(GECKOPROF_FIELD_FLOW, id); }
/* Makes the id of a flow that is unique within this process only, as Flow::ProcessScoped of C++ does. */
static inline uint64_t geckoprof_flow_id_of_process(uint64_t id) { return id ^ geckoprof_base_process_salt(); }
static inline uint64_t geckoprof_flow_id_of_object(const void* object) {
  return geckoprof_flow_id_of_process(GECKOPROF_POINTER_TO_(uintptr_t, object));
}

/* --- marking, by the three functions of marker_abi.h, after a check of the values --- */

/* Records a marker. The functions below make options. Without options it is an instant, now. If the options are of an
 * older size, the rest is 0. If `time` is 0, the marker is now. If `start` is 0, an interval begins at its end. The
 * name in the options counts only if the site has none. `values` has one value for each field of the site's type. A
 * whole number may be given for INT64, UINT64 and DOUBLE if the field can hold its value. A cell of a table must suit
 * the format of its column. Returns a geckoprof_mark_result. */
int geckoprof_base_mark(geckoprof_site* site, const geckoprof_marker_options* options, const geckoprof_value* values,
                        uint32_t count);

/* Records a marker of any name with a text, as PROFILER_MARKER_TEXT does. `text` need not be terminated. */
int geckoprof_base_mark_text(const char* name, uint32_t category, const geckoprof_marker_options* options,
                             const char* text, uint64_t text_bytes);

/* --- options ---
 *
 * The first functions make options. geckoprof_on_thread and the functions after it change them. */

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

/* --- macros ---
 *
 * `name` is a literal. The other arguments are evaluated only while something is recorded. */

#if GECKOPROF_IS_ENABLED_

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

/* Marks without a payload, now. The site has a name. If it could not be declared, the marker is counted. */
static inline void geckoprof_mark_now_(geckoprof_site* site, uint32_t phase, geckoprof_time start) {
  if (site == 0) {
    (void)geckoprof_base_add_marker(0, 0, 0, 0);
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

#else /* !GECKOPROF_IS_ENABLED_ */

static inline geckoprof_site* geckoprof_site_of(geckoprof_site** place, const char* name, uint32_t category,
                                                geckoprof_lazy_type* type) {
  (void)name, (void)category, (void)type;
  return *place;
}

#define GECKOPROF_MARK(name, category) GECKOPROF_NOTHING_
#define GECKOPROF_MARK_WITH(name, category, options) GECKOPROF_NOTHING_
#define GECKOPROF_MARK_TEXT(name, category, options, shown) GECKOPROF_NOTHING_
#define GECKOPROF_MARK_TYPED(name, category, options, type, ...) GECKOPROF_NOTHING_
#define GECKOPROF_SCOPE(name, category) GECKOPROF_NOTHING_

#endif /* GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_MARKERS_H_ */
