/* Markers with payloads: the functions that C, every version of the C++ headers beside this one, and Rust use.
 * base_profiler_abi.h has the rules of all functions.
 *
 * Three functions record markers: add, begin in place, and end in place. Flags say the phase of a marker, and which
 * side reads the clock. Most markers take the short way:
 *
 *   macro                                   library                            the thread's chunk
 *   state word says: recorded?
 *   counts the bytes of the payload
 *   geckoprof_base_begin_in_place --------> reads the clock (NOW),
 *                                           reserves a block, writes its head   | size, kind, site | time | ........ |
 *   writes the fields there <-------------- returns where the payload goes      | size, kind, site | time | payload  |
 *   geckoprof_base_end_in_place ----------> publishes it: one release store                                          ^
 *
 * A marker takes the long way if it has a stack, a flow, or a name or category of its own. The same holds if it is
 * about another thread, or if its payload has more than GECKOPROF_MOST_BYTES_IN_PLACE bytes:
 *
 *   static geckoprof_marker_type load_type = {...};             the fields; the program has one
 *   static geckoprof_marker_site site = {..., &load_type};      the same for all markers of one place
 *   if (geckoprof_base_wants_markers()) {
 *     geckoprof_piece payload = {...};                          the fields in order, see geckoprof_field_kind
 *     geckoprof_base_add_marker(&site, &options, &payload, 1);
 *   }
 *
 * The library writes a type and a site to the segment when a recording meets them first, and copies their strings then.
 * They must stay valid while they are used, so they need static storage.
 *
 * Threads: any. Context: any, signal context included. If a signal handler interrupts a marker of the same thread, the
 * library drops the handler's marker and counts it. If the thread jumps out of a marker, that marker is dropped. The
 * next marker from the same or an outer function finds that, and is recorded.
 *
 * A structure that the program fills in begins with its size. Fields are only added, at its end. */
#ifndef GECKOPROF_BASEPROFILER_MARKER_ABI_H_
#define GECKOPROF_BASEPROFILER_MARKER_ABI_H_

#include <stdint.h>

#include "baseprofiler/c/geckoprof_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a field lies in the payload. There are no gaps, and the byte order is the machine's. Append only. */
enum geckoprof_field_kind {
  GECKOPROF_FIELD_INT64 = 0,  /* 8 bytes */
  GECKOPROF_FIELD_UINT64 = 1, /* 8 bytes */
  GECKOPROF_FIELD_DOUBLE = 2, /* 8 bytes; infinities and NaN are shown as null */
  GECKOPROF_FIELD_BOOL = 3,   /* 1 byte, 0 or 1 */
  GECKOPROF_FIELD_STRING = 4, /* ULEB128 length, then bytes of UTF-8 */
  GECKOPROF_FIELD_TIME = 5,   /* 8 bytes, a geckoprof_time; shown as ms on the profile's time line, and 0 as null */
  GECKOPROF_FIELD_NS = 6,     /* 8 bytes, a duration in ns; shown as ms, and GECKOPROF_NS_NONE as null */
  GECKOPROF_FIELD_FLOW = 7,   /* 8 bytes, the id of a flow; shown in hexadecimal */
  GECKOPROF_FIELD_VALUE = 8,  /* a geckoprof_value_tag and its value, for example a list or an object */
};

#define GECKOPROF_NS_NONE INT64_MIN

/* A value begins with its tag. Append only. */
enum geckoprof_value_tag {
  GECKOPROF_VALUE_NULL = 0,
  GECKOPROF_VALUE_FALSE = 1,
  GECKOPROF_VALUE_TRUE = 2,
  GECKOPROF_VALUE_INT = 3,    /* zigzag ULEB128 */
  GECKOPROF_VALUE_DOUBLE = 4, /* 8 bytes */
  GECKOPROF_VALUE_STRING = 5, /* ULEB128 length, bytes */
  GECKOPROF_VALUE_ARRAY = 6,  /* ULEB128 count, values */
  GECKOPROF_VALUE_OBJECT = 7, /* ULEB128 count, then pairs of key (ULEB128 length, bytes) and value */
  GECKOPROF_VALUE_TIME = 8,   /* 8 bytes, as GECKOPROF_FIELD_TIME, in a field that is spread; elsewhere it is null */
  GECKOPROF_VALUE_UINT = 9,   /* ULEB128, for numbers above INT64_MAX */
};

#define GECKOPROF_FIELD_HIDDEN 1u         /* the viewer does not show it; searches and labels use it */
#define GECKOPROF_FIELD_OPTIONAL 2u       /* in the payload a byte 0 or 1 comes first; after 0 there is no value */
#define GECKOPROF_FIELD_SPREAD 4u         /* an object of kind VALUE, whose pairs are fields of their own */
#define GECKOPROF_FIELD_IN_SCHEMA_ONLY 8u /* not in the payload; a field that is spread supplies it */

typedef struct geckoprof_marker_field {
  const char* key;
  const char* label;  /* null: the key */
  const char* format; /* a format of the viewer ("string", "duration", "bytes"), or a table; null: not in the schema */
  uint32_t kind;
  uint32_t flags;
} geckoprof_marker_field;

/* The format of a table is, for example,
 * GECKOPROF_TABLE GECKOPROF_COLUMN("Stage", "string") GECKOPROF_COLUMN("Took", "duration").
 * Its field is of kind VALUE. The value is an array of rows, and each row is an array with a value for each column.
 * A column has any format except "unique-string", the formats of flows, "list" and tables. */
#define GECKOPROF_TABLE "table"
#define GECKOPROF_COLUMN(label, format) "\x1e" label "\x1f" format

typedef struct geckoprof_marker_note { /* the viewer shows it with every marker of the type */
  const char* label;
  const char* value;
} geckoprof_marker_note;

typedef struct geckoprof_marker_graph {
  const char* key;   /* a field with a number */
  const char* type;  /* "line", "bar" or "line-filled" */
  const char* color; /* a colour name of the viewer, or null */
} geckoprof_marker_graph;

#define GECKOPROF_TYPE_STACK_BASED 1u /* markers of a thread nest properly */
#define GECKOPROF_TYPE_NO_SCHEMA 2u   /* the viewer knows the type itself */

/* A text or list that the type does not have is null. Each list has a count below. */
typedef struct geckoprof_marker_type {
  uint32_t size_bytes; /* sizeof(geckoprof_marker_type) */
  uint32_t flags;
  const char* name;
  const char* description;
  const char* chart_label;
  const char* tooltip_label;
  const char* table_label;
  const char* color_field;    /* the key of the field that holds a colour name */
  const char* const* display; /* "marker-chart", "marker-table", ... */
  const geckoprof_marker_field* fields;
  const geckoprof_marker_note* notes;
  const geckoprof_marker_graph* graphs;
  uint32_t display_count;
  uint32_t field_count;
  uint32_t note_count;
  uint32_t graph_count;
  uint64_t registered; /* 0 at first; the library changes it */
} geckoprof_marker_type;

typedef struct geckoprof_marker_site {
  uint32_t size_bytes;         /* sizeof(geckoprof_marker_site) */
  uint32_t category_pair;      /* category << 8 | subcategory */
  const char* name;            /* null: each marker has its own */
  geckoprof_marker_type* type; /* null: no payload */
  uint64_t registered;         /* 0 at first; the library changes it */
} geckoprof_marker_site;

/* A time is ns on CLOCK_MONOTONIC. If its highest bit is set, it is ticks of the processor's counter. */
typedef uint64_t geckoprof_time;

/* A stretch of the payload. A payload may lie in several places. */
typedef struct geckoprof_piece {
  const void* bytes;
  uint64_t size_bytes;
} geckoprof_piece;
#define GECKOPROF_MOST_PIECES 64u /* of one payload */

/* Flags of a marker. The phase is one of the first four. The viewer pairs the halves of an interval by their name,
 * within a thread. */
#define GECKOPROF_MARKER_INSTANT 0u        /* at `time` */
#define GECKOPROF_MARKER_INTERVAL 1u       /* from `start` to `time` */
#define GECKOPROF_MARKER_INTERVAL_START 2u /* the first half of an interval, at `time` */
#define GECKOPROF_MARKER_INTERVAL_END 3u   /* the second half, at `time` */
#define GECKOPROF_MARKER_PHASE 3u          /* the bits of the phase */
#define GECKOPROF_MARKER_NOW 4u            /* the library reads the clock; the caller's `time` is not used */
#define GECKOPROF_MARKER_WAS_CUT 8u        /* the caller cut a text of it; the library counts that */
#define GECKOPROF_MARKER_HAS_CATEGORY 16u  /* `category_pair` replaces the category of the site */
#define GECKOPROF_MARKER_WITH_STACK 32u  /* with the caller's stack: labels, and native frames if these are recorded */
#define GECKOPROF_MARKER_WITH_LABELS 64u /* with the caller's labels alone */
#define GECKOPROF_MARKER_HAS_FLOW 128u   /* belongs to `flow`, besides the flows that its payload names */
#define GECKOPROF_MARKER_ENDS_FLOW 256u  /* `flow` ends with it; needs GECKOPROF_MARKER_HAS_FLOW */
#define GECKOPROF_MARKER_IS_TOO_LARGE \
  512u /* the caller had no room for its payload; the library counts it as dropped */

/* A stack that was captured earlier, or on another thread. A marker has room for some 400 frames. The library leaves
 * further outer frames out, and counts that. */
typedef struct geckoprof_stack_frame {
  uint64_t address;  /* a return address; 0: a label */
  const char* label; /* not terminated, `label_bytes` long */
  uint32_t label_bytes;
  uint32_t category_pair; /* of a label */
} geckoprof_stack_frame;

typedef struct geckoprof_stack {
  uint32_t size_bytes; /* sizeof(geckoprof_stack) */
  uint32_t frame_count;
  const void* context;
  /* Fills in frame `index`; frame 0 is the outermost. */
  void (*frame)(const void* context, uint32_t index, geckoprof_stack_frame* out);
  int64_t monotonic_ns; /* the time of the capture, on CLOCK_MONOTONIC; 0: the time of the marker */
  int32_t thread;       /* the thread that was captured; 0: the thread that makes the marker */
} geckoprof_stack;

typedef struct geckoprof_marker_options {
  uint32_t size_bytes;  /* sizeof(geckoprof_marker_options) */
  uint32_t flags;       /* GECKOPROF_MARKER_...: a phase, and any others */
  geckoprof_time start; /* of an interval */
  geckoprof_time time;  /* the end of an interval, or the time of any other marker; see GECKOPROF_MARKER_NOW */
  const char* name;     /* if the site has none; not terminated, `name_bytes` long */
  uint64_t name_bytes;
  int32_t thread; /* the kernel's id of the thread that the marker is about; 0 or less: the calling thread */
  uint32_t category_pair;
  const geckoprof_stack* stack; /* null: no stack, or the one that the flags ask for */
  uint64_t flow;                /* an id, as in GECKOPROF_FIELD_FLOW */
  uint32_t skipped_frames;      /* so many innermost frames of a captured stack are of no interest */
  uint32_t reserved;            /* 0 */
} geckoprof_marker_options;

/* Adds a marker. The payload is `piece_count` pieces. Returns a geckoprof_mark_result. An argument is bad if it is no
 * whole structure, if it has no name or an unknown flag, or if there are too many pieces. A null `site` is such an
 * argument. Callers use it to count a marker that they could not make. */
int geckoprof_base_add_marker(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                              const geckoprof_piece* payload, uint32_t piece_count);

/* Begins a marker of the calling thread, whose site must have a name. Returns where its payload goes. The caller writes
 * exactly `payload_bytes` there, and calls geckoprof_base_end_in_place on the same thread. It calls no other function
 * of the library in between. A marker without a payload is whole at once, and is not ended.
 * Returns null if the marker is not recorded, for the reasons above, with the same counts. Nothing is to be ended then.
 * The flags are a phase, and GECKOPROF_MARKER_NOW. `start` and `time` are as in the options. */
#define GECKOPROF_MOST_BYTES_IN_PLACE 100u
void* geckoprof_base_begin_in_place(geckoprof_marker_site* site, uint32_t flags, geckoprof_time start,
                                    geckoprof_time time, uint32_t payload_bytes);

/* Ends the marker that the calling thread has begun in place. Readers see it from here on. There are no flags yet. */
void geckoprof_base_end_in_place(uint32_t flags);

/* Returns the ns from `start` to `end`, or 0 if one of them is 0. Negative if `end` is the earlier. Signal safe. */
int64_t geckoprof_base_ns_between(geckoprof_time start, geckoprof_time end);

/* Returns a number that hardly any other process has. Ids of flows that are unique within the process are mixed with
 * it. */
uint64_t geckoprof_base_process_salt(void);

#if GECKOPROF_IS_ENABLED_

/* Programs read the library's words through the GOT, since a program that is linked to a fixed place must not get a
 * copy. */
extern struct geckoprof_base_words geckoprof_base_words;

#ifdef GECKOPROF_SHIM /* baseprofiler/c/geckoprof_shim.h: the library may be there or not */
extern __attribute__((visibility("hidden"))) const volatile struct geckoprof_base_words* geckoprof_shim_words;
static inline const volatile struct geckoprof_base_words* geckoprof_base_words_address(void) {
  return __atomic_load_n(&geckoprof_shim_words, __ATOMIC_RELAXED);
}
#endif

#ifdef __cplusplus
}
#endif

/* The architecture's geckoprof_base_counter_time and geckoprof_base_stack_pointer. Without the shim also its
 * geckoprof_base_words_address. */
#include "baseprofiler/detail/processor_words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether markers are recorded now. It is a relaxed load. Signal safe. */
static inline int geckoprof_base_wants_markers(void) {
  return GECKOPROF_TO_(int, __atomic_load_n(&geckoprof_base_words_address()->state, __ATOMIC_RELAXED) & 1u);
}

/* Returns the time now. Signal safe. It costs about 15 ns with the counter, and twice as much without. */
int64_t geckoprof_base_now(void);
static inline geckoprof_time geckoprof_base_time(void) {
  if (__atomic_load_n(&geckoprof_base_words_address()->clock, __ATOMIC_RELAXED) != 0) {
    return geckoprof_base_counter_time();
  }
  return GECKOPROF_TO_(geckoprof_time, geckoprof_base_now());
}

#else

static inline int geckoprof_base_wants_markers(void) { return 0; }
static inline geckoprof_time geckoprof_base_time(void) { return 0; }

#endif /* GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_MARKER_ABI_H_ */
