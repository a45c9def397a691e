// C++ over the shim, before there is a library and once there is one: a process has that once, so there is one case.
#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

#include <string.h>

#include <catch2/catch.hpp>

#include "baseprofiler/profiler_counter.h"
#include "baseprofiler/time_stamp.h"

namespace geckoprof {
namespace {

internal::LazyCounter g_counter("shimmed", "Things", "counted before there is a library", {}, false);

TEST_CASE("without a library all is nothing, with one it is something, with an older one all that it has") {
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

  geckoprof_marker_site site = {sizeof(geckoprof_marker_site), 1 << 8, "shimmed", nullptr, 0};
  CHECK(geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_NOW, 0, 0, 0) == nullptr);
  REQUIRE(geckoprof_base_start(1 << 20, 10'000'000, 0, nullptr, 0, 0) == 0);
  CHECK(geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_NOW, 0, 0, 0) != nullptr);
  void* const to = geckoprof_base_begin_in_place(&site, GECKOPROF_MARKER_INTERVAL, 5, 6, 1);
  REQUIRE(to != nullptr);
  memset(to, 0, 1);
  geckoprof_base_end_in_place(0);
  geckoprof_shim_table.set_process_name = nullptr;  // the library is an older one
  geckoprof_base_set_process_name("nobody hears it");
  CHECK(geckoprof_base_stop() == 1);
}

}  // namespace
}  // namespace geckoprof
