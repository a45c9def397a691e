#include "tools/convert/json_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tools/profile/profile_file.h"

namespace geckoprof {
namespace {

TEST_CASE("a file appears when it is complete, packed by its name") {
  char folder[] = "/tmp/json_file_test.XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  for (const char* name : {"/a.json", "/a.json.gz"}) {
    const std::string path = std::string(folder) + name;
    REQUIRE(WriteJsonFile(path, nullptr, [](JsonWriter& writer) { writer.Int(7); }).ok());
    CHECK(*ReadProfileFile(path) == "7");
    // What is not balanced is no JSON: the file stays as it was.
    CHECK_FALSE(WriteJsonFile(path, nullptr, [](JsonWriter& writer) { writer.StartArray(); }).ok());
    CHECK(*ReadProfileFile(path) == "7");
    unlink(path.c_str());
  }
  CHECK(rmdir(folder) == 0);  // nothing else is left
  CHECK_FALSE(WriteJsonFile("/nowhere/a.json", nullptr, [](JsonWriter& writer) { writer.Int(7); }).ok());
}

}  // namespace
}  // namespace geckoprof
