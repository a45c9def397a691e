#include "tools/recover/recover_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "standard_error_of.h"
#include "temporary_folder.h"
#include "tools/record/session_directory.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), "recover");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return RecoverMain(arguments);
}

TEST_CASE("recover refuses what holds no recording") {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/p.json";
  const std::string garbage = folder.Write("1-0.segment", std::string(5000, 'x'));
  CHECK(Run({}) == 2);
  CHECK(Run({folder.path(), "--format", "xml"}) == 2);
  CHECK(Run({folder.path(), "-o", output}) == 1);
  CHECK(Run({garbage, "-o", output}) == 1);
  CHECK(Run({"/dev/null", "-o", output}) == 1);
  CHECK(Run({folder.path() + "/none", "-o", output}) == 1);
  CHECK(Run({folder.path(), "-o", folder.path() + "/no/such/p.json"}) == 1);
  CHECK(Run({folder.path(), "--list"}) == 2);
  CHECK(Run({folder.path(), "--remove-stale"}) == 2);
  CHECK(Run({"--list", "--remove-stale"}) == 2);
  CHECK(access(output.c_str(), F_OK) != 0);
}

TEST_CASE("recover says what is wrong with a folder that is none of a recording, and prints no line end of a name") {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/p.json";
  const std::string nothing = folder.path() + "/nothing", other = folder.path() + "/other\nline";
  REQUIRE((mkdir(nothing.c_str(), 0700) == 0 && mkdir(other.c_str(), 0700) == 0));
  REQUIRE(mkdir((other + "/a").c_str(), 0700) == 0);
  const auto message_of = [&](const std::string& path) {
    return StandardErrorOf([&] { CHECK(Run({path, "-o", output}) == 1); });
  };
  CHECK(message_of(nothing).find("nothing: is empty") != std::string::npos);
  const std::string message = message_of(other);
  CHECK(message.find("other line: is no session directory") != std::string::npos);
  CHECK(message.find('\n') == message.size() - 1);
  CHECK(message.find("LD_PRELOAD") == std::string::npos);
  // One in which a recorder wrote down what it runs: the program began, and nobody recorded.
  folder.Write("other\nline/" + std::string(SessionDirectory::kCommandName), "prog");
  CHECK(message_of(other).find("LD_PRELOAD") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
