/* All functions of the base library as one table, for programs that are not linked with it, and for other languages.
 * This header is part of geckoprof_base.h.
 *
 *   const geckoprof_base_functions* (*get)(void) = dlsym(RTLD_DEFAULT, "geckoprof_base_get_functions");
 *   if (get != 0) get()->register_thread("worker");
 *
 * One look-up serves them all. geckoprof_shim.h does that, and keeps the functions' own names. To bind another
 * language, look here.
 *
 * Stable: entries are only added at the end. A program must not read beyond size_bytes. */
#ifndef GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_
#define GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/c/geckoprof_control.h"
#include "baseprofiler/c/geckoprof_labels.h"
#include "baseprofiler/c/geckoprof_markers.h"
#include "baseprofiler/category_abi.h"
#include "baseprofiler/counter_abi.h"
#include "baseprofiler/marker_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The answer about categories if there is no library. */
static inline int geckoprof_no_category_(uint32_t* pair, uint32_t instead) {
  if (pair != NULL) *pair = instead;
  return GECKOPROF_CATEGORY_NOT_HERE;
}

/* Returns the ns between two times if there is no library. Both are ns, or unknown. */
static inline int64_t geckoprof_no_counter_(geckoprof_time start, geckoprof_time end) {
  const int has_both = start != 0 && end != 0 && ((start | end) >> 63) == 0;
  return has_both ? GECKOPROF_TO_(int64_t, end - start) : 0;
}

/* RETURNS(result, function without its prefix, parameters, arguments, the answer if there is no library or the library
 * is older than the function) DOES(function, parameters, arguments) */
/* clang-format off */
#define GECKOPROF_BASE_FUNCTION_LIST_(RETURNS, DOES)                                                                    \
  RETURNS(int, start, (uint64_t capacity_bytes, int64_t interval_ns, uint32_t features, const char* const* filters,     \
                       uint32_t filter_count, int64_t duration_ns),                                                     \
          (capacity_bytes, interval_ns, features, filters, filter_count, duration_ns), GECKOPROF_NOT_HERE)              \
  RETURNS(int, start_with, (const geckoprof_start_parameters* parameters), (parameters), GECKOPROF_NOT_HERE)            \
  RETURNS(const char*, start_text, (int result), (result), "there is no libbaseprofiler.so in this process")            \
  RETURNS(int, stop, (void), (), 0)                                                                                     \
  RETURNS(int, pause, (void), (), 0)                                                                                    \
  RETURNS(int, resume, (void), (), 0)                                                                                   \
  RETURNS(uint32_t, state, (void), (), 0)                                                                               \
  RETURNS(uint32_t, features, (void), (), 0)                                                                            \
  RETURNS(int, get_buffer_info, (geckoprof_buffer_info* info), (info), 0)                                               \
  DOES(register_thread, (const char* name), (name))                                                                     \
  DOES(unregister_thread, (void), ())                                                                                   \
  RETURNS(void*, label_enter, (const char* label, const char* dynamic, uint32_t category_pair, const void* scope),      \
          (label, dynamic, category_pair, scope), NULL)                                                                 \
  DOES(label_leave, (void* entered), (entered))                                                                         \
  RETURNS(int64_t, now, (void), (), 0)                                                                                  \
  RETURNS(int, add_marker, (geckoprof_marker_site* site, const geckoprof_marker_options* options,                       \
                            const geckoprof_piece* payload, uint32_t piece_count),                                      \
          (site, options, payload, piece_count), GECKOPROF_NOT_RECORDING)                                               \
  RETURNS(void*, begin_in_place, (geckoprof_marker_site* site, uint32_t flags, geckoprof_time start,                    \
                                  geckoprof_time time, uint32_t payload_bytes),                                         \
          (site, flags, start, time, payload_bytes), NULL)                                                              \
  DOES(end_in_place, (uint32_t flags), (flags))                                                                         \
  RETURNS(uint64_t, process_salt, (void), (), 0)                                                                        \
  RETURNS(geckoprof_counter*, counter_create, (const geckoprof_counter_description* description), (description), NULL)  \
  RETURNS(geckoprof_counter*, counter_create_once, (geckoprof_counter** place,                                          \
                                                    const geckoprof_counter_description* description),                  \
          (place, description), NULL)                                                                                   \
  DOES(counter_destroy, (geckoprof_counter* counter), (counter))                                                        \
  RETURNS(geckoprof_type*, declare_type, (geckoprof_type** place, const geckoprof_marker_type* description),            \
          (place, description), NULL)                                                                                   \
  RETURNS(const char*, type_problem, (const geckoprof_marker_type* description), (description),                         \
          "there is no libbaseprofiler.so in this process")                                                             \
  RETURNS(geckoprof_site*, declare_site, (geckoprof_site** place, const char* name, uint32_t category,                  \
                                          geckoprof_type* type), (place, name, category, type), NULL)                   \
  RETURNS(int, mark, (geckoprof_site* site, const geckoprof_marker_options* options, const geckoprof_value* values,     \
                      uint32_t count), (site, options, values, count), GECKOPROF_NOT_RECORDING)                         \
  RETURNS(int, mark_text, (const char* name, uint32_t category, const geckoprof_marker_options* options,                \
                           const char* text, uint64_t text_bytes), (name, category, options, text, text_bytes),         \
          GECKOPROF_NOT_RECORDING)                                                                                      \
  RETURNS(uint32_t, label_depth, (void), (), 0)                                                                         \
  DOES(label_cut, (uint32_t depth), (depth))                                                                            \
  RETURNS(int, add_category, (const char* name, const char* color, uint32_t* pair), (name, color, pair),                \
          geckoprof_no_category_(pair, GECKOPROF_CATEGORY_OTHER))                                                       \
  RETURNS(int, add_subcategory, (uint32_t category_pair, const char* name, uint32_t* pair),                             \
          (category_pair, name, pair), geckoprof_no_category_(pair, category_pair))                                     \
  RETURNS(int, pause_sampling, (void), (), 0)                                                                           \
  RETURNS(int, resume_sampling, (void), (), 0)                                                                          \
  RETURNS(int64_t, process_start, (void), (), 0)                                                                        \
  RETURNS(uint32_t, available_features, (void), (), 0)                                                                  \
  RETURNS(int, ensure_started, (const geckoprof_start_parameters* parameters), (parameters), GECKOPROF_NOT_HERE)        \
  RETURNS(int, visit_start_parameters,                                                                                  \
          (void (*visit)(void* context, const geckoprof_start_parameters* parameters), void* context),                  \
          (visit, context), 0)                                                                                          \
  RETURNS(int, thread_is_being_profiled, (void), (), 0)                                                                 \
  RETURNS(int64_t, thread_registration, (char* name, uint32_t name_bytes), (name, name_bytes), 0)                       \
  RETURNS(int64_t, ns_between, (geckoprof_time start, geckoprof_time end), (start, end),                                \
          geckoprof_no_counter_(start, end))                                                                            \
  DOES(set_process_name, (const char* name), (name))
/* clang-format on */

#define GECKOPROF_RETURNING_POINTER_(result, name, parameters, arguments, absent) result(*name) parameters;
#define GECKOPROF_DOING_POINTER_(name, parameters, arguments) void(*name) parameters;

/* Entry NAME is geckoprof_base_NAME. */
typedef struct geckoprof_base_functions {
  uint32_t size_bytes; /* of the library's table */
  uint32_t version;    /* 1 */
  const volatile struct geckoprof_base_words* words;
  GECKOPROF_BASE_FUNCTION_LIST_(GECKOPROF_RETURNING_POINTER_, GECKOPROF_DOING_POINTER_)
} geckoprof_base_functions;

/* Never null. Static. Signal safe. */
const geckoprof_base_functions* geckoprof_base_get_functions(void);

#ifdef __cplusplus
}
#endif

#endif /* GECKOPROF_BASEPROFILER_C_GECKOPROF_FUNCTIONS_H_ */
