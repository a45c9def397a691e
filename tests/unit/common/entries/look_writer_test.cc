#include "geckoprof/entries/look_writer.h"

#include <catch2/catch.hpp>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

std::vector<LookRow> Rows(const ProcessProfile& profile) { return {profile.looks.begin(), profile.looks.end()}; }

TEST_CASE("looks come back with their costs, rounded to the unit") {
  TestSegment test;
  SampleWriter samples(&test.segment());
  LookWriter looks(&samples);
  constexpr int64_t kUnit = kLookUnitNs;
  const int64_t begin_ns = test.segment().header().created_ns;
  looks.Add({begin_ns, 10 * kUnit, 20 * kUnit, 3 * kUnit, 400 * kUnit, 1000 * kUnit});
  looks.Add({begin_ns + 50 * kUnit + 1, -5 * kUnit, kUnit / 2 - 1, kUnit / 2, 0, 1500 * kUnit + 1});
  CHECK(Rows(ReadBack(test)).empty());  // they are held
  looks.Flush();
  const std::vector<LookRow> rows = Rows(ReadBack(test));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].time_ns == begin_ns);
  CHECK(rows[0].late_ns == 10 * kUnit);
  CHECK(rows[0].upkeep_ns == 20 * kUnit);
  CHECK(rows[0].sources_ns == 3 * kUnit);
  CHECK(rows[0].threads_ns == 400 * kUnit);
  CHECK(rows[0].cpu_ns == 1000 * kUnit);
  CHECK(rows[1].time_ns == begin_ns + 50 * kUnit);
  CHECK(rows[1].late_ns == 0);  // it was woken before its time
  CHECK(rows[1].upkeep_ns == 0);
  CHECK(rows[1].sources_ns == kUnit);
  CHECK(rows[1].cpu_ns == 500 * kUnit);
}

TEST_CASE("the sums of many looks have no error of their own") {
  TestSegment test;
  SampleWriter samples(&test.segment());
  LookWriter looks(&samples);
  const int64_t begin_ns = test.segment().header().created_ns;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    looks.Add({begin_ns + i * kNsPerMs, 100, 100, 100, 100, (i + 1) * int64_t{1'111}});
  }
  looks.Flush();
  const std::vector<LookRow> rows = Rows(ReadBack(test));
  REQUIRE(rows.size() == kCount);
  int64_t cpu_ns = 0;
  for (const LookRow& row : rows) cpu_ns += row.cpu_ns;
  CHECK(std::abs(cpu_ns - kCount * int64_t{1'111}) <= kLookUnitNs);
  for (int i = 0; i < kCount; ++i) {
    if (std::abs(rows[static_cast<size_t>(i)].time_ns - begin_ns - i * kNsPerMs) > kLookUnitNs) FAIL("look " << i);
  }
  const uint64_t bytes = test.segment().header().sampler_bytes.load();
  CHECK(bytes <= kCount * 9);
}

TEST_CASE("a batch is written when it is half a second old") {
  TestSegment test;
  SampleWriter samples(&test.segment());
  LookWriter looks(&samples);
  const int64_t begin_ns = test.segment().header().created_ns;
  looks.Add({begin_ns});
  looks.Add({begin_ns + 400 * kNsPerMs});
  CHECK(Rows(ReadBack(test)).empty());
  looks.Add({begin_ns + 600 * kNsPerMs});
  CHECK(Rows(ReadBack(test)).size() == 2);
}

TEST_CASE("looks lie between the ticks and change none of them") {
  TestSegment test;
  SampleWriter samples(&test.segment());
  LookWriter looks(&samples);
  const int64_t begin_ns = test.segment().header().created_ns;
  samples.BeginTick(begin_ns);
  looks.Add({begin_ns});
  looks.Flush();
  samples.EndRun();
  looks.Add({begin_ns + kNsPerMs});
  looks.Flush();
  const ProcessProfile profile = ReadBack(test);
  CHECK(Rows(profile).size() == 2);
  CHECK(profile.losses.empty());
}

}  // namespace
}  // namespace geckoprof
