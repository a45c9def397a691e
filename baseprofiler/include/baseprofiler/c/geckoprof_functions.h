/* All functions of the base library as one list and one table. The table is for other languages, and for programs that
 * are not linked with the library. The other headers include this one.
 *
 *   const geckoprof_base_functions* (*get)(void) = dlsym(RTLD_DEFAULT, "geckoprof_base_get_functions");
 *   if (get != 0) get()->register_thread("worker");
 *
 * A single look-up serves all functions. The shim (geckoprof_shim.h) does that, and keeps the functions' own names.
 * Bindings for other languages start from this header.
 *
 * If enabled.h says that nothing is instrumented, the functions are inline functions that give the answers of the list.
 * The shim gives the same answers in a process without the library.
 *
 * Stable: entries are only added at the end of the table. A program must not read beyond size_bytes. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "baseprofiler/detail/category_pairs.h"
#include "baseprofiler/enabled.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- answers; numbers are only added --- */

/* The answers of geckoprof_base_start and the other functions that start a recording. */
enum geckoprof_start_result {
  GECKOPROF_STARTED = 0,
  GECKOPROF_ALREADY_ACTIVE = 1, /* nothing changes */
  GECKOPROF_EXCLUDED = 2,       /* the filters exclude this process */
  GECKOPROF_NO_SEGMENT = 3,     /* there is no memory or space for the segment */
  GECKOPROF_NO_THREAD = 4,      /* the kernel allows no further thread */
  /* This is the child of a fork that libc does not know (clone, _Fork, vfork), or a copy that dlmopen loaded. */
  GECKOPROF_UNPREPARED = 5,
  GECKOPROF_UNKNOWN_PARAMETER = 6, /* this library does not know a parameter, or the structure is not whole */
  GECKOPROF_NOT_HERE = 7,          /* there is no library in this process */
};

/* The answers of geckoprof_base_mark. */
enum geckoprof_mark_result {
  GECKOPROF_MARKED = 0,
  GECKOPROF_NOT_RECORDING = 1,
  GECKOPROF_NO_ROOM = 2,      /* counted */
  GECKOPROF_TOO_LARGE = 3,    /* the marker is larger than a chunk; counted */
  GECKOPROF_INTERRUPTED = 4,  /* the thread was in the middle of another marker; counted */
  GECKOPROF_BAD_ARGUMENT = 5, /* no site or name, an unknown flag, or values that do not fit the fields; counted */
};

/* The answers of geckoprof_base_add_category and geckoprof_base_add_subcategory. */
enum geckoprof_category_result {
  GECKOPROF_CATEGORY_ADDED = 0,
  GECKOPROF_CATEGORY_THERE = 1,         /* the category exists already */
  GECKOPROF_CATEGORY_OTHER_COLOR = 2,   /* the category exists already and keeps its other color */
  GECKOPROF_CATEGORY_UNKNOWN_COLOR = 3, /* refused: the viewer has no such color */
  GECKOPROF_CATEGORY_BAD_NAME = 4,      /* refused: null, empty, longer than 63 bytes, or not UTF-8 */
  GECKOPROF_CATEGORY_FULL = 5,          /* refused: 255 categories, 127 subcategories of one, 1024 in all */
  GECKOPROF_CATEGORY_NONE = 6,          /* refused: there is no such category */
  GECKOPROF_CATEGORY_NOT_HERE = 7       /* refused: there is no library in this process */
};

/* --- the list --- */

struct geckoprof_buffer_info;
struct geckoprof_counter;
struct geckoprof_counter_description;
struct geckoprof_marker_options;
struct geckoprof_marker_site;
struct geckoprof_marker_type;
struct geckoprof_piece;
struct geckoprof_start_parameters;
struct geckoprof_type;
struct geckoprof_value;

/* The answer about categories without a library. */
static inline int geckoprof_no_category_(uint32_t* pair, uint32_t instead) {
  if (pair != NULL) *pair = instead;
  return GECKOPROF_CATEGORY_NOT_HERE;
}

/* Returns the ns between two times without a library. Both are ns, or unknown. */
static inline int64_t geckoprof_no_counter_(uint64_t start, uint64_t end) {
  const int has_both = start != 0 && end != 0 && ((start | end) >> 63) == 0;
  return has_both ? GECKOPROF_TO_(int64_t, end - start) : 0;
}

#define GECKOPROF_NO_LIBRARY_TEXT_ "there is no libbaseprofiler.so in this process"

/* RETURNS(result, function without its prefix, parameters, arguments, the answer if there is no library or the library
 * is older than the function) DOES(function, parameters, arguments) */
/* clang-format off */
#define GECKOPROF_BASE_FUNCTION_LIST_(RETURNS, DOES)                                                                  \
  RETURNS(int, start,                                                                                                 \
          (uint64_t capacity_bytes, int64_t interval_ns, uint32_t features, const char* const* filters,               \
           uint32_t filter_count, int64_t duration_ns),                                                               \
          (capacity_bytes, interval_ns, features, filters, filter_count, duration_ns), GECKOPROF_NOT_HERE)            \
  RETURNS(int, start_with, (const struct geckoprof_start_parameters* parameters), (parameters), GECKOPROF_NOT_HERE)   \
  RETURNS(const char*, start_text, (int result), (result), GECKOPROF_NO_LIBRARY_TEXT_)                                \
  RETURNS(int, stop, (void), (), 0)                                                                                   \
  RETURNS(int, pause, (void), (), 0)                                                                                  \
  RETURNS(int, resume, (void), (), 0)                                                                                 \
  RETURNS(uint32_t, state, (void), (), 0)                                                                             \
  RETURNS(uint32_t, features, (void), (), 0)                                                                          \
  RETURNS(int, get_buffer_info, (struct geckoprof_buffer_info* info), (info), 0)                                      \
  DOES(register_thread, (const char* name), (name))                                                                   \
  DOES(unregister_thread, (void), ())                                                                                 \
  RETURNS(void*, label_enter,                                                                                         \
          (const char* label, const char* dynamic, uint32_t category_pair, const void* scope),                        \
          (label, dynamic, category_pair, scope), NULL)                                                               \
  DOES(label_leave, (void* entered), (entered))                                                                       \
  RETURNS(int64_t, now, (void), (), 0)                                                                                \
  RETURNS(int, add_marker,                                                                                            \
          (struct geckoprof_marker_site* site, const struct geckoprof_marker_options* options,                        \
           const struct geckoprof_piece* payload, uint32_t piece_count),                                              \
          (site, options, payload, piece_count), GECKOPROF_NOT_RECORDING)                                             \
  RETURNS(void*, begin_in_place,                                                                                      \
          (struct geckoprof_marker_site* site, uint32_t flags, uint64_t start, uint64_t time,                         \
           uint32_t payload_bytes), (site, flags, start, time, payload_bytes), NULL)                                  \
  DOES(end_in_place, (uint32_t flags), (flags))                                                                       \
  RETURNS(uint64_t, process_salt, (void), (), 0)                                                                      \
  RETURNS(struct geckoprof_counter*, counter_create,                                                                  \
          (const struct geckoprof_counter_description* description), (description), NULL)                             \
  RETURNS(struct geckoprof_counter*, counter_create_once,                                                             \
          (struct geckoprof_counter** place, const struct geckoprof_counter_description* description),                \
          (place, description), NULL)                                                                                 \
  DOES(counter_destroy, (struct geckoprof_counter* counter), (counter))                                               \
  RETURNS(struct geckoprof_type*, declare_type,                                                                       \
          (struct geckoprof_type** place, const struct geckoprof_marker_type* description),                           \
          (place, description), NULL)                                                                                 \
  RETURNS(const char*, type_problem,                                                                                  \
          (const struct geckoprof_marker_type* description), (description), GECKOPROF_NO_LIBRARY_TEXT_)               \
  RETURNS(struct geckoprof_marker_site*, declare_site,                                                                \
          (struct geckoprof_marker_site** place, const char* name, uint32_t category, struct geckoprof_type* type),   \
          (place, name, category, type), NULL)                                                                        \
  RETURNS(int, mark,                                                                                                  \
          (struct geckoprof_marker_site* site, const struct geckoprof_marker_options* options,                        \
           const struct geckoprof_value* values, uint32_t count),                                                     \
          (site, options, values, count), GECKOPROF_NOT_RECORDING)                                                    \
  RETURNS(int, mark_text,                                                                                             \
          (const char* name, uint32_t category, const struct geckoprof_marker_options* options, const char* text,     \
           uint64_t text_bytes), (name, category, options, text, text_bytes), GECKOPROF_NOT_RECORDING)                \
  RETURNS(uint32_t, label_depth, (void), (), 0)                                                                       \
  DOES(label_cut, (uint32_t depth), (depth))                                                                          \
  RETURNS(int, add_category,                                                                                          \
          (const char* name, const char* color, uint32_t* pair),                                                      \
          (name, color, pair), geckoprof_no_category_(pair, GECKOPROF_CATEGORY_OTHER))                                \
  RETURNS(int, add_subcategory,                                                                                       \
          (uint32_t category_pair, const char* name, uint32_t* pair),                                                 \
          (category_pair, name, pair), geckoprof_no_category_(pair, category_pair))                                   \
  RETURNS(int, pause_sampling, (void), (), 0)                                                                         \
  RETURNS(int, resume_sampling, (void), (), 0)                                                                        \
  RETURNS(int64_t, process_start, (void), (), 0)                                                                      \
  RETURNS(uint32_t, available_features, (void), (), 0)                                                                \
  RETURNS(int, ensure_started,                                                                                        \
          (const struct geckoprof_start_parameters* parameters), (parameters), GECKOPROF_NOT_HERE)                    \
  RETURNS(int, visit_start_parameters,                                                                                \
          (void (*visit)(void* context, const struct geckoprof_start_parameters* parameters), void* context),         \
          (visit, context), 0)                                                                                        \
  RETURNS(int, thread_is_being_profiled, (void), (), 0)                                                               \
  RETURNS(int64_t, thread_registration, (char* name, uint32_t name_bytes), (name, name_bytes), 0)                     \
  RETURNS(int64_t, ns_between, (uint64_t start, uint64_t end), (start, end), geckoprof_no_counter_(start, end))       \
  DOES(set_process_name, (const char* name), (name))
/* clang-format on */

/* --- the functions that do nothing --- */

#if !GECKOPROF_IS_ENABLED_

GECKOPROF_BEGIN_UNUSED_PARAMETERS_

#define GECKOPROF_DISABLED_RETURNS_(result, name, parameters, arguments, absent) \
  static inline result geckoprof_base_##name parameters { return absent; }
#define GECKOPROF_DISABLED_DOES_(name, parameters, arguments) \
  static inline void geckoprof_base_##name parameters {}
GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_DISABLED_RETURNS_, GECKOPROF_DISABLED_DOES_)

GECKOPROF_END_UNUSED_PARAMETERS_

#endif /* !GECKOPROF_IS_ENABLED_ */

/* --- the table --- */

/* The library's words. Bit 0 of `state`: markers are recorded. `clock` is 1 if times are the processor counter's.
 * `features` has the features that the recording was asked for, and is 0 while nothing is recorded. */
struct geckoprof_base_words {
  uint32_t state;
  uint32_t clock;
  uint32_t features;
};

#define GECKOPROF_RETURNING_POINTER_(result, name, parameters, arguments, absent) result(*name) parameters;
#define GECKOPROF_DOING_POINTER_(name, parameters, arguments) void(*name) parameters;

/* It changes only if an entry gets another meaning. */
#define GECKOPROF_BASE_FUNCTIONS_VERSION 1u

/* Entry NAME is geckoprof_base_NAME. */
typedef struct geckoprof_base_functions {
  uint32_t size_bytes; /* of the library's table */
  uint32_t version;    /* GECKOPROF_BASE_FUNCTIONS_VERSION */
  const volatile struct geckoprof_base_words* words;
  GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_RETURNING_POINTER_, GECKOPROF_DOING_POINTER_)
} geckoprof_base_functions;

#if GECKOPROF_IS_ENABLED_

/* Returns the table, which is static and never null. Signal safe. */
const geckoprof_base_functions* geckoprof_base_get_functions(void);

/* Returns whether the functions go to a library. A program that is linked with the library does not start without it.
 * The shim answers with one load. */
#ifdef GECKOPROF_SHIM
extern __attribute__((visibility("hidden"))) int geckoprof_shim_is_bound;
static inline int geckoprof_base_is_here(void) { return __atomic_load_n(&geckoprof_shim_is_bound, __ATOMIC_RELAXED); }
#else
static inline int geckoprof_base_is_here(void) { return 1; }
#endif

#else

#define GECKOPROF_RETURNING_ENTRY_(result, name, parameters, arguments, absent) geckoprof_base_##name,
#define GECKOPROF_DOING_ENTRY_(name, parameters, arguments) geckoprof_base_##name,

static inline const geckoprof_base_functions* geckoprof_base_get_functions(void) {
  static const struct geckoprof_base_words no_words = {0, 0, 0};
  static const geckoprof_base_functions table = {
      GECKOPROF_TO_(uint32_t, sizeof(geckoprof_base_functions)), GECKOPROF_BASE_FUNCTIONS_VERSION, &no_words,
      GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_RETURNING_ENTRY_, GECKOPROF_DOING_ENTRY_)};
  return &table;
}
static inline int geckoprof_base_is_here(void) { return 0; }

#endif /* GECKOPROF_IS_ENABLED_ */

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_ */
