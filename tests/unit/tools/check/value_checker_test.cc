#include "tools/check/value_checker.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("faults and warnings are counted beyond the limit, kept up to it") {
  FaultList list(2);
  const JsonPath root;
  const JsonPath threads = root / "threads";
  for (int i = 0; i < 5; ++i) list.Fault(threads / i, "is bad");
  list.Warning(root / "meta", "is odd");
  CHECK(list.fault_count() == 5);
  CHECK(list.faults() == std::vector<std::string>{"$.threads[0]: is bad", "$.threads[1]: is bad"});
  CHECK(list.warning_count() == 1);
  CHECK(list.warnings() == std::vector<std::string>{"$.meta: is odd"});
}

using Need = ValueChecker::Need;

TEST_CASE("values of the wrong kind are named with their place") {
  const auto document =
      JsonDocument::Parse(R"({"a":[1],"s":"x","n":1.5,"b":true,"z":null,"neg":-2})", JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  const JsonView root = document->root();
  FaultList list(100);
  ValueChecker checker(&list);
  const JsonPath path;

  CHECK(checker.Array(root, "a", path).size() == 1);
  CHECK(checker.String(root, "s", path) == "x");
  CHECK(checker.Number(root, "n", path) == 1.5);
  checker.Bool(root, "b", path);
  CHECK_FALSE(checker.Number(root, "z", path, Need::kOptional).has_value());
  CHECK_FALSE(checker.Number(root, "none", path, Need::kOptional).has_value());
  CHECK(list.fault_count() == 0);

  CHECK_FALSE(checker.Object(root, "a", path).Exists());
  CHECK_FALSE(checker.String(root, "none", path).has_value());
  checker.Bool(root, "n", path, Need::kOptional);
  checker.Number(root, "z", path);
  checker.NotNegative(root["neg"], path / "neg", "time", Need::kRequired);
  CHECK(list.faults() == std::vector<std::string>{"$.a: is array, not object", "$.none: is missing",
                                                  "$.n: is number, not boolean", "$.z: is null, not number"});
  CHECK(list.warnings() == std::vector<std::string>{"$.neg: time -2 is negative"});
}

TEST_CASE("a lenient checker only warns") {
  const auto document = JsonDocument::Parse(R"({"n":1.5})", JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  FaultList list(100);
  ValueChecker checker(&list);
  ValueChecker lenient = checker.Lenient();
  const JsonPath path;
  lenient.String(document->root(), "n", path);
  lenient.Whole(document->root()["n"], path / "n", "line", Need::kRequired);
  CHECK(list.fault_count() == 0);
  CHECK(list.warnings() == std::vector<std::string>{"$.n: is number, not string", "$.n: line 1.5 is no whole number"});
  checker.String(document->root(), "n", path);
  CHECK(list.fault_count() == 1);
}

TEST_CASE("an index is a whole number in range") {
  const auto document = JsonDocument::Parse("[0,42,43,-1,1.5,1e300,null,3.0]", JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  FaultList list(100);
  ValueChecker checker(&list);
  const JsonPath path;
  const auto index = [&](size_t i, size_t limit) {
    return checker.Index(document->root().At(i), limit, path / i, "stack", Need::kRequired);
  };
  CHECK(index(0, 43) == 0u);
  CHECK(index(1, 43) == 42u);
  CHECK(index(7, 43) == 3u);
  CHECK_FALSE(checker.IndexOrMinusOne(document->root().At(3), 1, path, "lib").has_value());
  CHECK(list.fault_count() == 0);
  for (const size_t i : {2u, 3u, 4u, 5u, 6u}) CHECK_FALSE(index(i, 43).has_value());
  CHECK_FALSE(index(0, 0).has_value());
  CHECK(list.faults() == std::vector<std::string>{"$[2]: stack index 43 is out of range (0..42)",
                                                  "$[3]: stack index -1 is out of range (0..42)",
                                                  "$[4]: is number, not index", "$[5]: is number, not index",
                                                  "$[6]: is null, not index",
                                                  "$[0]: stack index 0 is out of range (there is none)"});
}

TEST_CASE("times may repeat, but not go back") {
  FaultList list(100);
  ValueChecker checker(&list);
  const JsonPath path;
  TimeOrder order;
  order.Check(1, path / 0, &checker);
  order.Check(1, path / 1, &checker);
  CHECK(list.fault_count() == 0);
  order.Check(0.5, path / 2, &checker);
  CHECK(list.faults() == std::vector<std::string>{"$[2]: time 0.5 is earlier than that of the row before (1)"});
}

}  // namespace
}  // namespace geckoprof
