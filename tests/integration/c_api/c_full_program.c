/* c_full_program LIBRARY PROFILE: the full library by dlopen and dlsym alone, control to profile; the markers are
 * base's, through the shim. Prints what is not as it should be. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_marks.h"
#include "geckoprofiler/c/geckoprof_output.h"

#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

static int faults;
#define CHECK(condition)                                \
  do {                                                  \
    if (!(condition)) {                                 \
      printf("%d: not so: %s\n", __LINE__, #condition); \
      ++faults;                                         \
    }                                                   \
  } while (0)

static void* library;
static void* find(const char* name) {
  void* const found = dlsym(library, name);
  if (found == NULL) {
    printf("no %s\n", name);
    exit(1);
  }
  return found;
}
/* Declares a pointer to a function of the library, by its own type. */
#define FUNCTION(name)                             \
  __typeof__(&geckoprof_##name) name##_;           \
  do {                                             \
    void* const found_ = find("geckoprof_" #name); \
    memcpy(&name##_, &found_, sizeof(found_));     \
  } while (0)

static uint32_t told;
static void tell(void* user, uint32_t state) {
  CHECK(user == &told);
  told |= state;
}
static volatile uint32_t ticked;
static void tick(void* user, uint32_t outcome) {
  CHECK(user == NULL);
  ticked = 1 + outcome;
}
static size_t streamed;
static int count(void* user, const char* bytes, size_t size) {
  CHECK(user == &streamed && bytes != NULL);
  streamed += size;
  return 1;
}
static int give_up(void* user, const char* bytes, size_t size) { return user != NULL && bytes == NULL && size == 0; }

static void look_at_backtrace(void) {
  FUNCTION(capture_backtrace);
  FUNCTION(backtrace_size);
  FUNCTION(backtrace_frame);
  FUNCTION(free_backtrace);
  GECKOPROF_LABEL("C backtrace", GECKOPROF_CATEGORY_OTHER);
  geckoprof_backtrace* const backtrace = capture_backtrace_();
  size_t i, addresses = 0, labels = 0;
  geckoprof_frame frame = {sizeof(frame), 0, 0, NULL, 0};
  CHECK(backtrace != NULL && backtrace_size_(backtrace) >= 3);
  for (i = 0; i < backtrace_size_(backtrace); ++i) {
    CHECK(backtrace_frame_(backtrace, i, &frame) == GECKOPROF_DONE);
    if (frame.address != 0) ++addresses;
    if (frame.address == 0 && frame.label_bytes == 11 && memcmp(frame.label, "C backtrace", 11) == 0) ++labels;
  }
  CHECK(labels == 1 && addresses >= 2);
  CHECK(backtrace_frame_(backtrace, i, &frame) == GECKOPROF_OUT_OF_RANGE);
  frame.size_bytes = 16; /* an older program's */
  frame.label = (const char*)&frame;
  CHECK(backtrace_frame_(backtrace, 0, &frame) == GECKOPROF_DONE && frame.label == (const char*)&frame);
  free_backtrace_(backtrace);
}

/* The sentence is cut to the room that there is, between characters. */
static void look_at_cuts(void) {
  FUNCTION(save_profile);
  const char* const path = "/there/is/no/\342\202\254\342\202\254\342\202\254\342\202\254/p.json";
  char whole[200], cut[200];
  size_t size, length, i;
  CHECK(save_profile_(path, whole, sizeof(whole)) == GECKOPROF_CANNOT_WRITE && strstr(whole, "\342\202\254") != NULL);
  for (size = 1; size <= strlen(whole); ++size) {
    CHECK(save_profile_(path, cut, size) == GECKOPROF_CANNOT_WRITE);
    length = strlen(cut);
    CHECK(length < size && length + 3 >= size && strncmp(cut, whole, length) == 0);
    for (i = length; i > 0 && (cut[i - 1] & 0xc0) == 0x80; --i) {
    }
    CHECK(length - i == 0 || length - i == 2); /* the whole of a character */
    CHECK(length == 0 || (unsigned char)cut[length - 1] < 0xc0);
  }
}

/* Adds to what it was told, and cancels at the wanted fraction. */
static double cancel_at;
static int add_progress(void* user, double fraction, const char* text) {
  *(double*)user += fraction + (double)(text[0] == 0);
  return fraction < cancel_at;
}

static void add_variable(void* user, const char* name, const char* value) {
  *(int*)user += strncmp(name, "GECKOPROF_", 10) == 0 && value != NULL;
}

static void look_at_options(const char* file) {
  FUNCTION(save_profile_with);
  FUNCTION(stream_profile_with);
  FUNCTION(capture_last);
  FUNCTION(follow_children);
  FUNCTION(visit_child_environment);
  geckoprof_profile_options options = GECKOPROF_PROFILE_OPTIONS, cut = GECKOPROF_PROFILE_OPTIONS;
  char why[200] = "before";
  double total = 0;
  int variables = 0;
  options.progress = &add_progress;
  options.user = &total;
  cancel_at = 2;
  CHECK(save_profile_with_(&options, file, why, sizeof(why)) == GECKOPROF_DONE && total >= 1);
  cancel_at = 0.4;
  CHECK(save_profile_with_(&options, file, why, sizeof(why)) == GECKOPROF_CANCELLED && strstr(why, "cancelled") != 0);
  cut.size_bytes = 0;
  CHECK(save_profile_with_(&cut, file, NULL, 0) == GECKOPROF_OUT_OF_RANGE);
  cut.size_bytes = 8;
  cut.without_children = 1;
  CHECK(stream_profile_with_(&cut, count, &streamed, NULL, 0) == GECKOPROF_DONE);
  CHECK(capture_last_(0.5, file, why, sizeof(why)) == GECKOPROF_DONE);
  CHECK(capture_last_(-1, file, why, sizeof(why)) == GECKOPROF_OUT_OF_RANGE && why[0] != 0);
  CHECK(visit_child_environment_(NULL, NULL) == GECKOPROF_OUT_OF_RANGE);
  CHECK(visit_child_environment_(add_variable, &variables) == GECKOPROF_DONE && variables >= 5);
  CHECK(follow_children_(0) == GECKOPROF_DONE && follow_children_(1) == GECKOPROF_DONE);
}

static void look_at_output(const char* file) {
  FUNCTION(get_profile);
  FUNCTION(free_profile);
  FUNCTION(stream_profile);
  FUNCTION(save_profile);
  FUNCTION(get_buffer_info);
  FUNCTION(get_time_ms);
  char why[200] = "before", *json = NULL;
  size_t size = 0;
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  CHECK(get_buffer_info_(&info) == GECKOPROF_DONE && info.used_bytes > 0 && info.capacity_bytes > info.used_bytes);
  CHECK(get_time_ms_() > 0);
  CHECK(get_profile_(&json, &size, why, sizeof(why)) == GECKOPROF_DONE && why[0] == 0);
  CHECK(json != NULL && size == strlen(json) && strstr(json, "EveryKindOfC") != NULL);
  free_profile_(json);
  CHECK(stream_profile_(count, &streamed, NULL, 0) == GECKOPROF_DONE && streamed > 1000);
  CHECK(stream_profile_(give_up, NULL, why, sizeof(why)) == GECKOPROF_CANNOT_WRITE && why[0] != 0);
  CHECK(save_profile_("/there/is/no/such/folder/p.json", why, sizeof(why)) == GECKOPROF_CANNOT_WRITE && why[0] != 0);
  look_at_cuts();
  look_at_options(file);
  CHECK(save_profile_(file, why, sizeof(why)) == GECKOPROF_DONE);
}

int main(int argc, char** argv) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  geckoprof_start_outcome outcome = GECKOPROF_START_OUTCOME;
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  uint64_t id = 0;
  if (argc < 3 || (library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL)) == NULL || !geckoprof_shim_bind(NULL)) {
    printf("not loaded: %s\n", argc < 3 ? "no arguments" : dlerror());
    return 1;
  }
  FUNCTION(init);
  FUNCTION(start);
  FUNCTION(ensure_started);
  FUNCTION(stop);
  FUNCTION(pause);
  FUNCTION(resume);
  FUNCTION(pause_sampling);
  FUNCTION(resume_sampling);
  FUNCTION(shutdown);
  FUNCTION(get_state);
  FUNCTION(get_features);
  FUNCTION(get_available_features);
  FUNCTION(register_thread);
  FUNCTION(unregister_thread);
  FUNCTION(add_state_callback);
  FUNCTION(remove_state_callback);
  FUNCTION(call_after_sampling);
  FUNCTION(get_buffer_info);
  CHECK(init_() == GECKOPROF_DONE && init_() == GECKOPROF_UNCHANGED);
  CHECK(add_state_callback_(GECKOPROF_TELL_STARTED | GECKOPROF_TELL_PAUSING | GECKOPROF_TELL_STOPPING, tell, &told,
                            &id) == GECKOPROF_DONE);
  CHECK(get_state_() == 0 && stop_() >= 1 && pause_() != GECKOPROF_DONE);
  wanted.features = GECKOPROF_FEATURE_STACK_WALK | GECKOPROF_FEATURE_CPU | (UINT32_C(1) << 30);
  wanted.interval_ns = 500000;
  wanted.capacity_bytes = (2 << 20) + 1;
  wanted.reserved = 1;
  CHECK(start_(&wanted, &outcome) == GECKOPROF_OUT_OF_RANGE && get_state_() == 0);
  wanted.reserved = 0;
  CHECK(start_(&wanted, &outcome) == GECKOPROF_DONE && told == GECKOPROF_TELL_STARTED);
  CHECK(get_buffer_info_(&info) == GECKOPROF_DONE && info.capacity_bytes == 4 << 20);
  CHECK(outcome.features == (GECKOPROF_FEATURE_STACK_WALK | GECKOPROF_FEATURE_CPU));
  CHECK(outcome.refused_features == (UINT32_C(1) << 30));
  CHECK(ensure_started_(&wanted, NULL) == GECKOPROF_UNCHANGED);
  CHECK(get_features_() == outcome.features && (get_available_features_() & outcome.features) == outcome.features);
  CHECK(pause_() == GECKOPROF_DONE && (get_state_() & GECKOPROF_STATE_PAUSED) != 0 && resume_() == GECKOPROF_DONE);
  CHECK(pause_sampling_() == GECKOPROF_DONE && (get_state_() & GECKOPROF_STATE_SAMPLING_PAUSED) != 0);
  CHECK(resume_sampling_() == GECKOPROF_DONE && get_state_() == GECKOPROF_STATE_ACTIVE);
  CHECK(call_after_sampling_(tick, NULL) == GECKOPROF_DONE);
  register_thread_("C main");
  faults += c_marks(20000000);
  look_at_backtrace();
  look_at_output(argv[2]);
  unregister_thread_();
  CHECK(ticked >= 3); /* the tick sampled */
  CHECK(stop_() == GECKOPROF_DONE && (told & GECKOPROF_TELL_STOPPING) != 0 &&
        call_after_sampling_(tick, NULL) == GECKOPROF_INACTIVE);
  CHECK(remove_state_callback_(id) == GECKOPROF_DONE && remove_state_callback_(id) == GECKOPROF_UNCHANGED);
  CHECK(shutdown_() == GECKOPROF_DONE);
  return faults;
}
