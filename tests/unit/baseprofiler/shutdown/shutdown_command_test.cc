#include "shutdown/shutdown_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"
#include "shutdown_case.h"
#include "tests/support/await.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

volatile sig_atomic_t g_child_signals = 0;

TEST_CASE("the command is told what to write, and what to remove") {
  Recorded recorded;
  recorded.SetCommand("echo \"$@\" >$out");
  CHECK_FALSE(recorded.Write());
  CHECK(recorded.failure() == ShutdownFailure::kDidNotFail);
  CHECK(recorded.told() ==
        "recover --shutdown 3 --remove " + std::string(recorded.segment().path()) + " -o " + recorded.path() + "\n");
}

TEST_CASE("the command has a session of its own, and no descriptor, mask or disposition of the program's") {
  Recorded recorded;
  recorded.SetCommand(
      "{ cut -d' ' -f1,6 /proc/$$/stat; readlink /proc/$$/fd/0 /proc/$$/fd/2 /proc/$$/fd/3; cat /proc/self/status\n"
      "for fd in 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && echo open $fd; done; } >$out; true");
  CHECK(StatusInChild([&] {
          signal(SIGUSR1, SIG_IGN);
          sigset_t all;
          sigfillset(&all);
          sigprocmask(SIG_BLOCK, &all, nullptr);
          for (int fd = 4; fd < 10; ++fd) dup2(0, fd);
          FORKED_REQUIRE(!recorded.Write());
          struct sigaction after = {};
          sigaction(SIGUSR1, nullptr, &after);
          return after.sa_handler == SIG_IGN ? 0 : 1;
        }) == 0);
  const std::string told = recorded.told();
  std::istringstream words(told);
  std::string pid, session;
  words >> pid >> session;
  CHECK((!pid.empty() && pid == session));
  CHECK(Has(told, "/dev/null\n/dev/null\n" + std::string(recorded.segment().path()) + "\n"));
  CHECK_FALSE(Has(told, "open "));
  CHECK(Has(told, "SigBlk:\t0000000000000000"));
  CHECK(Has(told, "SigIgn:\t0000000000000000"));
}

TEST_CASE("a segment without a name is handed over as a file in memory") {
  Recorded recorded;
  recorded.SetCommand("cp /dev/fd/3 $out");
  REQUIRE(unlink(recorded.segment().path()) == 0);
  CHECK_FALSE(recorded.Write());
  CHECK(recorded.failure() == ShutdownFailure::kDidNotFail);
  CHECK(IsOfRecorded(Read(recorded.folder() + "/told")));
}

TEST_CASE("a command that takes too long goes on by itself") {
  Recorded recorded;
  recorded.SetCommand("sleep 0.5; echo done >$out");
  const int64_t begin_ns = MonotonicNs();
  CHECK_FALSE(recorded.Write(100 * kNsPerMs));
  CHECK(MonotonicNs() - begin_ns < 400 * kNsPerMs);
  CHECK(recorded.failure() == ShutdownFailure::kSlow);
  CHECK_FALSE(std::filesystem::exists(recorded.copy_path()));
  CHECK(waitpid(-1, nullptr, __WALL | WNOHANG) == -1);  // the launcher is not left behind
  CHECK(Soon([&] { return recorded.told() == "done\n"; }));
}

TEST_CASE("the program gets no SIGCHLD, and finds no child, while the command runs and afterwards") {
  Recorded recorded;
  recorded.SetCommand("sleep 0.2; echo done >$out");
  CHECK(StatusInChild([&] {
          struct sigaction action = {};
          action.sa_handler = [](int) { g_child_signals = g_child_signals + 1; };
          sigaction(SIGCHLD, &action, nullptr);
          std::atomic<bool> is_over{false};
          std::atomic<int> found{0}, looks{0};
          std::thread looking([&] {
            while (!is_over.load()) {
              if (waitpid(-1, nullptr, 0) != -1 || errno != ECHILD) ++found;
              ++looks;
            }
          });
          const bool has_copy = recorded.Write();
          is_over = true;
          looking.join();
          FORKED_REQUIRE(!has_copy && looks > 0 && found == 0 && g_child_signals == 0);
          FORKED_REQUIRE(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
          return 0;
        }) == 0);
  CHECK(recorded.told() == "done\n");
}

TEST_CASE("the program's other children are left alone") {
  Recorded recorded;
  recorded.SetCommand("exit 4");
  CHECK(StatusInChild([&] {
          signal(SIGCHLD, SIG_IGN);  // the launcher has to know the command's status all the same
          FORKED_REQUIRE(!recorded.Write());
          signal(SIGCHLD, SIG_DFL);
          const pid_t child = fork();
          if (child == 0) _exit(5);
          FORKED_REQUIRE(!recorded.Write());
          int status = 0;
          FORKED_REQUIRE(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
          return 0;
        }) == 0);
  CHECK(recorded.failure() == ShutdownFailure::kDidNotFail);
}

TEST_CASE("what is no plain file is open when the command begins") {
  Recorded recorded;
  recorded.SetCommand("echo \"$*\" >&4");
  SECTION("a FIFO that somebody reads") {
    const std::string pipe = recorded.folder() + "/pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int fd = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    recorded.SetFile(pipe);
    CHECK_FALSE(recorded.Write());
    char text[512] = {};
    CHECK(read(fd, text, sizeof(text) - 1) > 0);
    CHECK(Has(text, "--shutdown 3 --write-to 4 "));
    close(fd);
  }
  SECTION("a descriptor of the program's, by any of its names") {
    const std::string file = recorded.folder() + "/by_number";
    for (const char* folder : {"/proc/self/fd/", "/dev/fd/"}) {
      INFO(folder);
      const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
      recorded.SetFile(folder + std::to_string(fd));
      CHECK_FALSE(recorded.Write());
      close(fd);
      CHECK(Has(Contents(file), "--write-to 4"));
    }
  }
  CHECK(recorded.failure() == ShutdownFailure::kDidNotFail);
}

TEST_CASE("nobody waits for the reader of a FIFO") {
  Recorded recorded;
  recorded.SetCommand("exit 4");
  const std::string pipe = recorded.folder() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  recorded.SetFile(pipe);
  CHECK_FALSE(recorded.Write());
  CHECK(recorded.failure() == ShutdownFailure::kBadPath);
  CHECK(recorded.detail() == ENXIO);
  CHECK_FALSE(std::filesystem::exists(pipe + ".segment"));
}

TEST_CASE("a program that has no descriptor left gets its profile") {
  Recorded recorded;
  recorded.SetCommand("echo done >$out");
  CHECK(StatusInChild([&] {
          const rlimit limit = {20, 20};
          setrlimit(RLIMIT_NOFILE, &limit);
          while (dup(0) >= 0) {
          }
          FORKED_REQUIRE(errno == EMFILE);
          FORKED_REQUIRE(!recorded.Write());
          return 0;
        }) == 0);
  CHECK(recorded.told() == "done\n");
}

}  // namespace
}  // namespace geckoprof
