#include "c_marks.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const geckoprof_marker_field every_field[] = {
    {"i", "Integer", "integer", GECKOPROF_FIELD_INT64, 0},
    {"u", "Bytes", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"d", "Decimal", "decimal", GECKOPROF_FIELD_DOUBLE, 0},
    {"b", "Flag", NULL, GECKOPROF_FIELD_BOOL, 0},
    {"s", "Text", "unique-string", GECKOPROF_FIELD_STRING, 0},
    {"m", "Moment", "time", GECKOPROF_FIELD_TIME, 0},
    {"n", "Duration", "duration", GECKOPROF_FIELD_NS, 0},
    {"f", "Flow", "flow-id", GECKOPROF_FIELD_FLOW, 0},
    {"l", "List", "list", GECKOPROF_FIELD_VALUE, 0},
    {"o", "Optional", "string", GECKOPROF_FIELD_STRING, GECKOPROF_FIELD_OPTIONAL},
    {"h", "Hidden", "string", GECKOPROF_FIELD_STRING, GECKOPROF_FIELD_HIDDEN},
    {"t", "Table", GECKOPROF_TABLE GECKOPROF_COLUMN("Stage", "string") GECKOPROF_COLUMN("Took", "duration"),
     GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_OPTIONAL},
};
static const geckoprof_marker_note every_notes[] = {{"Note", "of C"}};
static const geckoprof_marker_graph every_graphs[] = {{"i", "bar", "teal"}};
static const geckoprof_marker_type every_description = {.size_bytes = sizeof(geckoprof_marker_type),
                                                        .name = "EveryKindOfC",
                                                        .description = "All that C can say",
                                                        .chart_label = "{marker.data.s}",
                                                        .notes = every_notes,
                                                        .note_count = 1,
                                                        .graphs = every_graphs,
                                                        .graph_count = 1,
                                                        GECKOPROF_FIELDS(every_field)};
static geckoprof_lazy_type every_type = GECKOPROF_LAZY_TYPE(&every_description);
static const geckoprof_marker_field few_field[] = {{"i", "Integer", "integer", GECKOPROF_FIELD_INT64, 0}};
static const geckoprof_marker_type few_description = {
    .size_bytes = sizeof(geckoprof_marker_type), .name = "FewOfC", GECKOPROF_FIELDS(few_field)};
static geckoprof_lazy_type few_type = GECKOPROF_LAZY_TYPE(&few_description);
static const geckoprof_marker_type wrong_description = {.size_bytes = sizeof(geckoprof_marker_type), .name = ""};
static geckoprof_lazy_type wrong_type = GECKOPROF_LAZY_TYPE(&wrong_description);

static int faults;
static void check(int holds, const char* what) {
  if (holds) return;
  printf("not so: %s\n", what);
  ++faults;
}

static volatile uint64_t sink;
/* So much CPU time: of a thread that waits for a core there may be no sample. */
static void work(int64_t ns) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    int i;
    for (i = 0; i < 1000; ++i) sink = sink * 31 + 7;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000 + (now.tv_nsec - begin.tv_nsec) < ns);
}

static void* on_thread(void* work_ns) {
  int i;
  geckoprof_base_register_thread("C thread");
  {
    GECKOPROF_LABEL("C label", GECKOPROF_CATEGORY_MEDIA);
    GECKOPROF_SCOPE("C scope of a thread", GECKOPROF_CATEGORY_MEDIA);
    for (i = 0; i < 2; ++i) { /* of a place that is known the second time */
      GECKOPROF_MARK_TYPED("C typed about main", GECKOPROF_CATEGORY_MEDIA,
                           geckoprof_on_thread(geckoprof_instant(), (int32_t)getpid()), &few_type, geckoprof_int64(i));
    }
    work(*(const int64_t*)work_ns);
  }
  geckoprof_base_unregister_thread();
  return NULL;
}

static void mark_every_kind(void) {
  const char* const parts[] = {"one", "two"};
  const geckoprof_time begin = (geckoprof_time)geckoprof_base_now();
  const geckoprof_value cells[] = {geckoprof_string("parse"), geckoprof_duration_ns(1500000), geckoprof_string("link"),
                                   geckoprof_nothing()};
  const geckoprof_value values[] = {geckoprof_string_of("three", 5), geckoprof_string_of("fourth", 4)};
  GECKOPROF_MARK_TYPED("C typed", GECKOPROF_CATEGORY_STORAGE, geckoprof_interval(begin, begin + 2500000), &every_type,
                       geckoprof_int64(-7), geckoprof_uint64(4096), geckoprof_double(0.125), geckoprof_bool(1),
                       geckoprof_string("text of \"C\""), geckoprof_moment(begin + 1000000),
                       geckoprof_duration_ns(1500000), geckoprof_flow(0xabcd), geckoprof_strings(parts, 2),
                       geckoprof_string("given"), geckoprof_string("hidden"), geckoprof_rows(cells, 2, 2));
  {
    geckoprof_values payload;
    geckoprof_site* const site =
        geckoprof_base_declare_site(NULL, "C piecewise", GECKOPROF_CATEGORY_STORAGE, geckoprof_type_of(&every_type));
    const int answer_when_recording = geckoprof_base_wants_markers() ? GECKOPROF_MARKED : GECKOPROF_NOT_RECORDING;
    geckoprof_clear(&payload);
    geckoprof_put(&payload, geckoprof_uint64(7));
    geckoprof_put(&payload, geckoprof_int64(1));
    geckoprof_put(&payload, geckoprof_int64(2));
    geckoprof_put(&payload, geckoprof_bool(0));
    geckoprof_put(&payload, geckoprof_string(NULL));
    geckoprof_put(&payload, geckoprof_moment(begin));
    geckoprof_put(&payload, geckoprof_duration_ns(-1));
    geckoprof_put(&payload, geckoprof_flow(geckoprof_flow_id_of_object(&payload)));
    geckoprof_put(&payload, geckoprof_values_list(values, 2));
    geckoprof_put(&payload, geckoprof_nothing());
    check(!geckoprof_base_is_here() ||
              geckoprof_base_mark(site, NULL, payload.values, payload.count) == GECKOPROF_BAD_ARGUMENT,
          "a value too few is refused");
    geckoprof_put(&payload, geckoprof_string("last"));
    geckoprof_put(&payload, geckoprof_nothing());
    check(geckoprof_base_mark(site, NULL, payload.values, payload.count) == answer_when_recording, "piecewise");
  }
}

static void mark_options(void) {
  const geckoprof_time start = geckoprof_base_time();
  geckoprof_site* const nameless = geckoprof_base_declare_site(NULL, NULL, GECKOPROF_CATEGORY_OTHER, NULL);
  geckoprof_marker_options named = geckoprof_named(geckoprof_instant(), "C named");
  GECKOPROF_MARK("C instant", GECKOPROF_CATEGORY_OTHER);
  GECKOPROF_MARK_WITH("C begins", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_start());
  GECKOPROF_MARK_WITH("C ends", GECKOPROF_CATEGORY_OTHER, geckoprof_interval_end());
  GECKOPROF_MARK_WITH("C about main", GECKOPROF_CATEGORY_OTHER,
                      geckoprof_on_thread(geckoprof_instant(), (int32_t)getpid()));
  GECKOPROF_MARK_WITH("C backwards", GECKOPROF_CATEGORY_OTHER, geckoprof_interval(geckoprof_base_time(), start));
  GECKOPROF_MARK_WITH("C stack", GECKOPROF_CATEGORY_OTHER, geckoprof_with_stack(geckoprof_instant()));
  GECKOPROF_MARK_WITH("C labels", GECKOPROF_CATEGORY_OTHER, geckoprof_with_labels(geckoprof_instant()));
  GECKOPROF_MARK_WITH("C in a flow", GECKOPROF_CATEGORY_OTHER, geckoprof_in_flow(geckoprof_instant(), 0xf10));
  GECKOPROF_MARK_TEXT("C at its end", GECKOPROF_CATEGORY_OTHER,
                      geckoprof_at_end_of_flow(geckoprof_with_labels(geckoprof_instant()), 0xf10), "a text");
  GECKOPROF_MARK_TEXT("C text", GECKOPROF_CATEGORY_LOGS, geckoprof_instant(), "a text of C");
  GECKOPROF_MARK_FORMAT("C format", GECKOPROF_CATEGORY_LOGS, geckoprof_instant(), "%d of %s", 3, "seven");
  GECKOPROF_MARK_FORMAT("C long format", GECKOPROF_CATEGORY_LOGS, geckoprof_instant(), "%2000d", 1);
  geckoprof_startup_phase("C phase one");
  geckoprof_startup_phase("C phase two");
  geckoprof_startup_phase(NULL);
  GECKOPROF_MARK_TEXT("C no text", GECKOPROF_CATEGORY_LOGS, geckoprof_instant(), NULL);
  GECKOPROF_MARK_TYPED("C wrong type", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), &wrong_type, geckoprof_int64(1));
  named = geckoprof_in_category(named, GECKOPROF_CATEGORY_IPC);
  (void)geckoprof_base_mark(nameless, &named, NULL, 0);
}

/* Without a library the answer is a category that there is. */
static void mark_own_category(void) {
  uint32_t own = 0, part = 0;
  const int result = geckoprof_base_add_category("C physics", "magenta", &own);
  geckoprof_base_add_subcategory(own, "C collisions", &part);
  if (result == GECKOPROF_CATEGORY_NOT_HERE) {
    check(own == GECKOPROF_CATEGORY_OTHER && part == own, "a category without a library");
  } else {
    check(result == GECKOPROF_CATEGORY_ADDED && own >> 8 == part >> 8 && own != part,
          "a category of the program's own");
  }
  GECKOPROF_MARK_WITH("C own category", GECKOPROF_CATEGORY_OTHER, geckoprof_in_category(geckoprof_instant(), part));
}

int c_marks(int64_t work_ns) {
  static const geckoprof_counter_description counted = {
      sizeof(counted), GECKOPROF_COUNTER_HAS_NUMBER, "C counter", "Memory", "Counted in C", "bytes", NULL};
  geckoprof_counter* const counter = geckoprof_base_counter_create(&counted);
  pthread_t thread;
  GECKOPROF_LABEL_TEXT("C marks", GECKOPROF_CATEGORY_OTHER, "with a text");
  GECKOPROF_SCOPE("C scope", GECKOPROF_CATEGORY_OTHER);
  check(pthread_create(&thread, NULL, on_thread, &work_ns) == 0, "pthread_create");
  geckoprof_base_counter_add(counter, 1000);
  mark_every_kind();
  mark_options();
  mark_own_category();
  work(work_ns);
  geckoprof_base_counter_set(counter, 5000);
  pthread_join(thread, NULL);
  work(work_ns);
  geckoprof_base_counter_destroy(counter);
  return faults;
}
