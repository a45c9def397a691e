#include "tools/json/json_path.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("paths") {
  const JsonPath root;
  CHECK(root.ToString() == "$");
  const JsonPath threads = root / "threads";
  const JsonPath thread = threads / size_t{3};
  CHECK((thread / "eventDelay_2").ToString() == "$.threads[3].eventDelay_2");
  CHECK((thread / "eTLD+1").ToString() == "$.threads[3][\"eTLD+1\"]");
  CHECK((root / "21604").ToString() == "$[\"21604\"]");
  CHECK((root / "").ToString() == "$[\"\"]");
}

}  // namespace
}  // namespace geckoprof
