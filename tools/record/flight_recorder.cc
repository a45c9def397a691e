#include "tools/record/flight_recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <utility>

#include "geckoprof/base/clock.h"
#include "tools/record/session_window.h"
#include "tools/support/output_file.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr int64_t kLeastPauseNs = 10 * kNsPerSecond;  // between captures of one trigger
constexpr int64_t kMarkersPauseNs = 100 * kNsPerMs, kLongestMarkersPauseNs = kNsPerSecond;
constexpr int64_t kMarkersRestShare = 50;  // at most two percent of one core
constexpr int64_t kLoadPauseNs = kNsPerSecond;
constexpr int64_t kLoadRestShare = 200;
constexpr int64_t kChildPauseNs = 20 * kNsPerMs;
constexpr int kLowerPriority = 10;

void Complain(std::string_view what) {
  fprintf(stderr, "geckoprof record: a capture failed: %s\n", CleanText(what).c_str());
}

// "30 s", "1.5 s".
std::string SecondsText(int64_t ns) {
  const int64_t tenths = ns / (kNsPerSecond / 10);
  return tenths % 10 == 0 ? Concat(tenths / 10, " s") : Concat(tenths / 10, ".", tenths % 10, " s");
}

}  // namespace

FlightRecorder::FlightRecorder(const RecordOptions& options, const SessionDirectory& session, pid_t root,
                               ProfileRequest request, Read read)
    : window_ns_(options.flight_ns),
      session_(session.held_path()),
      parent_(FolderOf(session.path())),
      request_(std::move(request)),
      read_(std::move(read)),
      triggers_(options.triggers, std::max(window_ns_, kLeastPauseNs)) {
  if (triggers_.wants_markers()) markers_.emplace(session_, triggers_.least_marker_ns());
  if (triggers_.wants_loads()) tree_.emplace(root);
}

int64_t FlightRecorder::WindowBeginNs() const { return MonotonicNs() - window_ns_; }

std::string FlightRecorder::CauseText(int64_t window_ns, std::string_view cause) {
  return Concat("the last ", SecondsText(window_ns), ": ", cause);
}

void FlightRecorder::OnMarker(const LongMarker& marker) { Ask(triggers_.OnMarker(marker, MonotonicNs())); }

void FlightRecorder::LookAtMarkers() {
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  markers_->Look([this](const LongMarker& marker) { OnMarker(marker); });
  const int64_t rest_ns = (CurrentThreadCpuNs() - begin_cpu_ns) * kMarkersRestShare;
  markers_due_ns_ = MonotonicNs() + std::clamp(rest_ns, kMarkersPauseNs, kLongestMarkersPauseNs);
}

void FlightRecorder::LookAtEnded(const std::string& segment) {
  if (!markers_.has_value()) return;
  markers_->LookAtFile(segment, [this](const LongMarker& marker) { OnMarker(marker); });
}

void FlightRecorder::LookAtLoad() {
  const int64_t begin_cpu_ns = CurrentThreadCpuNs(), now_ns = MonotonicNs();
  if (const std::optional<TreeLoad> load = tree_->Look(now_ns)) Ask(triggers_.OnLoad(*load, now_ns));
  load_due_ns_ = now_ns + std::max(kLoadPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kLoadRestShare);
}

int64_t FlightRecorder::Look() {
  ReapChild(WNOHANG);
  if (markers_.has_value() && MonotonicNs() >= markers_due_ns_) LookAtMarkers();
  if (tree_.has_value() && MonotonicNs() >= load_due_ns_) LookAtLoad();
  if (child_ == 0 && !causes_.empty()) Begin();
  int64_t due_ns = INT64_MAX;
  if (markers_.has_value()) due_ns = std::min(due_ns, markers_due_ns_);
  if (tree_.has_value()) due_ns = std::min(due_ns, load_due_ns_);
  if (child_ != 0) due_ns = std::min(due_ns, MonotonicNs() + kChildPauseNs);
  return due_ns == INT64_MAX ? kNsPerSecond : due_ns - MonotonicNs();
}

void FlightRecorder::Begin() {
  const std::string cause = CauseText(window_ns_, std::exchange(causes_, {}));
  const int64_t begin_ns = WindowBeginNs();
  absl::StatusOr<SessionSnapshot> snapshot = SessionSnapshot::Make(session_, parent_);
  if (!snapshot.ok()) return Complain(std::string(snapshot.status().message()));
  const pid_t child = fork();
  if (child == 0) RunChild(snapshot->path(), begin_ns, cause);
  if (child < 0) return Complain(strerror(errno));
  child_ = child;
  snapshot_.emplace(*std::move(snapshot));
}

void FlightRecorder::RunChild(const std::string& folder, int64_t begin_ns, const std::string& cause) const {
  prctl(PR_SET_NAME, "geckoprof-capt");
  int status = 1;
  try {
    SessionContents contents = read_(folder);
    TrimToWindow(begin_ns, contents);
    // The program overwrites old data. From here on nothing is lost by waiting.
    if (nice(kLowerPriority) < 0) errno = 0;
    ProfileRequest request = request_;
    request.cause = cause;
    request.is_during_run = true;
    const absl::Status made = MakeProfile(std::move(contents), request);
    if (!made.ok()) Complain(std::string(made.message()));
    status = made.ok() ? 0 : 1;
  } catch (const std::bad_alloc&) {
    Complain("not enough memory");
  }
  fflush(stderr);
  _exit(status);
}

bool FlightRecorder::ReapChild(int wait_options) {
  if (child_ == 0) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child_, &status, wait_options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  // As the first process of a container, the recorder may have waited for it already.
  if (ended == child_ && WIFSIGNALED(status)) Complain(Concat("its process was killed by signal ", WTERMSIG(status)));
  child_ = 0;
  snapshot_.reset();
  return true;
}

void FlightRecorder::Finish() {
  if (markers_.has_value()) LookAtMarkers();
  ReapChild(0);
  if (!causes_.empty()) Begin();
  ReapChild(0);
}

}  // namespace geckoprof
