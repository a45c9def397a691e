#include <catch2/catch.hpp>
#include <string>

#include "geckoprofiler/c/geckoprof_output.h"
#include "runtime/api_call.h"

namespace geckoprof {
namespace {

TEST_CASE("an answer has its text, cut to what fits") {
  char text[64] = "before";
  CHECK(AnswerC({ProfilerStatus::kNoMemory, {}}, text, sizeof text) == GECKOPROF_NO_MEMORY);
  CHECK(std::string(text) == geckoprof_status_text(GECKOPROF_NO_MEMORY));
  CHECK(AnswerC({}, text, sizeof text) == GECKOPROF_DONE);
  CHECK(std::string(text).empty());
  CHECK(AnswerC({ProfilerStatus::kDone, "but"}, text, sizeof text) == GECKOPROF_DONE);
  CHECK(std::string(text) == "but");
  const ProfilerOutcome said{ProfilerStatus::kCannotWrite, "a\u00e4: no"};
  CHECK(AnswerC(said, text, sizeof text) == GECKOPROF_CANNOT_WRITE);
  CHECK(std::string(text) == "a\u00e4: no");
  CHECK(AnswerC(said, text, 3) == GECKOPROF_CANNOT_WRITE);
  CHECK(std::string(text) == "a");  // not half of a character
  CHECK(AnswerC(said, nullptr, 0) == GECKOPROF_CANNOT_WRITE);
  CHECK(AnswerC(said, text, 0) == GECKOPROF_CANNOT_WRITE);
}

// What a callback is given stays the caller's, and is given back once.
TEST_CASE("a callback's argument is released once, when it can be called no more") {
  int released = 0;
  const auto count = [](void* user) { ++*static_cast<int*>(user); };
  const auto callback = [](void*, uint32_t) {};
  CHECK(geckoprof_add_keyed_state_callback(7, 0, callback, &released, count) == GECKOPROF_OUT_OF_RANGE);
  CHECK(released == 1);
  REQUIRE(ApiCall::Run([&] {
            CHECK(geckoprof_add_keyed_state_callback(7, 4, callback, &released, count) == GECKOPROF_WRONG_THREAD);
          }) == ProfilerStatus::kDone);
  CHECK(released == 2);
  CHECK(geckoprof_add_keyed_state_callback(7, 4, callback, &released, count) == GECKOPROF_DONE);
  CHECK(geckoprof_add_keyed_state_callback(7, 4, callback, &released, count) == GECKOPROF_DONE);
  CHECK(released == 2);
  CHECK(geckoprof_remove_state_callback(7) == GECKOPROF_DONE);
  CHECK(released == 4);
  CHECK(geckoprof_remove_state_callback(7) == GECKOPROF_UNCHANGED);
}

// As a handler or an allocator of the program's that interrupted the library.
TEST_CASE("from inside the library callbacks are refused as every other call is") {
  int added = -1, removed = -1, after = -1;
  REQUIRE(ApiCall::Run([&] {
            added = geckoprof_add_state_callback(
                4, [](void*, uint32_t) {}, nullptr, nullptr);
            removed = geckoprof_remove_state_callback(1);
            after = geckoprof_call_after_sampling([](void*, uint32_t) {}, nullptr);
          }) == ProfilerStatus::kDone);
  CHECK(added == GECKOPROF_WRONG_THREAD);
  CHECK(removed == GECKOPROF_WRONG_THREAD);
  CHECK(after == GECKOPROF_WRONG_THREAD);
}

TEST_CASE("wrong arguments of C are answered before anything is done") {
  CHECK(geckoprof_get_profile(nullptr, nullptr, nullptr, 0) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_save_profile(nullptr, nullptr, 0) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_stream_profile(nullptr, nullptr, nullptr, 0) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_add_state_callback(4, nullptr, nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_add_state_callback(
            256, [](void*, uint32_t) {}, nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_remove_state_callback(1234) == GECKOPROF_UNCHANGED);
  CHECK(geckoprof_call_after_sampling(nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  geckoprof_start_parameters wrong = GECKOPROF_START_PARAMETERS;
  wrong.size_bytes = 3;
  CHECK(geckoprof_start(&wrong, nullptr) == GECKOPROF_OUT_OF_RANGE);
  geckoprof_start_outcome small = GECKOPROF_START_OUTCOME;
  small.size_bytes = 4;
  CHECK(geckoprof_start(nullptr, &small) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_control(99, nullptr, 0) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_visit_start_parameters(nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_get_buffer_range(nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_sample_thread(0, 0, nullptr, nullptr, 0) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_capture_backtrace_into(nullptr, 1) == 0);
  CHECK(geckoprof_copy_backtrace(nullptr) == nullptr);
  CHECK(geckoprof_get_backtrace_info(nullptr, nullptr) == GECKOPROF_OUT_OF_RANGE);
  CHECK(geckoprof_backtrace_size(nullptr) == 0);
  CHECK(geckoprof_backtrace_frame(nullptr, 0, nullptr) == GECKOPROF_OUT_OF_RANGE);
  geckoprof_free_backtrace(nullptr);
  geckoprof_free_profile(nullptr);
  CHECK(std::string(geckoprof_status_text(-1)) == "unknown");
  CHECK(std::string(geckoprof_status_text(100)) == "unknown");
}

}  // namespace
}  // namespace geckoprof
