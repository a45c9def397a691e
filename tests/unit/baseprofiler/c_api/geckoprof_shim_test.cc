// C++ over the shim, before there is a library and once there is one: a process has that once, so there is one case.
#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

#include <catch2/catch.hpp>

#include "baseprofiler/detail/lazy_counter.h"
#include "baseprofiler/time_stamp.h"

namespace geckoprof {
namespace {

internal::LazyCounter g_counter("shimmed", "Things", "counted before there is a library", {}, false);

TEST_CASE("moments, differences and counters are nothing without a library, and something once it is there") {
  REQUIRE(geckoprof_base_is_here() == 0);
  CHECK(TimeStamp::Now().IsNull());
  CHECK((TimeStamp::Now() - TimeStamp::Now()).IsZero());
  CHECK(TimeStamp(3'000) - TimeStamp(1'000) == TimeDuration(std::chrono::nanoseconds(2'000)));
  CHECK(TimeStamp(1'000) + TimeDuration(std::chrono::nanoseconds(2'000)) == TimeStamp(3'000));
  CHECK(g_counter.Handle() == nullptr);
  geckoprof_base_set_process_name("nobody hears it");

  REQUIRE(geckoprof_shim_bind(BASE_LIBRARY) == 1);
  const TimeStamp start = TimeStamp::Now();
  CHECK_FALSE(start.IsNull());
  while (TimeStamp::Now() - start < TimeDuration::FromMicroseconds(50)) {
  }
  CHECK(TimeStamp::Now() > start);
  CHECK(g_counter.Handle() != nullptr);
  geckoprof_base_set_process_name("shimmed");
}

}  // namespace
}  // namespace geckoprof
