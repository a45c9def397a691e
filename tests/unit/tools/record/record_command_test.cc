#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), "record");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return RecordMain(std::span(arguments).first(words.size()));
}

TEST_CASE("what is wrong is found before the program starts") {
  const TemporaryFolder folder;
  const std::string output = folder.path() + "/p.json";
  const std::string witness = folder.path() + "/ran";
  CHECK(Run({}) == 2);
  CHECK(Run({"--interval", "0", "touch", witness}) == 2);
  CHECK(Run({"-o", output, "--", folder.path() + "/none"}) == 127);
  CHECK(Run({"-o", output, "--", folder.path()}) == 126);
  CHECK(Run({"-o", folder.path() + "/no/such/p.json", "--", "touch", witness}) == 1);
  CHECK(Run({"-o", "-", "--", "touch", witness}) == 2);
  CHECK(access(witness.c_str(), F_OK) != 0);
  CHECK(access(output.c_str(), F_OK) != 0);
}

}  // namespace
}  // namespace geckoprof
