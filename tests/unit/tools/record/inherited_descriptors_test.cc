#include "tools/record/inherited_descriptors.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

constexpr int kInherited = 57;
constexpr auto kNow = InheritedDescriptors::Since::kNow;

// In a process of its own, whose standard descriptors may be given up.
bool HoldsInChild(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool IsNull(int number) {
  struct stat status = {}, null = {};
  return fstat(number, &status) == 0 && stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev &&
         S_ISCHR(status.st_mode);
}

// A file that is open as `number`.
std::string OpenAs(const TemporaryFolder& folder, int number) {
  std::string path = folder.path() + "/file";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  dup2(fd, number);
  close(fd);
  return path;
}

TEST_CASE("what the program inherits the recorder gives up; what it opened itself stays, and standard error") {
  CHECK(HoldsInChild([] {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], kInherited) < 0 || dup2(ends[1], STDOUT_FILENO) < 0) return false;
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const InheritedDescriptors inherited(kNow);
    const int own = open("/dev/zero", O_RDONLY);
    inherited.GiveUp("profile.json");
    return fcntl(kInherited, F_GETFD) < 0 && IsNull(STDIN_FILENO) && IsNull(STDOUT_FILENO) &&
           fcntl(STDERR_FILENO, F_GETFD) >= 0 && fcntl(own, F_GETFD) >= 0;
  }));
}

TEST_CASE("a pipe's reader sees its end when the program has closed it") {
  CHECK(HoldsInChild([] {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t recorder = fork();
    if (recorder == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      InheritedDescriptors(kNow).GiveUp("profile.json");
      pause();
    }
    close(ends[1]);
    char byte = 0;
    const bool at_end = read(ends[0], &byte, 1) == 0;
    kill(recorder, SIGKILL);
    waitpid(recorder, nullptr, 0);
    return at_end;
  }));
}

TEST_CASE("what the profile is written to stays") {
  const TemporaryFolder folder;
  CHECK(HoldsInChild([&] {
    const std::string path = OpenAs(folder, kInherited);
    const InheritedDescriptors inherited(kNow);
    inherited.GiveUp("/dev/fd/" + std::to_string(kInherited));
    return fcntl(kInherited, F_GETFD) >= 0;
  }));
}

TEST_CASE("record locks that the recorder has from before exec are not lost") {
  const TemporaryFolder folder;
  CHECK(HoldsInChild([&] {
    const std::string path = OpenAs(folder, kInherited);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    if (fcntl(kInherited, F_SETLK, &lock) != 0) return false;
    InheritedDescriptors(kNow).GiveUp("profile.json");
    return HoldsInChild([&] {
      const int fd = open(path.c_str(), O_RDWR);
      return fcntl(fd, F_SETLK, &lock) != 0;
    });
  }));
}

TEST_CASE("a descriptor that was opened after the exec stays, and closes at the next one") {
  CHECK(HoldsInChild([] {
    if (dup2(STDERR_FILENO, kInherited) < 0) return false;
    const InheritedDescriptors inherited;
    inherited.GiveUp("profile.json");
    return fcntl(kInherited, F_GETFD) == FD_CLOEXEC && IsNull(STDIN_FILENO);
  }));
}

}  // namespace
}  // namespace geckoprof
