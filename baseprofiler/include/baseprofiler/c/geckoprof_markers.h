/* Base's API for C: markers, with or without a payload. This header is part of geckoprof_base.h. The macros are in
 * geckoprof_mark.h.
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

#include "baseprofiler/c/geckoprof_labels.h"
#include "baseprofiler/marker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result of marking. Append only. */
enum geckoprof_mark_result {
  GECKOPROF_MARKED = 0,
  GECKOPROF_NOT_RECORDING = 1,
  GECKOPROF_NO_ROOM = 2,     /* counted */
  GECKOPROF_TOO_LARGE = 3,   /* larger than a chunk; counted */
  GECKOPROF_INTERRUPTED = 4, /* the thread was in the middle of another marker; counted */
  GECKOPROF_BAD_ARGUMENT =
      5, /* no site or name, an unknown flag, or values that do not fit the type's fields; counted */
};

/* --- types and sites: declared once, valid as long as the process lives, null if they cannot be had --- */

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

static inline geckoprof_type* geckoprof_type_of(geckoprof_lazy_type* lazy) {
  geckoprof_type* const type = __atomic_load_n(&lazy->type, __ATOMIC_ACQUIRE);
  return type != 0 ? type : geckoprof_base_declare_type(&lazy->type, lazy->description);
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

/* Records a marker. geckoprof_mark.h makes options. Without options it is an instant, now. If the options are of an
 * older size, the rest is 0. If `time` is 0, the marker is now. If `start` is 0, an interval begins at its end. The
 * name in the options counts only if the site has none. `values` has one value for each field of the site's type. A
 * whole number may be given for INT64, UINT64 and DOUBLE if the field can hold its value. A cell of a table must suit
 * the format of its column. Returns a geckoprof_mark_result. */
int geckoprof_base_mark(geckoprof_site* site, const geckoprof_marker_options* options, const geckoprof_value* values,
                        uint32_t count);

/* Records a marker of any name with a text, as PROFILER_MARKER_TEXT does. `text` need not be terminated. */
int geckoprof_base_mark_text(const char* name, uint32_t category, const geckoprof_marker_options* options,
                             const char* text, uint64_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_MARKERS_H_ */
