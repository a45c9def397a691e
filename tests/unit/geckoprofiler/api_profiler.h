// A FullProfiler for tests, called as the API calls it.
#ifndef GECKOPROF_TESTS_UNIT_GECKOPROFILER_API_PROFILER_H_
#define GECKOPROF_TESTS_UNIT_GECKOPROFILER_API_PROFILER_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/full_profiler.h"
#include "core/start_request.h"
#include "runtime/api_call.h"

namespace geckoprof {

inline FullProfiler::StartRequest Request(uint32_t features = 0, double interval_ms = 1, bool keep_same = false) {
  return {MakeStartRequest(0, interval_ms, features, nullptr, 0, std::nullopt), keep_same};
}

// ApiProfiler: each call goes through the API's door, and the end unloads it.
class ApiProfiler : public FullProfiler {
 public:
  using FullProfiler::FullProfiler;
  ~ApiProfiler() { Unload(); }  // its thread too
  ProfilerOutcome Init() {
    return ApiCall::Outcome([this] { return FullProfiler::Init(); });
  }
  ProfilerOutcome Shutdown() {
    return ApiCall::Outcome([this] { return FullProfiler::Shutdown(); });
  }
  ProfilerOutcome Stop() {
    return ApiCall::Outcome([this] { return FullProfiler::Stop(); });
  }
  ProfilerOutcome Pause(uint32_t kind) {
    return ApiCall::Outcome([this, kind] { return FullProfiler::Pause(kind); });
  }
  ProfilerOutcome Resume(uint32_t kind) {
    return ApiCall::Outcome([this, kind] { return FullProfiler::Resume(kind); });
  }
  ProfilerStartResult Start(const StartRequest& request) {
    ProfilerStartResult result;
    CHECK(ApiCall::Run([&] { result = FullProfiler::Start(request); }) == ProfilerStatus::kDone);
    return result;
  }
  bool CallAfterSampling(PostSamplingCallback callback) {
    bool added = false;
    (void)ApiCall::Run([&] { added = FullProfiler::CallAfterSampling(std::move(callback)); });
    return added;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_GECKOPROFILER_API_PROFILER_H_
