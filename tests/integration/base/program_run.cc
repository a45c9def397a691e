#include "program_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace geckoprof {
namespace {

constexpr int kLongestRunMs = 60'000;
constexpr int kSkipped = 77;  // SKIP_RETURN_CODE of these tests

std::vector<char*> Pointers(const Strings& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child: a process group of its own, the given outputs, and the program.
[[noreturn]] void Become(const Strings& command, const Strings& environment, int out, int err) {
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(out >= 0 ? out : null, 1);
  dup2(err >= 0 ? err : null, 2);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  Strings all = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  all.insert(all.end(), environment.begin(), environment.end());
  execvpe(command[0].c_str(), Pointers(command).data(), Pointers(all).data());
  _exit(126);
}

int64_t NowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

// Reads both pipes to their ends. False when the time was over first.
bool ReadOutputs(int out, int err, ProgramOutput& output) {
  const int64_t end_ms = NowMs() + kLongestRunMs;
  std::array<pollfd, 2> ends = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&output.out, &output.err};
  char room[65536];
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const int64_t left_ms = end_ms - NowMs();
    if (left_ms <= 0 || poll(ends.data(), ends.size(), static_cast<int>(left_ms)) == 0) return false;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t got = read(ends[i].fd, room, sizeof(room));
      if (got > 0) texts[i]->append(room, static_cast<size_t>(got));
      if (got == 0) ends[i].fd = -1;
    }
  }
  return true;
}

// The library's copy, gone when the test ends.
class PublicCopy {
 public:
  PublicCopy() {
    char name[] = "/tmp/geckoprof-base-XXXXXX";
    if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = name;
    std::filesystem::permissions(folder_, std::filesystem::perms{0755});
    path_ = folder_ + "/libbaseprofiler.so";
    std::filesystem::copy_file(BASEPROFILER_LIBRARY, path_);
    std::filesystem::permissions(path_, std::filesystem::perms{0755});
  }
  ~PublicCopy() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace

ProgramOutput RunProgram(const Strings& command, const Strings& environment) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  ProgramOutput output;
  output.pid = fork();
  if (output.pid == 0) Become(command, environment, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  const bool in_time = ReadOutputs(out[0], err[0], output);
  if (!in_time) kill(-output.pid, SIGKILL);
  close(out[0]);
  close(err[0]);
  int status = 0;
  const int64_t end_ms = NowMs() + kLongestRunMs / 4;
  while (waitpid(output.pid, &status, WNOHANG) == 0) {
    if (NowMs() > end_ms) kill(-output.pid, SIGKILL);
    usleep(1000);
  }
  output.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (!in_time) output.status = -1;
  return output;
}

pid_t StartProgram(const Strings& command, const Strings& environment) {
  const pid_t pid = fork();
  if (pid == 0) Become(command, environment, -1, -1);
  return pid;
}

Strings Recording(const Strings& more) {
  Strings all = {"LD_PRELOAD=" + LibraryPath(), "GECKOPROF_STARTUP=1", "GECKOPROF_COMMAND=" + CommandPath()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::string& LibraryPath() {
  static const PublicCopy copy;
  return copy.path();
}

std::string CommandPath() { return GECKOPROF_PROGRAM; }

std::string Scenario(const std::string& name) { return std::string(SCENARIO_FOLDER "/") + name; }

void SkipAll(const std::string& why) {
  fprintf(stderr, "skipped: %s\n", why.c_str());
  exit(kSkipped);
}

bool UsePrivateSharedMemory() {
  static const bool done = unshare(CLONE_NEWNS) == 0 &&
                           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                           mount("none", "/dev/shm", "tmpfs", 0, "size=512m,mode=1777") == 0;
  return done;
}

Strings LeftInSharedMemory() {
  Strings names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("/dev/shm")) {
    if (!entry.is_directory()) names.push_back(entry.path().string());
  }
  return names;
}

}  // namespace geckoprof
