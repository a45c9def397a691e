#include "tools/processed_format/spooled_json.h"

#include <catch2/catch.hpp>
#include <string>

namespace geckoprof {
namespace {

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
