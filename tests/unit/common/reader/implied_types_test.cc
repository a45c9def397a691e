#include <catch2/catch.hpp>

#include "geckoprof/reader/marker_type_union.h"
#include "marker_sites.h"

namespace geckoprof {
namespace {

MarkerTypeRow Named(const char* name) {
  MarkerTypeRow type;
  type.name = name;
  return type;
}

TEST_CASE("types that no site names are made once, when they are needed") {
  ProcessProfile profile;
  ImpliedTypes types(&profile);
  CHECK(profile.marker_types.empty());
  CHECK(types.StackOnly() == 0);
  CHECK(types.StackOnly() == 0);
  CHECK(profile.marker_types.size() == 1);
}

TEST_CASE("a flow without a payload is of a type of its own") {
  ProcessProfile profile;
  ImpliedTypes types(&profile);
  int32_t in_flow = kNone, at_end = kNone, again = kNone;
  CHECK(types.Flow(false, in_flow) == "flow");
  CHECK(types.Flow(true, at_end) == "terminatingFlow");
  CHECK(types.Flow(false, again) == "flow");
  CHECK(again == in_flow);
  REQUIRE(profile.marker_types.size() == 2);
  CHECK(profile.marker_types[0].name == "FlowMarker");
  CHECK(profile.marker_types[0].fields[0].format == "flow-id");
  CHECK(profile.marker_types[1].name == "TerminatingFlowMarker");
  CHECK(profile.marker_types[1].fields[0].format == "terminating-flow-id");
}

TEST_CASE("a flow beside a payload is in the schema of its type's name, once") {
  ProcessProfile profile;
  profile.marker_types = {Named("Load"), Named("Other"), Named("Load")};
  ImpliedTypes types(&profile);
  for (int32_t row : {2, 2}) {
    const int32_t before = row;
    CHECK(types.Flow(false, row) == "markerFlow");
    CHECK(types.Flow(true, row) == "markerTerminatingFlow");
    CHECK(row == before);
  }
  UniteMarkerTypes(profile.marker_types);
  CHECK(profile.marker_types[0].fields.size() == 2);
  CHECK(profile.marker_types[1].fields.empty());
  CHECK(profile.marker_types[2].fields.size() == 2);
  CHECK(profile.marker_types[2].fields[1].format == "terminating-flow-id");
}

}  // namespace
}  // namespace geckoprof
