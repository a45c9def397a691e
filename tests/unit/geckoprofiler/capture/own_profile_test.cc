#include "capture/own_profile.h"

#include <catch2/catch.hpp>
#include <string>

#include "fake_base.h"

namespace geckoprof {
namespace {

TEST_CASE("what is mapped from a file is found by its address") {
  // This program's own code lies in this program's file.
  CHECK(PathOfMapping(reinterpret_cast<const void*>(&PathOfMapping)).find("full_core_test") != std::string::npos);
  const int on_the_stack = 0;
  CHECK(PathOfMapping(&on_the_stack).empty());
  CHECK(PathOfMapping(nullptr).empty());
}

TEST_CASE("without a recording there is no profile, and the reason is said") {
  FakeBase fake;
  std::string json;
  const BaseLink base(&fake.table);
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kInactive);
  CHECK(WriteOwnProfile(BaseLink(nullptr), StringSink(&json)).status == ProfilerStatus::kNoBase);
  fake.StartByBase();
  const int anonymous = 0;
  fake.segment = &anonymous;
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kGenerationFailed);
  fake.table.size_bytes = offsetof(HandoverTable, segment);
  CHECK(WriteOwnProfile(base, StringSink(&json)).status == ProfilerStatus::kOldBase);
  CHECK(json.empty());
}

}  // namespace
}  // namespace geckoprof
