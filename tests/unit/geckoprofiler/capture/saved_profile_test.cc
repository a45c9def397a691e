#include "capture/saved_profile.h"

#include <catch2/catch.hpp>

#include "fake_base.h"

namespace geckoprof {
namespace {

TEST_CASE("each %p becomes the process's number") {
  CHECK(ExpandProcessId("/tmp/a-%p-%p.json", 42) == "/tmp/a-42-42.json");
  CHECK(ExpandProcessId("%", 42) == "%");
  CHECK(ExpandProcessId("%%p%", 42) == "%42%");
  CHECK(ExpandProcessId("", 42).empty());
}

TEST_CASE("what cannot be saved says why and leaves nothing behind") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  CHECK(SaveOwnProfile(base, nullptr).status == ProfilerStatus::kBadArgument);
  CHECK(SaveOwnProfile(base, "").status == ProfilerStatus::kBadArgument);
  CHECK(SaveOwnProfile(base, "/nowhere/at/all.json").status == ProfilerStatus::kCannotWrite);
  CHECK(SaveOwnProfile(base, "/nowhere/at/all.json").Text().find("No such file") != std::string::npos);
  CHECK(SaveOwnProfile(base, "/tmp").status == ProfilerStatus::kCannotWrite);
  CHECK(SaveOwnProfile(base, "/dev/null").status == ProfilerStatus::kInactive);
}

}  // namespace
}  // namespace geckoprof
