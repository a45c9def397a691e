#include "sampler/overhead_limit.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

constexpr uint32_t kTwoPercent = 200;

// A profiler whose time is a share of a core at the asked interval, and falls with the rate.
class Model {
 public:
  Model(uint32_t limit, int64_t interval_ns) : asked_ns_(interval_ns), interval_ns_(interval_ns) {
    limit_.Begin(limit, interval_ns);
    Run(0, 0, OverheadLimit::kWindowNs);  // sets the begin of the first window
  }

  // Runs for `ns` with windows of the least length. The profiler would take `share` of a core at the asked interval,
  // and the program takes `cores`.
  // The part `fixed` of it does not fall with the rate.
  void Run(double share, double cores, int64_t ns, double fixed = 0) {
    for (const int64_t end_ns = now_.time_ns + ns; now_.time_ns < end_ns;) {
      const auto rate = static_cast<double>(asked_ns_) / static_cast<double>(interval_ns_);
      now_.time_ns += OverheadLimit::kWindowNs;
      const double samples_ns = (share - fixed) * rate * static_cast<double>(OverheadLimit::kWindowNs);
      now_.samples_ns += static_cast<int64_t>(samples_ns);
      now_.profiler_ns += static_cast<int64_t>(samples_ns + fixed * static_cast<double>(OverheadLimit::kWindowNs));
      now_.program_ns += static_cast<int64_t>(cores * static_cast<double>(OverheadLimit::kWindowNs));
      if (!limit_.IsDue(now_.time_ns)) continue;
      const int64_t next_ns = limit_.Judge(now_);
      if (next_ns != interval_ns_) ++changes_;
      interval_ns_ = next_ns;
    }
  }

  int64_t interval_ns() const { return interval_ns_; }
  int changes() const { return changes_; }
  const OverheadLimit& limit() const { return limit_; }

 private:
  OverheadLimit limit_;
  OverheadLimit::Spent now_ = {OverheadLimit::kWindowNs, 0, 0, 0};
  int64_t asked_ns_, interval_ns_;
  int changes_ = 0;
};

TEST_CASE("there is no limit unless one is asked for") {
  Model model(0, kNsPerMs);
  model.Run(0.9, 1, 60 * kNsPerSecond);
  CHECK(model.interval_ns() == kNsPerMs);
  CHECK_FALSE(model.limit().IsDue(INT64_MAX));
}

TEST_CASE("a share below the limit changes nothing") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.019, 1, 60 * kNsPerSecond);
  CHECK(model.changes() == 0);
}

TEST_CASE("the interval grows by the steps that the share needs") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.14, 1, 3 * kNsPerSecond);
  CHECK(model.interval_ns() == 8 * kNsPerMs);
  CHECK(model.changes() == 1);
  CHECK(model.limit().asked_ns() == kNsPerMs);
}

TEST_CASE("the CPU time of the program counts if it is more than a core") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.07, 4, 10 * kNsPerSecond);  // 1.75 % of four cores
  CHECK(model.changes() == 0);
  model.Run(0.07, 2, 10 * kNsPerSecond);
  CHECK(model.interval_ns() == 2 * kNsPerMs);
}

TEST_CASE("the work at the begin and after a change is not judged") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.9, 1, OverheadLimit::kWindowNs);
  CHECK(model.changes() == 0);
  model.Run(0.07, 1, OverheadLimit::kWindowNs);
  CHECK(model.interval_ns() == 4 * kNsPerMs);
  model.Run(0.9, 1, OverheadLimit::kWindowNs);
  CHECK(model.changes() == 1);
}

TEST_CASE("the interval shrinks to the asked one, and not below it") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.14, 1, 3 * kNsPerSecond);
  model.Run(0.001, 1, 60 * kNsPerSecond);
  CHECK(model.interval_ns() == kNsPerMs);
  CHECK(model.changes() == 2);
}

TEST_CASE("the interval shrinks only as far as the share is sure to stay below the limit") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.14, 1, 3 * kNsPerSecond);
  model.Run(0.03, 1, 60 * kNsPerSecond);  // 0.375 % at 8 ms, and 1.5 % at 2 ms
  CHECK(model.interval_ns() == 2 * kNsPerMs);
}

TEST_CASE("work that does not depend on the interval does not keep it long") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.14, 1, 3 * kNsPerSecond);
  model.Run(0.015, 1, 60 * kNsPerSecond, 0.012);  // 1.2 % at any interval
  CHECK(model.interval_ns() == kNsPerMs);
}

TEST_CASE("a share just below the limit does not shrink the interval") {
  Model model(kTwoPercent, kNsPerMs);
  model.Run(0.14, 1, 3 * kNsPerSecond);
  model.Run(0.08, 1, 600 * kNsPerSecond);  // 1 % at 8 ms, and 2 % at 4 ms
  CHECK(model.interval_ns() == 8 * kNsPerMs);
}

TEST_CASE("a load that comes and goes changes the interval ever less often") {
  Model model(kTwoPercent, kNsPerMs);
  int first = 0;
  for (int minute = 0; minute < 20; ++minute) {
    for (int i = 0; i < 6; ++i) {
      model.Run(0.14, 1, 3 * kNsPerSecond);
      model.Run(0.001, 1, 7 * kNsPerSecond);
    }
    if (minute == 0) first = model.changes();
  }
  CHECK(first > 4);
  CHECK(model.changes() < first * 8);
}

TEST_CASE("the interval has an upper bound") {
  Model model(kTwoPercent, 300 * kNsPerMs);
  model.Run(50, 1, 60 * kNsPerSecond);
  CHECK(model.interval_ns() == 600 * kNsPerMs);
}

}  // namespace
}  // namespace geckoprof
