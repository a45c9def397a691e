#include "tools/compare/budget.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

RunFigures Run(double self, double cpu_ms, double count) {
  RunFigures run;
  run.samples = 100;
  run.has_cpu_times = true;
  run.cpu_ms = cpu_ms;
  run.functions[{"foo(int)", ""}].self_share = self;
  run.functions[{"foobar", ""}].self_share = 0.01;
  run.functions[{"operator>", "x"}].self_cpu_ms = cpu_ms;
  run.markers["req:a"] = {count, 10 * count, 10};
  return run;
}

bool IsExceeded(std::string_view text, const std::vector<RunFigures>& before, const std::vector<RunFigures>& after) {
  const absl::StatusOr<Budget> budget = Budget::Parse(text);
  INFO(text);
  REQUIRE(budget.ok());
  return budget->Check(Comparison(before, after), 0.05).is_exceeded;
}

TEST_CASE("limits of every kind") {
  const std::vector<RunFigures> before = {Run(0.10, 100, 4)}, after = {Run(0.11, 108, 7)};
  const struct {
    const char* text;
    bool exceeded;
  } cases[] = {{"self:foo>+5%", true},
               {"self:foo>+15%", false},
               {"self:foo>+0.5pp", true},
               {"self:foo>+2pp", false},
               {"self:foo>10%", true},
               {"self:foo>12%", false},
               {"self:foo(int)>+5%", true},
               {"self:fo>+5%", false},
               {"self:foo*>+9.5%", false},
               {"self:foo*>+9%", true},
               {"self-cpu:operator>>+5%", true},
               {"cpu>+7ms", true},
               {"cpu>+9ms", false},
               {"cpu>0.1s", true},
               {"cpu<+10%", true},
               {"cpu<-1us", false},
               {"marker-count:req:a>+2", true},
               {"marker-count:req:a>7", false},
               {"marker-median:req:a>+0%", false},
               {"marker-total:req*>+50%", true},
               {"total:none>+5%", false}};
  for (const auto& budget : cases) CHECK(IsExceeded(budget.text, before, after) == budget.exceeded);
  CHECK_FALSE(Budget::Parse("self:none>+5%")->Check(Comparison(before, after), 0.05).is_known);
  CHECK(IsExceeded("self:new>+5%", {Run(0, 0, 0)}, {Run(0, 0, 0)}) == false);
}

TEST_CASE("what was not there before exceeds any relative limit") {
  CHECK(IsExceeded("cpu>+500%", {Run(0.1, 0, 1)}, {Run(0.1, 1, 1)}));
}

TEST_CASE("what was not measured is neither kept nor exceeded") {
  const std::vector<RunFigures> good = {Run(0.1, 100, 1)};
  std::vector<RunFigures> timeless = good, empty(1), marked(1);
  timeless[0].has_cpu_times = false;
  empty[0].has_cpu_times = true;
  marked[0].markers = good[0].markers;
  const auto is_measured = [](const char* text, const std::vector<RunFigures>& before,
                              const std::vector<RunFigures>& after) {
    const Budget::Result result = Budget::Parse(text)->Check(Comparison(before, after), 0.05);
    if (!result.is_measured) CHECK_FALSE((result.is_known || result.is_exceeded));
    return result.is_measured;
  };
  for (const char* of_cpu : {"cpu>+3%", "cpu<1s", "total-cpu:operator*>+1ms", "self-cpu:operator>>+5%"}) {
    INFO(of_cpu);
    CHECK(is_measured(of_cpu, good, good));
    CHECK_FALSE(is_measured(of_cpu, good, timeless));
    CHECK_FALSE(is_measured(of_cpu, timeless, good));
    CHECK_FALSE(is_measured(of_cpu, {good[0], timeless[0]}, good));
    CHECK_FALSE(is_measured(of_cpu, empty, empty));
  }
  CHECK(is_measured("self:foo>+5%", timeless, timeless));
  for (const char* any : {"self:foo>+5%", "total:none>5%", "marker-count:req:a>+2", "marker-total:req*>+50%"}) {
    INFO(any);
    CHECK_FALSE(is_measured(any, empty, good));
    CHECK_FALSE(is_measured(any, good, empty));
    CHECK(is_measured(any, {good[0], empty[0]}, good));
  }
  CHECK(is_measured("marker-count:req:a>+2", marked, marked));
  CHECK_FALSE(is_measured("self:foo>+5%", marked, marked));
}

TEST_CASE("with enough runs a change must be significant, too") {
  std::vector<RunFigures> before, noisy, slower;
  for (int i = 0; i < 4; ++i) {
    before.push_back(Run(0.1, 100 + 10 * i, 1));
    noisy.push_back(Run(0.1, 104 + 11 * i, 1));
    slower.push_back(Run(0.1, 150 + 10 * i, 1));
  }
  CHECK_FALSE(IsExceeded("cpu>+2%", before, noisy));
  CHECK(IsExceeded("cpu>+2%", before, slower));
  CHECK(IsExceeded("cpu>100ms", before, noisy));  // no change is asked for
  before.resize(2);
  noisy.resize(2);
  CHECK(IsExceeded("cpu>+2%", before, noisy));  // so few cannot be significant: the means decide
}

TEST_CASE("what is no budget") {
  for (const char* text : {"",
                           "self",
                           "self:foo",
                           "self>+5%",
                           "self:>+5%",
                           "speed:foo>+5%",
                           "self:foo>",
                           "self:foo>+",
                           "self:foo>+5",
                           "self:foo>+5ms",
                           "self:foo>5pp",
                           "cpu:x>+5%",
                           "cpu:>+5%",
                           "cpu>5%",
                           "cpu>+5",
                           "marker-count:a>+5ms",
                           "self:foo>+-5%",
                           "self:foo>+1e999%",
                           "self:foo>+nan%",
                           "self:foo>+5%x"}) {
    INFO(text);
    CHECK_FALSE(Budget::Parse(text).ok());
  }
}

TEST_CASE("a star at the end is the name's own where a run has such a name, else a prefix") {
  const auto run = [](std::vector<std::string> names) {
    RunFigures figures;
    figures.samples = 100;
    for (const std::string& name : names) figures.functions[{name, ""}].self_share = 0.1;
    return std::vector<RunFigures>{figures};
  };
  const auto without = run({"operator+", "operator new(unsigned long)"});
  CHECK(IsExceeded("self:operator*>15%", without, without));
  const auto with = run({"operator+", "operator*(M const&, M const&)"});
  CHECK(IsExceeded("self:operator*>5%", with, with));
  CHECK_FALSE(IsExceeded("self:operator*>15%", with, with));
  CHECK_FALSE(Budget::Parse("self:none*>5%")->Check(Comparison(with, with), 0.05).is_known);
}

}  // namespace
}  // namespace geckoprof
