#include "tools/recover/recover_command.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "temporary_folder.h"

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

}  // namespace
}  // namespace geckoprof
