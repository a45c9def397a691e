#include "tools/processed_format/json_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

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

// An array of the elements.
std::string Written(SpooledJson& spooled) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  writer.StartArray();
  CHECK(spooled.WriteTo(writer));
  writer.EndArray();
  CHECK(writer.Finish());
  return text;
}

TEST_CASE("elements come back in their order") {
  SpooledJson spooled;
  CHECK(spooled.empty());
  CHECK(Written(spooled) == "[]");
  spooled.Add([](JsonWriter& writer) { writer.Int(7); });
  spooled.Add([](JsonWriter& writer) { writer.String("two\nlines"); });
  CHECK_FALSE(spooled.empty());
  CHECK(Written(spooled) == R"([7,"two\nlines"])");
}

TEST_CASE("elements that go to a file come back, too") {
  SpooledJson spooled;
  const std::string large(SpooledJson::kMostBytesInMemory / 2, 'x');
  std::string expected;
  for (int i = 0; i < 7; ++i) {
    spooled.Add([&](JsonWriter& writer) { writer.String(large + std::to_string(i)); });
    expected += (i == 0 ? "[\"" : ",\"") + large + std::to_string(i) + "\"";
  }
  CHECK(Written(spooled) == expected + "]");
}

TEST_CASE("an element that is no JSON is a failure") {
  SpooledJson spooled;
  spooled.Add([](JsonWriter& writer) { writer.StartArray(); });
  std::string text;
  JsonWriter writer(StringSink(&text));
  CHECK_FALSE(spooled.WriteTo(writer));
}

}  // namespace
}  // namespace geckoprof
