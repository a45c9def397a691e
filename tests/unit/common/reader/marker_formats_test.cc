#include "geckoprof/reader/marker_formats.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a format says what files have for a value") {
  CHECK(MarkerFormatNamed("url") == MarkerFormat::kString);
  CHECK(MarkerFormatNamed("nanoseconds") == MarkerFormat::kNumber);
  CHECK(MarkerFormatNamed("table") == MarkerFormat::kTable);
  for (const char* unknown : {"", "URL", "uniquestring", "table\x1e"})
    CHECK_FALSE(MarkerFormatNamed(unknown).has_value());
}

TEST_CASE("unique strings and flows are rows of the string table") {
  for (const NamedMarkerFormat& known : kMarkerFormats) {
    INFO(known.name);
    const bool is_expected =
        known.name == "unique-string" || known.name == "flow-id" || known.name == "terminating-flow-id";
    CHECK(IsStringIndexFormat(known.name) == is_expected);
  }
  CHECK_FALSE(IsStringIndexFormat(""));
}

}  // namespace
}  // namespace geckoprof
