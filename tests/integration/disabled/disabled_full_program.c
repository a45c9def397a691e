/* Calls the full library's functions for C where nothing is instrumented. Prints the answers that are wrong. */
#include <stdio.h>
#include <string.h>

#include "baseprofiler/c/geckoprof_base.h"
#include "geckoprofiler/c/geckoprof_full.h"
#include "geckoprofiler/c/geckoprof_output.h"
#include "geckoprofiler/c/geckoprof_threads.h"

static int faults;
#define CHECK(condition)                                \
  do {                                                  \
    if (!(condition)) {                                 \
      printf("%d: not so: %s\n", __LINE__, #condition); \
      ++faults;                                         \
    }                                                   \
  } while (0)

static int calls;
static void visit_parameters(void* user, const geckoprof_start_parameters* parameters) {
  calls += user != NULL && parameters != NULL;
}
static void on_state(void* user, uint32_t state) { calls += user != NULL && state != 0; }
static void on_sample(void* user, uint32_t outcome) { calls += user != NULL && outcome != 0; }
static void release(void* user) { ++*(int*)user; }
static int sink(void* user, const char* bytes, size_t size) {
  return calls += user != NULL && bytes != NULL && size != 0;
}
static int visit_thread(void* user, const geckoprof_thread_info* thread) {
  return calls += user != NULL && thread != NULL;
}

static void control(void) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  geckoprof_start_outcome outcome = GECKOPROF_START_OUTCOME;
  char detail[200] = "not written", tiny[4] = "abc";
  uint64_t id = 7;
  int released = 0;
  CHECK(geckoprof_init() == GECKOPROF_NO_BASE && geckoprof_shutdown() == GECKOPROF_NO_BASE);
  CHECK(geckoprof_control(GECKOPROF_ACTION_STOP, detail, sizeof(detail)) == GECKOPROF_NO_BASE);
  CHECK(strcmp(detail, geckoprof_status_text(GECKOPROF_NO_BASE)) == 0 && strstr(detail, "there is no") != NULL);
  CHECK(geckoprof_control(GECKOPROF_ACTION_STOP, tiny, sizeof(tiny)) == GECKOPROF_NO_BASE && tiny[0] == 0);
  CHECK(geckoprof_start(&wanted, NULL) == GECKOPROF_NO_BASE);
  strcpy(detail, "not written");
  outcome.detail = detail;
  outcome.detail_bytes = sizeof(detail);
  CHECK(geckoprof_ensure_started(&wanted, &outcome) == GECKOPROF_NO_BASE && strstr(detail, "there is no") != NULL);
  CHECK(geckoprof_stop() == GECKOPROF_NO_BASE && geckoprof_pause() == GECKOPROF_NO_BASE);
  CHECK(geckoprof_resume() == GECKOPROF_NO_BASE && geckoprof_pause_sampling() == GECKOPROF_NO_BASE);
  CHECK(geckoprof_resume_sampling() == GECKOPROF_NO_BASE && geckoprof_set_process_name("a") == GECKOPROF_NO_BASE);
  CHECK(geckoprof_visit_start_parameters(visit_parameters, &calls) == GECKOPROF_INACTIVE);
  CHECK(geckoprof_get_state() == 0 && geckoprof_get_features() == 0 && geckoprof_get_available_features() == 0);
  CHECK(geckoprof_feature_name(1)[0] == 0 && geckoprof_feature_refusal_reason(1)[0] != 0);
  CHECK(!(geckoprof_get_time_ms() > 0));
  CHECK(geckoprof_add_state_callback(GECKOPROF_TELL_STARTED, on_state, &calls, &id) == GECKOPROF_NO_BASE && id == 0);
  CHECK(geckoprof_add_keyed_state_callback(1, GECKOPROF_TELL_STARTED, on_state, &released, release) != GECKOPROF_DONE);
  CHECK(released == 1 && geckoprof_remove_state_callback(1) == GECKOPROF_UNCHANGED);
  CHECK(geckoprof_call_after_sampling(on_sample, &calls) == GECKOPROF_INACTIVE);
}

static void output(void) {
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  geckoprof_backtrace_info of_backtrace = {sizeof(of_backtrace), 0, 0, 0, 0, 0};
  geckoprof_frame frame = {sizeof(frame), 0, 0, NULL, 0};
  geckoprof_backtrace* backtrace = geckoprof_capture_backtrace();
  char detail[200] = "not written";
  char* json = detail;
  size_t json_bytes = 1;
  uint64_t start = 0, end = 0;
  CHECK(geckoprof_save_profile("/tmp/none.json", detail, sizeof(detail)) == GECKOPROF_NO_BASE && strlen(detail) > 20);
  CHECK(geckoprof_get_profile(&json, &json_bytes, NULL, 0) == GECKOPROF_NO_BASE && json == NULL && json_bytes == 0);
  geckoprof_free_profile(json);
  CHECK(geckoprof_stream_profile(sink, &calls, detail, sizeof(detail)) == GECKOPROF_NO_BASE);
  CHECK(geckoprof_get_buffer_info(&info) == GECKOPROF_INACTIVE);
  CHECK(geckoprof_get_buffer_range(&start, &end) == GECKOPROF_INACTIVE);
  CHECK(backtrace == NULL && geckoprof_capture_backtrace_into(&backtrace, 1) == 0);
  CHECK(geckoprof_sample_thread(1, 1, &backtrace, detail, sizeof(detail)) == GECKOPROF_NO_BASE);
  CHECK(geckoprof_copy_backtrace(backtrace) == NULL && geckoprof_backtrace_size(backtrace) == 0);
  CHECK(geckoprof_get_backtrace_info(backtrace, &of_backtrace) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_backtrace_frame(backtrace, 0, &frame) == GECKOPROF_OUT_OF_RANGE);
  geckoprof_free_backtrace(backtrace);
}

static void threads(void) {
  const uint64_t scope = geckoprof_begin_thread_scope("scope");
  CHECK(geckoprof_register_thread("a") == GECKOPROF_NO_BASE && geckoprof_unregister_thread() == GECKOPROF_UNCHANGED);
  CHECK(scope == 0 && geckoprof_thread_registrations() == 0 && !geckoprof_thread_is_profiled(0, GECKOPROF_THREAD_CPU));
  geckoprof_end_thread_scope(scope);
  geckoprof_thread_sleep();
  geckoprof_thread_wake();
  geckoprof_mark_thread_asleep();
  geckoprof_mark_thread_awake();
  CHECK(geckoprof_add_screenshot("", 0, "image/png", 1, 1, 1) == GECKOPROF_INACTIVE);
  CHECK(!geckoprof_thread_is_sleeping() && geckoprof_visit_thread(0, visit_thread, &calls) == 0);
  geckoprof_visit_threads(visit_thread, &calls);
}

/* The rest of base's functions, which c_marks.c does not call. */
static void base(void) {
  const geckoprof_base_functions* const table = geckoprof_base_get_functions();
  geckoprof_lazy_type lazy = GECKOPROF_LAZY_TYPE(NULL);
  geckoprof_site* site = NULL;
  uint32_t pair = 1;
  char name[16] = "unchanged";
  CHECK(table->size_bytes == sizeof(*table) && table->version == 1 && table->words->state == 0);
  CHECK(table->start_with(NULL) == GECKOPROF_NOT_HERE && table->add_category("a", "red", &pair) != 0);
  CHECK(pair == GECKOPROF_CATEGORY_OTHER && geckoprof_base_label_depth() == 0 && !geckoprof_base_is_active());
  geckoprof_base_label_cut(0);
  geckoprof_base_set_process_name("name");
  CHECK(geckoprof_base_thread_registration(name, sizeof(name)) == 0 && strcmp(name, "unchanged") == 0);
  CHECK(!geckoprof_base_thread_is_being_profiled() && geckoprof_base_process_start() == 0);
  CHECK(geckoprof_base_ns_between(1, 3) == 2 && geckoprof_base_process_salt() == 0);
  CHECK(geckoprof_open_label("label", NULL, GECKOPROF_CATEGORY_OTHER, &pair) == NULL);
  CHECK(geckoprof_type_of(&lazy) == NULL && geckoprof_site_of(&site, "a", 1, &lazy) == NULL);
  CHECK(geckoprof_base_visit_start_parameters(visit_parameters, &calls) == 0);
}

int main(void) {
  base();
  control();
  output();
  threads();
  CHECK(calls == 0);
  return faults == 0 ? 0 : 1;
}
