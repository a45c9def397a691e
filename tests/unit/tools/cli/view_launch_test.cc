#include "tools/cli/view_launch.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

namespace geckoprof {
namespace {

char g_view[] = "view", g_option[] = "--no-open", g_file[] = "a profile.json";
char* const kArguments[] = {g_view, g_option, g_file};

TEST_CASE("view becomes the program, with its words and its status") {
  char folder[] = "/tmp/view_launch_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string program = std::string(folder) + "/program", words = std::string(folder) + "/words";
  std::ofstream(program) << "#!/bin/sh\nprintf '%s\\n' $$ \"$@\" >" << words << "\nexit 7\n";
  REQUIRE(chmod(program.c_str(), 0755) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(LaunchViewAt(program, kArguments));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  std::ifstream seen(words);
  std::string line, text;
  while (std::getline(seen, line)) text += line + "\n";
  CHECK(text == std::to_string(child) + "\nview\n--no-open\na profile.json\n");
  unlink(program.c_str());
  unlink(words.c_str());
  rmdir(folder);
}

TEST_CASE("a view that is not installed has failed") {
  CHECK(LaunchViewAt("/nonexistent/geckoprof-view", kArguments) == 1);
}

}  // namespace
}  // namespace geckoprof
