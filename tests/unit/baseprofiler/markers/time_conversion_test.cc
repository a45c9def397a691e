#include "markers/time_conversion.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>

#include "baseprofiler/time_stamp.h"
#include "geckoprof/entries/entry_format.h"

namespace geckoprof {
namespace {

using namespace std::chrono_literals;

uint64_t CyclesNow() { return ReadCycleCounter() | kTimeIsCycles; }
void Spin(int64_t ns) {
  for (const int64_t until_ns = MonotonicNs() + ns; MonotonicNs() < until_ns;) {
  }
}

TEST_CASE("times in ns differ by what they say, and a null one by nothing") {
  CHECK(TimeConversion::NsBetween(1'000, 1'500) == 500);
  CHECK(TimeConversion::NsBetween(1'500, 1'000) == -500);
  CHECK((TimeConversion::NsBetween(0, 5) == 0 && TimeConversion::NsBetween(5, 0) == 0));
}

TEST_CASE("times of the counter, and mixed ones, differ by what passed in between") {
  TimeConversion::SetFirst(ReadClocks(64).pair);
  Spin(2 * kNsPerMs);
  const int64_t begin_ns = MonotonicNs();
  const uint64_t begin = CyclesNow();
  Spin(5 * kNsPerMs);
  const uint64_t end = CyclesNow();
  const int64_t end_ns = MonotonicNs();
  const auto is_near = [&](int64_t ns) { return std::abs(ns - (end_ns - begin_ns)) < kNsPerMs; };
  CHECK(is_near(TimeConversion::NsBetween(begin, end)));
  CHECK(is_near(-TimeConversion::NsBetween(end, begin)));
  CHECK(is_near(TimeConversion::NsBetween(static_cast<uint64_t>(begin_ns), end)));
  CHECK(is_near(TimeConversion::NsBetween(begin, static_cast<uint64_t>(end_ns))));
}

TEST_CASE("moments are compared, moved and subtracted as the original's") {
  const TimeStamp early = 1'000'000, late = 3'500'000, null;
  CHECK((early < late && late > early && early != late && early == TimeStamp(1'000'000) && null < early));
  CHECK((late - early).ToMilliseconds() == 2.5);
  CHECK((early - late).ToMicroseconds() == -2500);
  CHECK(early + TimeDuration::FromMilliseconds(2.5) == late);
  CHECK(late - 2500us == early);
  CHECK(((early - 5s).time() == 1 && (null + 5s).IsNull() && (late - null).IsZero()));
  CHECK((TimeStamp(-5).time() == 1 && TimeStamp(0).IsNull()));
  TimeStamp moved = early;
  moved += TimeDuration::FromSeconds(1);
  CHECK((moved - early).ToSeconds() == 1);
  const TimeStamp cycles = TimeStamp::FromTime(CyclesNow());
  CHECK((cycles == cycles && cycles > early && cycles + 1h > cycles && cycles - 1h < cycles));
}

TEST_CASE("moments are in one order, to the tick") {
  const uint64_t tick = CyclesNow();
  const TimeStamp first = TimeStamp::FromTime(tick), next = TimeStamp::FromTime(tick + 1);
  CHECK((first < next && next > first && first != next && first == TimeStamp::FromTime(tick)));
  // Of the two clocks, too: what is at one ns by the one is behind it by the other.
  TimeConversion::SetFirst(ReadClocks(64).pair);
  Spin(kNsPerMs);
  const TimeStamp early = MonotonicNs();
  Spin(kNsPerMs);
  const TimeStamp between = TimeStamp::FromTime(CyclesNow());
  Spin(kNsPerMs);
  const TimeStamp late = MonotonicNs();
  CHECK((early < between && between < late && early < late && between > early && late > between));
  CHECK((TimeStamp() < first && !(first < TimeStamp()) && between + TimeDuration() == between));
}

TEST_CASE("a moment is moved by any duration, and stays one") {
  const TimeStamp moment = 1'000;
  CHECK((moment - TimeDuration(std::chrono::nanoseconds::min())).time() == INT64_MAX / 2);
  CHECK((moment + TimeDuration(std::chrono::nanoseconds::min())).time() == 1);
  CHECK((moment - TimeDuration(std::chrono::nanoseconds::max())).time() == 1);
  CHECK((moment + TimeDuration(std::chrono::nanoseconds::max())).time() == INT64_MAX / 2);
}

TEST_CASE("durations beyond 64 bits are the longest, what is no number is none") {
  CHECK(TimeDuration::FromSeconds(1e300) == std::chrono::nanoseconds::max());
  CHECK(TimeDuration::FromSeconds(-1e300) == std::chrono::nanoseconds::min());
  CHECK(TimeDuration::FromSeconds(std::numeric_limits<double>::quiet_NaN()).IsZero());
  CHECK((TimeDuration(1500us).ToMilliseconds() == 1.5 && TimeDuration::Zero().IsZero()));
}

TEST_CASE("durations convert and calculate as those of std::chrono") {
  using std::chrono::duration;
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  using std::chrono::nanoseconds;
  for (const int64_t ns : {int64_t{0}, int64_t{1'999'999}, int64_t{-1'999'999}, INT64_MAX, INT64_MIN}) {
    const TimeDuration converted = nanoseconds(ns);
    CHECK(converted.count() == ns);
    CHECK(milliseconds(converted) == duration_cast<milliseconds>(nanoseconds(ns)));
    CHECK((duration<double>(converted).count()) == (duration<double>(nanoseconds(ns)).count()));
  }
  CHECK(TimeDuration(std::chrono::hours(3)) == std::chrono::hours(3));
  CHECK(TimeDuration(duration<double, std::ratio<1, 3>>(1)).count() == 333'333'333);
  CHECK(TimeDuration(duration<int64_t, std::ratio<1, 3>>(2)).count() == 666'666'666);
  CHECK((!std::is_convertible_v<TimeDuration, milliseconds> && std::is_convertible_v<TimeDuration, nanoseconds>));
  const TimeDuration two = milliseconds(2);
  CHECK((two + milliseconds(1) == milliseconds(3) && milliseconds(1) - two == -milliseconds(1)));
  CHECK((two * 3 == milliseconds(6) && 0.5 * two == milliseconds(1) && two / 4 == std::chrono::microseconds(500)));
  CHECK((two / milliseconds(1) == 2 && two % nanoseconds(1'999'999) == nanoseconds(1) && milliseconds(1) < two));
}

}  // namespace
}  // namespace geckoprof
