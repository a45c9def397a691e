/* Markers with payloads, for C and for every version of the C++ headers beside this one. See base_profiler_abi.h for
 * what holds of all functions.
 *
 *   static geckoprof_marker_type load_type = {...};             what the fields are: once a program
 *   static geckoprof_marker_site site = {..., &load_type};      what is the same for all markers of one place
 *   if (geckoprof_base_wants_markers()) {
 *     geckoprof_piece payload = {...};                          fields in order, see geckoprof_field_kind
 *     geckoprof_base_add_marker(&site, &options, &payload, 1);
 *   }
 *
 * Types and sites are written to the segment when they are first used in a recording; strings in them are copied then.
 * They must stay valid while they are used: static storage. */
#ifndef GECKOPROF_BASEPROFILER_MARKER_ABI_H_
#define GECKOPROF_BASEPROFILER_MARKER_ABI_H_

#include <stdint.h>

#include "baseprofiler/detail/casts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a field lies in the payload, without gaps, in the machine's byte order. Append only. */
enum geckoprof_field_kind {
  GECKOPROF_FIELD_INT64 = 0,  /* 8 bytes */
  GECKOPROF_FIELD_UINT64 = 1, /* 8 bytes */
  GECKOPROF_FIELD_DOUBLE = 2, /* 8 bytes; what is not finite is shown as null */
  GECKOPROF_FIELD_BOOL = 3,   /* 1 byte, 0 or 1 */
  GECKOPROF_FIELD_STRING = 4, /* ULEB128 length, then bytes of UTF-8 */
  GECKOPROF_FIELD_TIME = 5,   /* 8 bytes: a time as in geckoprof_base_time; shown as ms on the profile's time line, 0 as
                                 null */
  GECKOPROF_FIELD_NS = 6,     /* 8 bytes: a duration in ns; shown as ms, GECKOPROF_NS_NONE as null */
  GECKOPROF_FIELD_FLOW = 7,   /* 8 bytes: the id of a flow; shown in hexadecimal */
  GECKOPROF_FIELD_VALUE = 8,  /* a geckoprof_value_tag and what belongs to it: lists, objects, anything */
};

#define GECKOPROF_NS_NONE INT64_MIN

/* Values that say themselves what they are. Append only. */
enum geckoprof_value_tag {
  GECKOPROF_VALUE_NULL = 0,
  GECKOPROF_VALUE_FALSE = 1,
  GECKOPROF_VALUE_TRUE = 2,
  GECKOPROF_VALUE_INT = 3,    /* zigzag ULEB128 */
  GECKOPROF_VALUE_DOUBLE = 4, /* 8 bytes */
  GECKOPROF_VALUE_STRING = 5, /* ULEB128 length, bytes */
  GECKOPROF_VALUE_ARRAY = 6,  /* ULEB128 count, values */
  GECKOPROF_VALUE_OBJECT = 7, /* ULEB128 count, then pairs of key (ULEB128 length, bytes) and value */
  GECKOPROF_VALUE_TIME = 8,   /* 8 bytes: as GECKOPROF_FIELD_TIME; of a field that is spread, elsewhere it is null */
  GECKOPROF_VALUE_UINT = 9,   /* ULEB128: what no GECKOPROF_VALUE_INT has room for */
};

#define GECKOPROF_FIELD_HIDDEN 1u         /* not shown, but searched and used by labels */
#define GECKOPROF_FIELD_OPTIONAL 2u       /* in the payload a byte 0 or 1 comes first; after 0 there is no value */
#define GECKOPROF_FIELD_SPREAD 4u         /* of kind VALUE, an object: its pairs are fields of their own */
#define GECKOPROF_FIELD_IN_SCHEMA_ONLY 8u /* not in the payload: comes out of one that is spread */

typedef struct geckoprof_marker_field {
  const char* key;
  const char* label;  /* null: the key */
  const char* format; /* a format of the viewer: "string", "duration", "bytes", ...; a table: see below; null: in no
                         schema */
  uint32_t kind;
  uint32_t flags;
} geckoprof_marker_field;

/* The format of a table: GECKOPROF_TABLE GECKOPROF_COLUMN("Stage", "string") GECKOPROF_COLUMN("Took", "duration"). Its
 * field is of kind VALUE: an array of rows, each an array of as many values as there are columns. Columns have any
 * format but "unique-string", those of flows, "list" and tables. */
#define GECKOPROF_TABLE "table"
#define GECKOPROF_COLUMN(label, format) "\x1e" label "\x1f" format

typedef struct geckoprof_marker_note { /* shown with every marker of the type */
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

/* Null where there is none. A pointer comes with its count. */
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
  uint64_t registered; /* the library's: 0 at first */
} geckoprof_marker_type;

typedef struct geckoprof_marker_site {
  uint32_t size_bytes;         /* sizeof(geckoprof_marker_site) */
  uint32_t category_pair;      /* category << 8 | subcategory */
  const char* name;            /* null: it comes with each marker */
  geckoprof_marker_type* type; /* null: no payload */
  uint64_t registered;         /* the library's: 0 at first */
} geckoprof_marker_site;

/* A time: ns on CLOCK_MONOTONIC, or, with the highest bit set, ticks of the processor's counter. Either says itself
 * which it is. */
typedef uint64_t geckoprof_time;

/* A stretch of the payload: what is gathered from several places need not be copied together first. */
typedef struct geckoprof_piece {
  const void* bytes;
  uint64_t size_bytes;
} geckoprof_piece;
#define GECKOPROF_MOST_PIECES 64u /* of one payload */

#define GECKOPROF_MARKER_WAS_CUT 1u      /* a text of it was cut: counted */
#define GECKOPROF_MARKER_HAS_CATEGORY 2u /* category_pair, instead of the site's */
#define GECKOPROF_MARKER_WITH_STACK                                                                                   \
  4u                                    /* captures the caller's: native frames, if the recording has any, and labels \
                                         */
#define GECKOPROF_MARKER_WITH_LABELS 8u /* captures the labels alone */
#define GECKOPROF_MARKER_HAS_FLOW 16u   /* belongs to `flow`, besides what flows its payload names */
#define GECKOPROF_MARKER_ENDS_FLOW 32u  /* ... and the flow ends with it: with GECKOPROF_MARKER_HAS_FLOW */

/* A stack that was captured earlier, or of another thread. Of one that is too long (some 400 frames) the outer frames
 * are left out, and counted. */
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
  /* Fills in frame `index`, outermost first. */
  void (*frame)(const void* context, uint32_t index, geckoprof_stack_frame* out);
  /* Later versions: where size_bytes reaches to here. */
  int64_t monotonic_ns; /* when it was captured, CLOCK_MONOTONIC; 0: at the marker's own time */
  int32_t thread;       /* whose it is; 0: the thread's that makes the marker */
} geckoprof_stack;

typedef struct geckoprof_marker_options {
  uint32_t size_bytes; /* sizeof(geckoprof_marker_options) */
  uint32_t phase;      /* 0 instant at `start`, 1 interval, 2 its start at `start`, 3 its end at `end` */
  geckoprof_time start;
  geckoprof_time end;
  const char* name; /* where the site has none: not terminated, `name_bytes` long */
  uint64_t name_bytes;
  int32_t thread; /* the kernel's id of the thread that the marker is about; 0 or less: the calling one */
  uint32_t flags; /* GECKOPROF_MARKER_... */
  uint32_t category_pair;
  uint32_t skipped_frames;      /* of a stack that is captured: how many of the innermost are of no interest */
  const geckoprof_stack* stack; /* null: none, or the one that flags say is to be captured */
  uint64_t flow;                /* an id, as of GECKOPROF_FIELD_FLOW */
} geckoprof_marker_options;

/* 0 recorded; else why not: 1 nothing is recorded, 2 no room (counted), 3 larger than a chunk (counted), 4 the thread
 * was interrupted in the middle of a marker (counted), 5 arguments make no sense. */
int geckoprof_base_add_marker(geckoprof_marker_site* site, const geckoprof_marker_options* options,
                              const geckoprof_piece* payload, uint32_t piece_count);

/* For who finds out that a marker is too large before it gets here. */
void geckoprof_base_count_too_large(void);

/* An interval without payload, on the calling thread: the fastest way to record one. Returns as the above. */
int geckoprof_base_add_scope(geckoprof_marker_site* site, geckoprof_time start, geckoprof_time end);
/* The same at one moment. */
int geckoprof_base_add_instant(geckoprof_marker_site* site, geckoprof_time time);

/* The same now, as geckoprof_base_time has it, and from `start` to now: less for the caller to do. */
int geckoprof_base_add_instant_now(geckoprof_marker_site* site);
int geckoprof_base_add_scope_from(geckoprof_marker_site* site, geckoprof_time start);

/* A marker with a short payload, written in place: `payload_bytes` (GECKOPROF_MOST_BYTES_IN_PLACE at most) go to where
 * the result points, and geckoprof_base_end_in_place follows on the same thread; nothing else of the library may be
 * called in between. Null: it does not go that way, for whatever reason: use geckoprof_base_add_marker. Phases as in
 * its options; the site must have a name. */
#define GECKOPROF_MOST_BYTES_IN_PLACE 100u
void* geckoprof_base_begin_in_place(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start,
                                    geckoprof_time end, uint32_t payload_bytes);
void geckoprof_base_end_in_place(void);

/* The whole of one whose type has a text and nothing else, in one call. 0: it does not go that way, as above. */
int geckoprof_base_add_text(geckoprof_marker_site* site, uint32_t phase, geckoprof_time start, geckoprof_time end,
                            const char* text, uint64_t text_bytes);
/* The same at this moment. */
int geckoprof_base_add_text_now(geckoprof_marker_site* site, const char* text, uint64_t text_bytes);

/* From one time to another, in ns, negative where `end` is the earlier; 0 where one of them is 0. Signal safe. */
int64_t geckoprof_base_ns_between(geckoprof_time start, geckoprof_time end);

/* A number that hardly any other process has: what ids of flows that are unique within the process are mixed with. */
uint64_t geckoprof_base_process_salt(void);

/* The library's words. state: bit 0: markers are recorded. clock: 1: times are the counter's. Read through the GOT: a
 * program that is linked to a fixed place must not get a copy of them. */
struct geckoprof_base_words {
  uint32_t state;
  uint32_t clock;
};
extern struct geckoprof_base_words geckoprof_base_words;

#ifdef __cplusplus
}
#endif

/* Of the architecture: geckoprof_base_words_address, geckoprof_base_counter_time. */
#include "baseprofiler/detail/processor_words.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether markers are recorded now: a relaxed load. Signal safe. */
static inline int geckoprof_base_wants_markers(void) {
  return GECKOPROF_TO_(int, __atomic_load_n(&geckoprof_base_words_address()->state, __ATOMIC_RELAXED) & 1u);
}

/* Now. Signal safe. 16 ns with the counter, 27 without, where they were measured. */
int64_t geckoprof_base_now(void);
static inline geckoprof_time geckoprof_base_time(void) {
  if (__atomic_load_n(&geckoprof_base_words_address()->clock, __ATOMIC_RELAXED) != 0) {
    return geckoprof_base_counter_time();
  }
  return GECKOPROF_TO_(geckoprof_time, geckoprof_base_now());
}

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_MARKER_ABI_H_ */
