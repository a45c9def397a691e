#include "tools/view/api_answer.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("numbers of the API") {
  CHECK(ParseApiNumber("0x1f") == 0x1f);
  CHECK(ParseApiNumber("1F") == 0x1f);
  CHECK(ParseApiNumber("0xffffffffffffffff") == UINT64_MAX);
  for (const char* bad : {"", "0x", "0x1ffffffffffffffff", "-1", "0x-1", "1 ", "xyz"}) CHECK_FALSE(ParseApiNumber(bad));
  CHECK(ApiNumber(0x1f) == "0x1f");
}

TEST_CASE("errors and results are JSON") {
  const ApiAnswer error = ApiError("a \"b\"", 400);
  CHECK(error.status == 400);
  CHECK(error.body == R"({"error":"a \"b\""})");
  CHECK(ApiResult([](JsonWriter& writer) { writer.Int(3); }).body == "3");
  CHECK(ApiResult([](JsonWriter& writer) { writer.StartArray(); }).status == 500);
}

}  // namespace
}  // namespace geckoprof
