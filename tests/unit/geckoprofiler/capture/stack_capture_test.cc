#include "capture/stack_capture.h"

#include <catch2/catch.hpp>

#include "fake_base.h"

namespace geckoprof {
namespace {

TEST_CASE("what base captured becomes frames, without native ones if so asked") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  Backtrace frames;
  StackCapture capture(base);
  REQUIRE(capture.Capture({ThreadId::FromNumber(7), false, 5}, frames).status == ProfilerStatus::kDone);
  CHECK(fake.calls.back() == "sample 7");
  CHECK(frames.is_main());
  CHECK(frames.innermost_address() == 0x1234);
  REQUIRE(frames.size() == 1);
  CHECK(frames.frame(0).label == "fake label");
  CHECK(frames.frame(0).category_pair == 0x100);
}

TEST_CASE("a refusal leaves no frames") {
  FakeBase fake;
  fake.sample_result = static_cast<int32_t>(HandoverSample::kSignalBlocked);
  const BaseLink base(&fake.table);
  Backtrace frames;
  frames.AddAddress(1);
  StackCapture capture(base);
  CHECK(capture.Capture({}, frames).status == ProfilerStatus::kThreadDeaf);
  CHECK(frames.empty());
  const BaseLink none(nullptr);
  CHECK(StackCapture(none).Capture({}, frames).status == ProfilerStatus::kNoBase);
}

TEST_CASE("a backtrace owns its labels, also when it is moved") {
  Backtrace first;
  first.AddAddress(0);  // none
  first.AddAddress(0x10);
  {
    const std::string label(100, 'x');
    first.AddLabel(label, 0x201);
  }
  first.AddLabel("", 0);
  first.set_complete(true);
  const Backtrace second = std::move(first);
  REQUIRE(second.size() == 3);
  CHECK((second.frame(0).address == 0x10 && !second.frame(0).is_label()));
  CHECK((second.frame(1).is_label() && second.frame(1).label == std::string(100, 'x')));
  CHECK(second.frame(1).category_pair == 0x201);
  CHECK((second.frame(2).is_label() && second.frame(2).label.empty()));
  CHECK(second.is_complete());
}

}  // namespace
}  // namespace geckoprof
