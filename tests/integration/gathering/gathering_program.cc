// gathering_program: obeys the commands on its standard input, and answers each with one line. Children work until
// SIGUSR1 tells them to exit.
//
//   start INTERVAL_MS | start_small INTERVAL_MS | pause | resume | pause_sampling | resume_sampling | stop | shutdown |
//   follow 0 or 1 fork | fork_twice | fork_starts FILE      the child's pid; the grandchild's; the child starts and
//   saves by itself exec WORD...                              the pid of a program that is executed environment WORD...
//   likewise, with the variables for a child work MS                                   works, with a label "parent"
//   fill                                      makes 10 MB of markers
//   save FILE | last SECONDS FILE | progress FILE | cancel AT FILE | alone
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprofiler/gecko_profiler.h"

namespace {

volatile sig_atomic_t g_ends = 0;

void Work(const char* label, int64_t until_ns) {
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR("Work", OTHER, label);
  volatile uint64_t sum = 0;
  while (g_ends == 0 && geckoprof::MonotonicNs() < until_ns) {
    for (int i = 0; i < 10000; ++i) sum = sum + static_cast<uint64_t>(i);
  }
}

// Works until it is told to end.
[[noreturn]] void WorkAsChild(const char* label) {
  PROFILER_MARKER_TEXT("child", OTHER, {}, std::string_view(label));
  Work(label, INT64_MAX);
  exit(7);
}

void Answer(const char* text) {
  printf("%s\n", text);
  fflush(stdout);
}
void Answer(const geckoprof::ProfilerOutcome& outcome) { Answer(outcome.Text().c_str()); }
void AnswerPid(pid_t pid) { Answer(std::to_string(pid).c_str()); }

pid_t Fork(const char* label) {
  const pid_t pid = fork();
  if (pid == 0) WorkAsChild(label);
  return pid;
}

// The child has a child of its own, whose pid is the answer.
void ForkTwice() {
  int ends[2];
  if (pipe(ends) != 0) return;
  if (fork() == 0) {
    const pid_t grandchild = Fork("grandchild");
    if (write(ends[1], &grandchild, sizeof(grandchild)) < 0) _exit(1);
    WorkAsChild("between");
  }
  pid_t grandchild = 0;
  if (read(ends[0], &grandchild, sizeof(grandchild)) < 0) return;
  close(ends[0]);
  close(ends[1]);
  AnswerPid(grandchild);
}

void ForkStarts(const std::string& file) {
  const pid_t pid = fork();
  if (pid == 0) {
    profiler_start(0, 2, 0);
    Work("on its own", geckoprof::MonotonicNs() + 200 * geckoprof::kNsPerMs);
    _exit(static_cast<int>(profiler_save_profile(file.c_str()).status));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  AnswerPid(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

void Exec(std::istringstream& words, bool with_environment) {
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  std::vector<std::pair<std::string, std::string>> variables;
  GetProfilerEnvVarsForChildProcess([&](const char* name, const char* value) { variables.emplace_back(name, value); });
  const pid_t pid = vfork();
  if (pid == 0) {
    for (const auto& [name, value] : variables) {
      if (with_environment) setenv(name.c_str(), value.c_str(), 1);
    }
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  for (const auto& [name, value] : variables) {
    if (with_environment) unsetenv(name.c_str());
  }
  AnswerPid(pid);
}

void Progress(const std::string& file, double cancel_at) {
  geckoprof::ProfileOptions options;
  double last = -1;
  int calls = 0;
  bool is_in_order = true;
  options.progress = [&](double fraction, std::string_view text) {
    is_in_order &= fraction >= last && fraction <= 1 && !text.empty() && profiler_is_active();
    last = fraction;
    ++calls;
    return fraction < cancel_at;
  };
  const geckoprof::ProfilerOutcome outcome = profiler_save_profile(file.c_str(), options);
  printf("%s, calls %d, last %.2f, in order %d\n", outcome.Text().c_str(), calls, last, is_in_order);
  fflush(stdout);
}

void Alone() {
  std::string json;
  profiler_stream_json_for_this_process([&](std::string_view piece) {
    json += piece;
    return true;
  });
  Answer(json.find("\"processes\":[]") != std::string::npos ? "alone" : "not alone");
}

using Words = std::istringstream;
std::string Next(Words& words) {
  std::string word;
  words >> word;
  return word;
}

const std::map<std::string, std::function<void(Words&)>> kCommands = {
    {"start", [](Words& words) { Answer(profiler_start(0, atof(Next(words).c_str()), 0).outcome); }},
    {"start_small", [](Words& words) { Answer(profiler_start(1, atof(Next(words).c_str()), 0).outcome); }},
    {"pause", [](Words&) { Answer(profiler_pause()); }},
    {"resume", [](Words&) { Answer(profiler_resume()); }},
    {"pause_sampling", [](Words&) { Answer(profiler_pause_sampling()); }},
    {"resume_sampling", [](Words&) { Answer(profiler_resume_sampling()); }},
    {"stop", [](Words&) { Answer(profiler_stop()); }},
    {"shutdown", [](Words&) { Answer(profiler_shutdown()); }},
    {"follow", [](Words& words) { Answer(profiler_follow_children(Next(words) == "1")); }},
    {"fork", [](Words&) { AnswerPid(Fork("forked")); }},
    {"fork_twice", [](Words&) { ForkTwice(); }},
    {"fork_starts", [](Words& words) { ForkStarts(Next(words)); }},
    {"exec", [](Words& words) { Exec(words, false); }},
    {"environment", [](Words& words) { Exec(words, true); }},
    {"work",
     [](Words& words) {
       Work("parent", geckoprof::MonotonicNs() + atoll(Next(words).c_str()) * geckoprof::kNsPerMs);
       Answer("worked");
     }},
    {"fill",
     [](Words&) {
       const std::string text(500, 'x');
       for (int i = 0; i < 20'000; ++i) PROFILER_MARKER_TEXT("fill", OTHER, {}, text);
       Answer("filled");
     }},
    {"save", [](Words& words) { Answer(profiler_save_profile(Next(words).c_str())); }},
    {"last",
     [](Words& words) {
       const double seconds = atof(Next(words).c_str());
       Answer(profiler_capture_last(seconds, Next(words).c_str()));
     }},
    {"progress", [](Words& words) { Progress(Next(words), 2); }},
    {"cancel",
     [](Words& words) {
       const double at = atof(Next(words).c_str());
       Progress(Next(words), at);
     }},
    {"alone", [](Words&) { Alone(); }},
};

}  // namespace

int main() {
  signal(SIGUSR1, [](int) { g_ends = 1; });  // for the children
  char line[4096];
  while (fgets(line, sizeof(line), stdin) != nullptr) {
    Words words(line);
    const auto command = kCommands.find(Next(words));
    if (command == kCommands.end()) return 2;
    command->second(words);
  }
  return 0;
}
