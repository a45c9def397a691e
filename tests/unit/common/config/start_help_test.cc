#include "geckoprof/config/start_help.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "geckoprof/config/start_parameters.h"

namespace geckoprof {
namespace {

TEST_CASE("the help names every variable") {
  for (size_t i = 0; i < kStartVariableCount; ++i) {
    const std::string name(StartVariableName(static_cast<StartVariable>(i)));
    INFO(name);
    CHECK(StartHelpText().find("  " + name + "=") != std::string_view::npos);
  }
  for (const char* name : {"ALLOCATION_INTERVAL", "LOCK_THRESHOLD", "LOOP_THRESHOLD", "IO_THRESHOLD"}) {
    INFO(name);
    CHECK(StartHelpText().find(std::string("  GECKOPROF_") + name + "=") != std::string_view::npos);
  }
}

TEST_CASE("help goes to standard error and ends the process with status 0") {
  int pipe_fds[2];
  REQUIRE(pipe(pipe_fds) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(pipe_fds[1], STDERR_FILENO);
    close(pipe_fds[1]);
    PrintStartHelpAndExit();
  }
  close(pipe_fds[1]);
  std::string text;
  std::array<char, 512> buffer;
  for (ssize_t got; (got = read(pipe_fds[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  close(pipe_fds[0]);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(text == StartHelpText());
}

}  // namespace
}  // namespace geckoprof
