#ifndef GECKOPROF_TOOLS_RECORD_FLIGHT_RECORDER_H_
#define GECKOPROF_TOOLS_RECORD_FLIGHT_RECORDER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tools/record/capture_triggers.h"
#include "tools/record/marker_watch.h"
#include "tools/record/profile_making.h"
#include "tools/record/record_options.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/session_snapshot.h"
#include "tools/record/tree_load_watch.h"

namespace geckoprof {

// The note at the end of a recording without a capture.
inline constexpr char kGoodEndNote[] =
    "geckoprof: note: nothing was captured at the end, because the program ended well (--capture-when exit captures "
    "then, too)\n";

// FlightRecorder makes profiles of the last seconds of a session while the recording goes on.
//
//   Look: markers, CPU and memory  ---> CaptureTriggers --cause-->  SessionSnapshot, fork
//   Ask (a signal)                 ------------------------------->   the child: read, trim, write NAME-n.json.gz
//
// The child is a copy of the recorder, so it has the files that the recorder holds open. The recorder goes on
// meanwhile, and holds the limit of the session. One child makes a profile at a time. Causes that come meanwhile are
// those of one further capture. The child works at a lower priority after it has read the session.
//
// Threads: one, and no other in the process.
class FlightRecorder {
 public:
  // Returns the finished contents of a folder with the files of the session. It is called in the child.
  using Read = std::function<SessionContents(const std::string& folder)>;

  // `root` is the first process of the tree. `request` has what all captures have in common.
  FlightRecorder(const RecordOptions& options, const SessionDirectory& session, pid_t root, ProfileRequest request,
                 Read read);
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;

  // Looks at the triggers and the child. Returns the ns until the next look.
  int64_t Look();
  // Looks at the markers of a segment whose process has ended.
  void LookAtEnded(const std::string& segment);
  // Asks for a capture. Look begins it.
  void Ask(std::string_view cause) {
    if (causes_.find(cause) == std::string::npos) AddCause(cause, causes_);
  }

  // The recording has ended. Makes what was asked for, and waits for it.
  void Finish();

  bool wants_every_end() const { return triggers_.wants_every_end(); }
  // Returns the begin of the window that ends now, and the cause as it is shown.
  int64_t WindowBeginNs() const;
  static std::string CauseText(int64_t window_ns, std::string_view cause);

 private:
  void LookAtMarkers();
  void LookAtLoad();
  void OnMarker(const LongMarker& marker);
  void Begin();
  [[noreturn]] void RunChild(const std::string& folder, int64_t begin_ns, const std::string& cause) const;
  // Returns false if the child goes on.
  bool ReapChild(int wait_options);

  const int64_t window_ns_;
  const std::string session_, parent_;  // its folder, through a descriptor, and the folder above
  const ProfileRequest request_;
  const Read read_;
  CaptureTriggers triggers_;
  std::optional<MarkerWatch> markers_;  // if a trigger wants them
  std::optional<TreeLoadWatch> tree_;   // likewise
  int64_t markers_due_ns_ = 0, load_due_ns_ = 0;
  std::string causes_;                       // of the capture to be made next
  pid_t child_ = 0;                          // 0: none
  std::optional<SessionSnapshot> snapshot_;  // of the child
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_FLIGHT_RECORDER_H_
