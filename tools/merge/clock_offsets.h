#ifndef GECKOPROF_TOOLS_MERGE_CLOCK_OFFSETS_H_
#define GECKOPROF_TOOLS_MERGE_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace geckoprof {

// ClockFacts has what a profile says of its time zero.
struct ClockFacts {
  double wall_ms = 0;                   // of the date; 0: unknown
  std::optional<int64_t> monotonic_ns;  // of CLOCK_MONOTONIC of its boot
  std::string boot_id;                  // of the kernel; empty: unknown
};

// Returns whether both profiles count the same CLOCK_MONOTONIC. Profiles without a boot id do so if both clocks of both
// differ by the same time. If that is a mistake, it is one of at most 10 ms.
bool AreOfOneBoot(const ClockFacts& a, const ClockFacts& b);

// ClockOffset is the place of one profile on the clock of all profiles.
struct ClockOffset {
  enum class Source : uint8_t { kFirst, kGiven, kMonotonicClock, kWallClock, kUnknown };

  double offset_ms = 0;  // from the time zero of the first profile to that of this one
  Source source = Source::kFirst;
  size_t boot = 0;    // the same number for profiles of one boot
  size_t leader = 0;  // the profile that the offset was counted from
};

// Finds the offsets of all profiles. `given` has the offsets that the user knows.
//
//   boot of the first profile   first ------------ monotonic clock ----------> others
//                                 |
//                             wall clock, or as given
//                                 v
//   another boot                leader ----------- monotonic clock ----------> others
//
// The leader of another boot is its first profile that has a given offset, or else its first profile. A given offset
// therefore moves all profiles of its boot that have none of their own.
// REQUIRES: both lists have the same length, and the first profile has no given offset.
std::vector<ClockOffset> FindClockOffsets(std::span<const ClockFacts> profiles,
                                          std::span<const std::optional<double>> given_ms);

// Returns the offset and its source in words. `leader` is the name of the profile that it was counted from.
std::string ClockOffsetText(const ClockOffset& offset, const std::string& leader);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MERGE_CLOCK_OFFSETS_H_
