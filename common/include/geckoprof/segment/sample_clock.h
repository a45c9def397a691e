// The clocks that interrupt a running thread for a sample.
#ifndef GECKOPROF_SEGMENT_SAMPLE_CLOCK_H_
#define GECKOPROF_SEGMENT_SAMPLE_CLOCK_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace geckoprof {

// SampleClock, the best one first. The numbers are part of the segment's format.
enum class SampleClock : uint8_t {
  kPerfEvent = 0,  // the thread's task clock, through perf_event_open(2)
  kCpuTimer = 1,   // the thread's CPU clock, through timer_create(2); at most HZ ticks a second
  kRequest = 2,    // the sampler's signal, which arrives some microseconds late
};

// The names in settings and profiles, by number.
inline constexpr std::array<std::string_view, 3> kSampleClockNames = {"perf-event", "cpu-timer", "request"};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SAMPLE_CLOCK_H_
