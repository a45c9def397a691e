// handover_output_program MODE FILE: where a profile that the program asks for may go. What it says goes to stderr: the
// profile may go to stdout.
#include <cerrno>
#include <functional>

#include "marker_load.h"
#include "outcome_lines.h"

namespace {

void Save(const char* file) {
  errno = 77;
  const geckoprof::ProfilerOutcome outcome = profiler_save_profile(file);
  const int after = errno;
  fprintf(stderr, "save: %s\nerrno %d\n", outcome.Text().c_str(), after);
}

void Recorded(const char* file) {
  profiler_start(1 << 20, 1, 0);
  BASE_PROFILER_MARKER_UNTYPED("recorded", OTHER);
  Save(file);
}

void Inner() { AUTO_PROFILER_INIT; }

// Of two that are nested the outer one hands back.
void Nested(const char* file) {
  {
    AUTO_PROFILER_INIT;
    Inner();
    fprintf(stderr, "still ours: %s\n", profiler_init().Text().c_str());
    profiler_start(1 << 20, 1, 0);
    Save(file);
  }
  fprintf(stderr, "after both: %s\n", profiler_shutdown().Text().c_str());
}

// Who listens hears of each profile that is made, and of none that cannot be.
void Told(const char* file) {
  int told = 0;
  profiler_add_state_change_callback(
      ProfilingState::GeneratingProfile, [&](ProfilingState) { ++told; }, 1);
  const auto print = [&](const char* what, const geckoprof::ProfilerOutcome& outcome) {
    fprintf(stderr, "%s: %s, told %d\n", what, ToText(outcome.status), told);
    told = 0;
  };
  const auto ask = [&] {
    print("get", profiler_get_profile().error());
    size_t size_bytes = 0;
    print("stream", profiler_stream_json_for_this_process([&](std::string_view bytes) {
            size_bytes += bytes.size();
            return true;
          }));
    fprintf(stderr, "streamed %d\n", size_bytes > 1000);
    print("no sink", profiler_stream_json_for_this_process(std::function<bool(std::string_view)>()));
    print("save", profiler_save_profile(file));
  };
  ask();
  profiler_start(1 << 20, 1, 0);
  fprintf(stderr, "started\n");
  ask();
}

}  // namespace

int main(int argc, char** argv) {
  return RunMode(argc, argv, {{"save", Save}, {"recorded", Recorded}, {"nested", Nested}, {"told", Told}});
}
