// Counters in a real program (counter_program.cc), read back from the segments it leaves.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

struct Amount {
  int64_t count = 0, number = 0;
  bool operator==(const Amount&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Amount& amount) {
  return out << amount.count << " by " << amount.number;
}

Amount TotalOf(const CounterRow& counter) {
  Amount total;
  for (const CounterSample& sample : counter.samples) {
    total.count += sample.count;
    total.number += sample.number;
  }
  return total;
}

const CounterRow* Find(const ProcessProfile& profile, const std::string& name) {
  const auto found = std::find_if(profile.counters.begin(), profile.counters.end(),
                                  [&](const CounterRow& counter) { return counter.name == name; });
  return found == profile.counters.end() ? nullptr : &*found;
}

struct Counted {
  std::map<std::string, Amount> expected;
  int32_t child = 0;
};

Counted ReadOutput(const std::string& out) {
  Counted counted;
  std::istringstream lines(out);
  std::string name;
  while (lines >> name) {
    if (name == "child") {
      lines >> counted.child;
    } else {
      Amount amount;
      lines >> amount.count >> amount.number;
      counted.expected[name] = amount;
    }
  }
  return counted;
}

TEST_CASE("totals in the profile are what the program counted, exactly", "[counters]") {
  const SessionFolder session;
  const ProgramOutput output = RunProgram({PROGRAM_FOLDER "/counter_program", PROGRAM_FOLDER "/libcounter_plugin.so"},
                                          {"GECKOPROF_STARTUP=1", session.variable()});
  INFO(output.err);
  REQUIRE(output.status == 0);
  const Counted counted = ReadOutput(output.out);
  const ProcessProfile profile = session.ReadOnly(output.pid);
  CHECK(profile.counters.size() == counted.expected.size());
  for (const auto& [name, amount] : counted.expected) {
    INFO(name);
    const CounterRow* const counter = Find(profile, name);
    REQUIRE(counter != nullptr);
    CHECK(TotalOf(*counter) == amount);
    for (size_t i = 1; i < counter->samples.size(); ++i) {
      CHECK(counter->samples[i - 1].time_ns < counter->samples[i].time_ns);
    }
    const bool lives = name == "bytes" || name == "requests" || name == "level" || name == "forked";
    if (!lives) CHECK(counter->ended_ns > counter->since_ns);
  }
  const CounterRow* const requests = Find(profile, "requests");
  CHECK(requests->is_rate);
  CHECK(requests->color == "purple");
  CHECK(requests->samples.size() > 10);  // the sampler saw it grow
  CHECK_FALSE(Find(profile, "level")->is_rate);
  CHECK(Find(profile, "plugin_bytes")->description == "Bytes of a library that is gone");

  const ProcessProfile child = session.ReadOnly(counted.child);
  const CounterRow* const forked = Find(child, "forked");
  REQUIRE(forked != nullptr);
  CHECK(forked->samples.front().count == 7);  // of the parent
  CHECK(TotalOf(*forked) == Amount{57, 6});
  REQUIRE(Find(child, "childs_own") != nullptr);
  CHECK(TotalOf(*Find(child, "childs_own")) == Amount{4, 1});
  CHECK(Find(child, "short_00") == nullptr);
}

}  // namespace
}  // namespace geckoprof
