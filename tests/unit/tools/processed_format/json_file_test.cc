#include "tools/processed_format/json_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tools/profile/profile_file.h"

namespace geckoprof {
namespace {

bool WriteSeven(JsonWriter& writer) {
  writer.Int(7);
  return true;
}

bool WriteUnbalanced(JsonWriter& writer) {
  writer.StartArray();
  return true;
}

TEST_CASE("a file appears when it is complete, packed by its name") {
  char folder[] = "/tmp/json_file_test.XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  for (const char* name : {"/a.json", "/a.json.gz"}) {
    const std::string path = std::string(folder) + name;
    REQUIRE(WriteJsonFile(path, nullptr, WriteSeven).ok());
    CHECK(*ReadProfileFile(path) == "7");
    // What is not balanced is no JSON: the file stays as it was.
    CHECK_FALSE(WriteJsonFile(path, nullptr, WriteUnbalanced).ok());
    CHECK(*ReadProfileFile(path) == "7");
    // The same is true if a part of it cannot be made.
    CHECK_FALSE(WriteJsonFile(path, nullptr, [](JsonWriter& writer) { return !WriteSeven(writer); }).ok());
    CHECK(*ReadProfileFile(path) == "7");
    unlink(path.c_str());
  }
  CHECK(rmdir(folder) == 0);  // nothing else is left
  CHECK_FALSE(WriteJsonFile("/nowhere/a.json", nullptr, WriteSeven).ok());
}

}  // namespace
}  // namespace geckoprof
