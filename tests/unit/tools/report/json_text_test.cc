#include "tools/report/json_text.h"

#include <catch2/catch.hpp>
#include <limits>
#include <utility>

namespace geckoprof {
namespace {

TEST_CASE("commas, escapes and numbers") {
  JsonText json;
  json.BeginObject();
  json.Key("a\"b\\");
  json.BeginArray();
  json.Integer(-3);
  json.Number(0.1);
  json.Number(std::numeric_limits<double>::infinity());
  json.String("x\n\x1f");
  json.EndArray();
  json.Key("e");
  json.BeginArray();
  json.EndArray();
  json.Key("t");
  json.Bool(true);
  json.EndObject();
  CHECK(std::move(json).Take() ==
        "{\n  \"a\\\"b\\\\\": [\n    -3,\n    0.1,\n    null,\n    \"x\\u000a\\u001f\"\n  ],\n  \"e\": [],\n  \"t\": "
        "true\n}\n");
}

TEST_CASE("whole numbers are written as such, however large") {
  JsonText json;
  json.BeginArray();
  for (const double number : {4194000000000.0, 1e15, -3.0, -0.0, 0.5, 1e300}) json.Number(number);
  json.EndArray();
  CHECK(std::move(json).Take() == "[\n  4194000000000,\n  1000000000000000,\n  -3,\n  0,\n  0.5,\n  1e+300\n]\n");
}

}  // namespace
}  // namespace geckoprof
