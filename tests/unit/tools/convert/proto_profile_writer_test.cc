#include "tools/convert/proto_profile_writer.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/tools/convert/small_model.h"

namespace geckoprof {
namespace {

TEST_CASE("functions inlined at one address are one location") {
  const ProfileModel model = SmallModel();
  const ExportedProfile profile(model, false);
  const LocationTable table(profile);
  std::vector<uint64_t> rows;
  table.LocationsOf(model.threads[1].samples[0].stack, &rows);
  REQUIRE(rows.size() == 2);
  const LocationTable::Location& inner = table.locations()[rows[0]];
  REQUIRE(inner.lines.size() == 2);
  CHECK(inner.lines[0].line == 21);
  CHECK(inner.lines[1].line == 7);
  REQUIRE(table.mappings().size() == 1);
  CHECK(inner.address == table.mappings()[0].start + 0x40);
  CHECK(inner.address < table.mappings()[0].end);
  // Where run itself was, nothing is inlined.
  table.LocationsOf(model.threads[0].samples[0].stack, &rows);
  CHECK(table.locations()[rows[0]].lines.size() == 1);
}

TEST_CASE("stacks without frames, addresses beyond any file") {
  ProfileModel model = SmallModel();
  for (ProfileStack& stack : model.stacks) stack.frame = kNoRow;
  model.frames[1].address = INT64_MAX;
  const ExportedProfile profile(model, false);
  const LocationTable table(profile);
  for (const LocationTable::Location& location : table.locations()) CHECK(location.address == 0);
  std::vector<uint64_t> rows;
  table.LocationsOf(3, &rows);
  CHECK(rows.size() == 3);
}

}  // namespace
}  // namespace geckoprof
