#include "geckoprof/entries/metadata_writer.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/read_back.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

TEST_CASE("threads, modules and the process come back as they were described") {
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  const std::string_view arguments[] = {"prog", "--fast", ""};
  const std::string_view filters[] = {"GeckoMain", "Worker"};
  CHECK(metadata.Process("/usr/bin/prog", arguments));
  CHECK(metadata.Filters(filters));
  CHECK(metadata.Thread(ThreadIndex::FromNumber(1), ThreadId::FromNumber(50), false, 100, "worker"));
  CHECK(metadata.Thread(ThreadIndex::FromNumber(2), ThreadId::FromNumber(40), true, 200, "prog"));
  CHECK(metadata.ThreadName(ThreadIndex::FromNumber(1), "Worker 1"));
  CHECK(metadata.ThreadEnd(ThreadIndex::FromNumber(1), 900));
  CHECK(metadata.Module(5, 100, 0x1000, 0x2000, static_cast<uint64_t>(-0x400), "/lib/a b.so",
                        std::string_view("\1\0\2", 3)));
  CHECK(metadata.ModuleEnd(5, 800));
  CHECK(metadata.Interval(300, 10'000'000, 250));
  CHECK(metadata.Problem("GECKOPROF_STARTUP_INTERVAL is odd"));

  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.executable == "/usr/bin/prog");
  CHECK(profile.arguments == std::vector<std::string>{"prog", "--fast", ""});
  CHECK(profile.filters == std::vector<std::string>{"GeckoMain", "Worker"});
  REQUIRE(profile.threads.size() == 2);
  CHECK(profile.threads[0].is_main);  // the main thread first, whatever the order of registration
  CHECK(profile.threads[1].name == "Worker 1");
  CHECK(profile.threads[1].tid == 50);
  CHECK(profile.threads[1].unregistered_ns == 900);
  REQUIRE(profile.libraries.size() == 1);
  CHECK(profile.libraries[0].path == "/lib/a b.so");
  CHECK(profile.libraries[0].build_id == std::string("\1\0\2", 3));
  CHECK(profile.libraries[0].bias == static_cast<uint64_t>(-0x400));
  CHECK(profile.libraries[0].unmapped_ns == 800);
  REQUIRE(profile.earlier_intervals.size() == 1);
  CHECK(profile.earlier_intervals[0].until_ns == 300);
  CHECK(profile.earlier_intervals[0].interval_ns == 10'000'000);
  CHECK(profile.earlier_intervals[0].limited_share == 250);
  CHECK(profile.problems.size() == 2);  // the other one tells of the limit
}

TEST_CASE("a command line of any length fits, as far as it goes") {
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  const std::string huge(3000, 'x');
  const std::string_view arguments[] = {"cc", huge, huge};
  CHECK(metadata.Process("/usr/bin/cc", arguments));
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.executable == "/usr/bin/cc");
  CHECK(profile.arguments.size() == 2);
}

TEST_CASE("a very long path does not take the build id with it") {
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  CHECK(metadata.Module(1, 1, 1, 2, 0, std::string(10'000, 'p'), "id"));
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.libraries.size() == 1);
  CHECK(profile.libraries[0].build_id == "id");
}

TEST_CASE("a counter comes back as it was described, and ended") {
  TestSegment test;
  MetadataWriter metadata(&test.segment());
  CounterDefinition definition;
  definition.id = 3;
  definition.flags = kCounterHasNumber | kCounterIsRate;
  definition.since_ns = 100;
  definition.count = -5;
  definition.number = 2;
  definition.name = "requests";
  definition.category = "Server";
  definition.description = "Requests answered";
  definition.unit = "requests";
  definition.color = "purple";
  CHECK(metadata.Counter(definition));
  CHECK(metadata.CounterEnd(3, 900, 10, 12));
  const ProcessProfile profile = ReadBack(test);
  REQUIRE(profile.counters.size() == 1);
  const CounterRow& counter = profile.counters[0];
  CHECK(counter.name == "requests");
  CHECK(counter.category == "Server");
  CHECK(counter.description == "Requests answered");
  CHECK(counter.unit == "requests");
  CHECK(counter.color == "purple");
  CHECK(counter.has_number);
  CHECK(counter.is_rate);
  CHECK(counter.since_ns == 100);
  CHECK(counter.ended_ns == 900);
  CHECK(counter.samples.front().count == -5);
  CHECK(counter.samples.back().count == 15);
  CHECK(counter.samples.back().number == 10);
}

}  // namespace
}  // namespace geckoprof
