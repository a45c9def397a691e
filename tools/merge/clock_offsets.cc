#include "tools/merge/clock_offsets.h"

#include <cmath>
#include <cstdio>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Source = ClockOffset::Source;

// Returns the date at which the monotonic clock was zero.
double ClockStartMs(const ClockFacts& profile) {
  return profile.wall_ms - static_cast<double>(*profile.monotonic_ns) / 1e6;
}

double MonotonicDistanceMs(const ClockFacts& from, const ClockFacts& to) {
  return static_cast<double>(*to.monotonic_ns - *from.monotonic_ns) / 1e6;
}

// Gives all profiles of one boot the same number, which is that of the first of them.
void FindBoots(std::span<const ClockFacts> profiles, std::vector<ClockOffset>* offsets) {
  std::vector<size_t> firsts;
  for (size_t i = 0; i < profiles.size(); ++i) {
    size_t boot = i;
    for (const size_t first : firsts) {
      if (AreOfOneBoot(profiles[first], profiles[i])) boot = first;
    }
    if (boot == i) firsts.push_back(i);
    (*offsets)[i].boot = boot;
  }
}

}  // namespace

bool AreOfOneBoot(const ClockFacts& a, const ClockFacts& b) {
  constexpr double kToleranceMs = 10;
  if (!a.monotonic_ns.has_value() || !b.monotonic_ns.has_value()) return false;
  if (!a.boot_id.empty() && !b.boot_id.empty()) return a.boot_id == b.boot_id;
  if (a.wall_ms == 0 || b.wall_ms == 0) return false;
  return std::abs(ClockStartMs(a) - ClockStartMs(b)) <= kToleranceMs;
}

std::vector<ClockOffset> FindClockOffsets(std::span<const ClockFacts> profiles,
                                          std::span<const std::optional<double>> given_ms) {
  std::vector<ClockOffset> offsets(profiles.size());
  FindBoots(profiles, &offsets);
  // The leader of each boot, in the row of its first profile.
  std::vector<size_t> leaders(profiles.size());
  for (size_t i = 0; i < profiles.size(); ++i) {
    const size_t boot = offsets[i].boot;
    if (i == boot) leaders[boot] = i;
    if (boot != 0 && given_ms[i].has_value() && !given_ms[leaders[boot]].has_value()) leaders[boot] = i;
  }
  for (size_t i = 1; i < profiles.size(); ++i) {
    ClockOffset& offset = offsets[i];
    if (given_ms[i].has_value()) {
      offset.offset_ms = *given_ms[i];
      offset.source = Source::kGiven;
    } else if (leaders[offset.boot] == i && profiles[0].wall_ms != 0 && profiles[i].wall_ms != 0) {
      offset.offset_ms = profiles[i].wall_ms - profiles[0].wall_ms;
      offset.source = Source::kWallClock;
    } else {
      offset.source = Source::kUnknown;
    }
  }
  for (size_t i = 1; i < profiles.size(); ++i) {
    ClockOffset& offset = offsets[i];
    const size_t leader = leaders[offset.boot];
    if (leader == i || given_ms[i].has_value()) continue;
    offset.leader = leader;
    offset.offset_ms = offsets[leader].offset_ms + MonotonicDistanceMs(profiles[leader], profiles[i]);
    offset.source = Source::kMonotonicClock;
  }
  return offsets;
}

std::string ClockOffsetText(const ClockOffset& offset, const std::string& leader) {
  char seconds[64];
  snprintf(seconds, sizeof seconds, "%+.6f s", offset.offset_ms / 1e3);
  switch (offset.source) {
    case Source::kFirst:
      return Concat(seconds, ", the first profile");
    case Source::kGiven:
      return Concat(seconds, ", as given");
    case Source::kMonotonicClock:
      return Concat(seconds, " by the monotonic clock, of the same boot as ", leader);
    case Source::kWallClock:
      return Concat(seconds, " by the wall clocks, counted from ", leader);
    case Source::kUnknown:
      return Concat(seconds, ", as there is no clock in common with ", leader);
  }
  return "";
}

}  // namespace geckoprof
