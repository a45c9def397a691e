#include "api/guarded_call.h"

#include <catch2/catch.hpp>
#include <new>
#include <string>

#include "geckoprofiler/c/geckoprof_output.h"
#include "runtime/api_call.h"

namespace geckoprof {
namespace {

TEST_CASE("memory that runs out is an answer, and everything has its text") {
  char text[64] = "before";
  CHECK(GuardedCall::Run([]() -> ProfilerOutcome { throw std::bad_alloc(); }, text, sizeof text) ==
        GECKOPROF_NO_MEMORY);
  CHECK(std::string(text) == geckoprof_status_text(GECKOPROF_NO_MEMORY));
  CHECK(GuardedCall::Run([] { return ProfilerOutcome{}; }, text, sizeof text) == GECKOPROF_DONE);
  CHECK(std::string(text).empty());
  const ProfilerOutcome said{ProfilerStatus::kCannotWrite, "aä: no"};
  CHECK(GuardedCall::Answer(said, text, sizeof text) == GECKOPROF_CANNOT_WRITE);
  CHECK(std::string(text) == "aä: no");
  CHECK(GuardedCall::Answer(said, text, 3) == GECKOPROF_CANNOT_WRITE);
  CHECK(std::string(text) == "a");  // not half of a character
  CHECK(GuardedCall::Answer(said, nullptr, 0) == GECKOPROF_CANNOT_WRITE);
  CHECK(GuardedCall::Answer(said, text, 0) == GECKOPROF_CANNOT_WRITE);
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
  CHECK(geckoprof_backtrace_size(nullptr) == 0);
  CHECK(geckoprof_backtrace_frame(nullptr, 0, nullptr) == GECKOPROF_OUT_OF_RANGE);
  geckoprof_free_backtrace(nullptr);
  geckoprof_free_profile(nullptr);
  CHECK(std::string(geckoprof_status_text(-1)) == "unknown");
  CHECK(std::string(geckoprof_status_text(100)) == "unknown");
}

}  // namespace
}  // namespace geckoprof
