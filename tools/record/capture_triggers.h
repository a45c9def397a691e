#ifndef GECKOPROF_TOOLS_RECORD_CAPTURE_TRIGGERS_H_
#define GECKOPROF_TOOLS_RECORD_CAPTURE_TRIGGERS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

// CaptureTrigger is the value of an option `--capture-when`.
//
//   marker>500ms  marker:NAME>500ms        a marker lasted longer
//   cpu>150%      process-cpu>90%          CPU time of a second, of all processes together or of one; 100 % is one core
//   memory>1GiB   process-memory>50%       resident memory likewise, as a size or as a share of the machine's
//   exit                                   the program ended well, too
struct CaptureTrigger {
  enum class Kind : uint8_t { kMarker, kCpu, kMemory, kExit };
  Kind kind = Kind::kExit;
  std::string text;              // as it was given
  std::string marker_name = {};  // kMarker; empty: any
  int64_t duration_ns = 0;       // kMarker
  bool is_of_one = false;        // kCpu, kMemory: of any one process
  double cpu_percent = 0;        // kCpu
  uint64_t resident_bytes = 0;   // kMemory

  // `machine_bytes` is the memory of the machine. An error is one line that says what is wrong.
  static absl::StatusOr<CaptureTrigger> Parse(std::string_view text, uint64_t machine_bytes);
};

// ProcessLoad is the use of the machine by a process since the look before. TreeLoad has that of a tree of processes.
struct ProcessLoad {
  double cpu_percent = 0;  // 100: one core
  uint64_t resident_bytes = 0;
};
struct TreeLoad {
  std::map<int32_t, ProcessLoad> processes;  // by pid
  ProcessLoad all;                           // with children that have ended meanwhile
};

// A marker whose end is new.
struct LongMarker {
  int32_t pid = 0;
  std::string name;
  int64_t duration_ns = 0;
};

// CaptureTriggers decides when a flight recorder makes a capture.
//
//   armed --the condition holds--> capture --it does not hold any more--> armed
//
// A marker is an event of a moment, so its trigger stays armed. A trigger makes no capture within `pause_ns` of its
// last one. If its condition still holds after the pause, and made no capture yet, it makes one then. Each trigger
// makes kMostCaptures at most.
//
// Threads: one. All times are given, and the class looks at nothing itself.
class CaptureTriggers {
 public:
  static constexpr int kMostCaptures = 20;

  CaptureTriggers(std::vector<CaptureTrigger> triggers, int64_t pause_ns);

  bool wants_markers() const { return least_marker_ns_ != INT64_MAX; }
  int64_t least_marker_ns() const { return least_marker_ns_; }
  bool wants_loads() const { return wants_loads_; }
  bool wants_every_end() const { return wants_every_end_; }

  // Return the causes of a capture that is to be made now. There is none if the text is empty.
  std::string OnMarker(const LongMarker& marker, int64_t now_ns);
  std::string OnLoad(const TreeLoad& load, int64_t now_ns);

 private:
  struct State {
    CaptureTrigger trigger;
    int64_t last_ns = INT64_MIN;  // of the last capture
    int captures = 0;
    bool is_armed = true;
  };
  bool MayCapture(const State& state, int64_t now_ns) const;
  // Notes a capture of the trigger, and returns its cause.
  static std::string Fire(State& state, std::string cause, int64_t now_ns);

  const int64_t pause_ns_;
  std::vector<State> states_;
  int64_t least_marker_ns_ = INT64_MAX;
  bool wants_loads_ = false, wants_every_end_ = false;
};

// Joins causes of one capture.
void AddCause(std::string_view cause, std::string& causes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_CAPTURE_TRIGGERS_H_
