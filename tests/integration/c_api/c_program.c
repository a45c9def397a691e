/* c_program [bind LIBRARY | none | start]: marks everything; the same source is compiled linked, and with the shim.
 * bind: loads base by name first. none: there must be no library. start: starts a recording of its own. */
#include <stdio.h>
#include <string.h>

#include "c_marks.h"

#ifdef GECKOPROF_SHIM
#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"
#else
static int geckoprof_shim_bind(const char* library) { return library == NULL; }
#endif

static int fail(const char* what) {
  printf("%s\n", what);
  return 1;
}

static int without_library(void) {
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  geckoprof_buffer_info info = GECKOPROF_BUFFER_INFO;
  if (geckoprof_shim_bind("/there/is/no/such/library.so")) return fail("a library that there is not is bound");
  if (geckoprof_base_is_here() || geckoprof_base_wants_markers()) return fail("there is a library");
  if (geckoprof_base_start_with(&wanted) != GECKOPROF_NOT_HERE) return fail("it starts");
  if (strstr(geckoprof_base_start_text(GECKOPROF_NOT_HERE), "there is no") == NULL) return fail("no sentence");
  if (geckoprof_base_state() != 0 || geckoprof_base_stop() != 0 || geckoprof_base_features() != 0) return fail("state");
  if (geckoprof_base_pause_sampling() != 0 || geckoprof_base_resume_sampling() != 0) return fail("pause");
  if (geckoprof_base_get_buffer_info(&info) != 0 || geckoprof_base_time() != 0) return fail("info");
  return c_marks(1000);
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "none") == 0) return without_library();
  if (strcmp(mode, "bind") == 0) {
    if (argc < 3 || geckoprof_base_is_here() || !geckoprof_shim_bind(argv[2])) return fail("not bound");
    if (!geckoprof_shim_bind(argv[2])) return fail("not bound any more");
  }
  if (strcmp(mode, "bind") == 0 || strcmp(mode, "start") == 0) {
    geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
    const int result = geckoprof_base_start_with(&wanted);
    if (result != GECKOPROF_STARTED) return fail(geckoprof_base_start_text(result));
    if (geckoprof_base_state() != 1 || !geckoprof_base_wants_markers()) return fail("it does not record");
    if (!geckoprof_base_pause_sampling() || geckoprof_base_state() != 3) return fail("sampling does not pause");
    if (!geckoprof_base_wants_markers() || geckoprof_base_resume()) return fail("markers do not go on");
    if (!geckoprof_base_resume_sampling() || geckoprof_base_state() != 1) return fail("sampling does not go on");
  }
  return c_marks(30000000);
}
