#include <catch2/catch.hpp>
#include <string>

#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/markers.h"

namespace geckoprof::internal {
namespace {

#define EXPANDED \
  "ex"           \
  "panded"
#define IS_LITERAL(name) GECKOPROF_IS_LITERAL_(name)

TEST_CASE("what is spelled as literals alone is the site's") {
  STATIC_REQUIRE(IS_LITERAL("name"));
  STATIC_REQUIRE(IS_LITERAL(""));
  STATIC_REQUIRE(
      IS_LITERAL("na"
                 "me"));
  STATIC_REQUIRE(IS_LITERAL("say \"name\" \\"));
  STATIC_REQUIRE(IS_LITERAL(EXPANDED));
  STATIC_REQUIRE(IS_LITERAL("in " EXPANDED));
}

TEST_CASE("any other name is its marker's") {
  [[maybe_unused]] const std::string path = "path";
  STATIC_REQUIRE_FALSE(IS_LITERAL("load " + path));
  STATIC_REQUIRE_FALSE(IS_LITERAL("name"[0] == 'n' ? "some" : "none"));
  STATIC_REQUIRE_FALSE(IS_LITERAL("say \"" + path + "\""));
  STATIC_REQUIRE_FALSE(IS_LITERAL(path.c_str()));
  STATIC_REQUIRE_FALSE(IS_LITERAL(("name")));
  for (const bool first : {true, false}) {
    const MarkerName name =
        NameOf<IS_LITERAL("d"[0] == 'd' && first ? "d1" : "d2")>("d"[0] == 'd' && first ? "d1" : "d2");
    CHECK((name.is_own && name.literal == nullptr));
  }
}

TEST_CASE("a site takes its name once") {
  geckoprof_marker_site site = {};
  const MarkerName name = NameOf<IS_LITERAL("first")>("first");
  CHECK_FALSE(name.is_own);
  SetNameOfSite(site, name);
  SetNameOfSite(site, NameOf<IS_LITERAL("second")>("second"));
  CHECK(std::string(site.name) == "first");
  SetNameOfSite(site, NameOf<false>("own"));
  CHECK(std::string(site.name) == "first");
}

}  // namespace
}  // namespace geckoprof::internal
