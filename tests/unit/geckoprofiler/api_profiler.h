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
  geckoprof_start_parameters wanted = GECKOPROF_START_PARAMETERS;
  wanted.features = features;
  wanted.interval_ns = static_cast<int64_t>(interval_ms * 1e6);
  return {MakeStartRequest(wanted), keep_same};
}

// ApiProfiler: each call goes through the API's door, and the end unloads it.
class ApiProfiler : public FullProfiler {
 public:
  using FullProfiler::FullProfiler;
  ~ApiProfiler() { Unload(); }  // its thread too
  ProfilerOutcome Init() {
    return ApiCall::Answer([this] { return FullProfiler::Init(); });
  }
  ProfilerOutcome Shutdown() {
    return ApiCall::Answer([this] { return FullProfiler::Shutdown(); });
  }
  ProfilerOutcome Stop() {
    return ApiCall::Answer([this] { return FullProfiler::Stop(); });
  }
  ProfilerOutcome Pause(uint32_t kind) {
    return ApiCall::Answer([this, kind] { return FullProfiler::Pause(kind); });
  }
  ProfilerOutcome Resume(uint32_t kind) {
    return ApiCall::Answer([this, kind] { return FullProfiler::Resume(kind); });
  }
  FullProfiler::StartResult Start(const StartRequest& request) {
    FullProfiler::StartResult result;
    CHECK(ApiCall::Run([&] { result = FullProfiler::Start(request); }) == ProfilerStatus::kDone);
    return result;
  }
  bool CallAfterSampling(SamplingCallback callback) {
    bool added = false;
    (void)ApiCall::Run([&] { added = FullProfiler::CallAfterSampling(std::move(callback)); });
    return added;
  }
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_GECKOPROFILER_API_PROFILER_H_
