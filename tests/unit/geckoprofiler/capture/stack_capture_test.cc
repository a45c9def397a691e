#include "capture/stack_capture.h"

#include <catch2/catch.hpp>

#include "fake_base.h"

namespace geckoprof {
namespace {

TEST_CASE("what base captured becomes frames, without native ones if so asked") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  ProfilerBacktrace frames;
  StackCapture::Taken taken{frames};
  StackCapture capture(base);
  REQUIRE(capture.Take({ThreadId::FromNumber(7), false, 5}, taken).status == ProfilerStatus::kDone);
  CHECK(fake.calls.back() == "sample 7");
  CHECK(taken.is_main);
  CHECK(taken.innermost_address == 0x1234);
  REQUIRE(frames.size() == 1);
  CHECK(frames.frame(0).label == "fake label");
  CHECK(frames.frame(0).category_pair == 0x100);
}

TEST_CASE("a refusal leaves no frames") {
  FakeBase fake;
  fake.sample_result = static_cast<int32_t>(HandoverSample::kDeaf);
  const BaseLink base(&fake.table);
  ProfilerBacktrace frames;
  frames.AddAddress(1);
  StackCapture::Taken taken{frames};
  StackCapture capture(base);
  CHECK(capture.Take({}, taken).status == ProfilerStatus::kThreadDeaf);
  CHECK(frames.empty());
  const BaseLink none(nullptr);
  CHECK(StackCapture(none).Take({}, taken).status == ProfilerStatus::kNoBase);
}

}  // namespace
}  // namespace geckoprof
