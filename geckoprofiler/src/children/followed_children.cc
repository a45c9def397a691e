#include "children/followed_children.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <new>
#include <string_view>
#include <tuple>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/control/process_state.h"
#include "geckoprof/modules/memory_map.h"
#include "geckoprof/segment/segment_counts.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {
namespace {

// A child obeys within about a millisecond, if it gets a processor.
constexpr int64_t kPatienceNs = 100 * kNsPerMs;
// Others may take this long to start.
constexpr int64_t kStartPatienceNs = 50 * kNsPerMs;

constexpr size_t kMostEnded = 1000;

// Returns ns / unit_ns with all decimals, such as "0.250000". `unit_ns` is a power of ten.
std::string DecimalText(int64_t ns, int64_t unit_ns) {
  return std::to_string(ns / unit_ns) + "." + std::to_string(unit_ns + ns % unit_ns).substr(1);
}

// Opens a segment of the folder, which belongs to another process. A device or a FIFO is not waited for.
bool OpenSegment(const std::string& path, SegmentView& view, uint64_t& bytes) {
  Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info = {};
  const bool is_ours =
      file.ok() && fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  constexpr uint64_t kBlockBytes = 512;  // of st_blocks (inode(7))
  bytes = static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
  return is_ours && view.OpenDescriptor(std::move(file)) == SegmentView::OpenResult::kOk;
}

// Returns the path of the file that is mapped at an address of this process, or an empty text.
std::string PathOfMapping(const void* address) {
  std::string maps;
  if (address == nullptr || ReadWholeFile("/proc/self/maps", maps) != 0) return "";
  for (std::string_view rest = maps; !rest.empty();) {
    MapsLine line;
    if (!NextMapsLine(rest, line) || line.start_avma != reinterpret_cast<uintptr_t>(address)) continue;
    return line.deleted ? "" : UnescapeMapsPath(line.path);
  }
  return "";
}

constexpr struct {
  uint32_t kind;
  ControlCommand pause, resume;
} kPauses[] = {{kStatePaused, ControlCommand::kPause, ControlCommand::kResume},
               {kStateSamplingPaused, ControlCommand::kPauseSampling, ControlCommand::kResumeSampling}};

}  // namespace

std::vector<std::string> SettingsOf(const RecordingParameters& parameters, const std::string& folder) {
  std::vector<std::string> lines = {
      "GECKOPROF_SESSION_DIR=" + folder,
      "GECKOPROF_STARTUP_ENTRIES=" + std::to_string(parameters.capacity_bytes / kBytesPerEntry),
      "GECKOPROF_STARTUP_INTERVAL=" + DecimalText(parameters.interval_ns, kNsPerMs),
      "GECKOPROF_STARTUP_FEATURES_BITFIELD=" + std::to_string(parameters.features)};
  if (parameters.duration_ns > 0) {
    lines.push_back("GECKOPROF_STARTUP_DURATION=" + DecimalText(parameters.duration_ns, kNsPerSecond));
  }
  std::string filters;
  for (const std::string& filter : parameters.filters) filters += (filters.empty() ? "" : ",") + filter;
  if (!filters.empty()) lines.push_back("GECKOPROF_STARTUP_FILTERS=" + filters);
  return lines;
}

FollowedChildren::Access::Access(FollowedChildren* self) : holder_(self->lock_) {
  if (self->lock_.depth() > 1 || self->state_.process == getpid()) return;
  new (&self->state_) State;
  self->state_.process = getpid();
  self->is_on_.store(false, std::memory_order_relaxed);
}

void FollowedChildren::Follow(const Recording& recording) {
  const Access access(this);
  if (is_on() && state_.started_ns == recording.started_ns) return SetPauses(recording.state);
  End(/*stops_children=*/true);
  if (!Begin(recording)) End(/*stops_children=*/false);
}

bool FollowedChildren::IsCountedByRecorder() {
  const Access access(this);
  return base_.IsCountedByRecorder();
}

bool FollowedChildren::Begin(const Recording& recording) {
  const char* const given = base_.ChildrenFolder(nullptr);
  uint64_t size_bytes = 0;
  if (given == nullptr) return false;
  if (*given != '\0') {
    state_.folder.Share(given);
  } else if (!state_.folder.Make(PathOfMapping(base_.SegmentAt(0, &size_bytes)))) {
    return false;
  }
  const std::string& path = state_.folder.path();
  state_.settings = SettingsOf(recording.parameters, path);
  state_.followed.emplace(getpid(), geteuid(), state_.settings);
  state_.started_ns = recording.started_ns;
  state_.pauses = 0;
  if (!state_.folder.is_shared()) {
    TextBuilder text(state_.folder_text);
    text.Text(path);
    if (!text.complete()) return false;
    base_.ChildrenFolder(state_.folder_text);
  }
  is_on_.store(true, std::memory_order_relaxed);
  FindNew();
  SetPauses(recording.state);
  return true;
}

void FollowedChildren::End(bool stops_children) {
  const Access access(this);
  if (is_on() && !state_.folder.is_shared()) base_.ChildrenFolder("");
  if (is_on() && stops_children) state_.followed->Command(ControlCommand::kStop, kPatienceNs);
  is_on_.store(false, std::memory_order_relaxed);
  state_.folder.Close();
  state_.followed.reset();
  state_.children.clear();
  state_.elsewhere.clear();
  state_.log = EventLog();
}

void FollowedChildren::SetPauses(uint32_t state) {
  std::vector<ControlCommand> commands;
  uint32_t pauses = 0;
  for (const auto& pause : kPauses) {
    pauses |= state & pause.kind;
    commands.push_back((state & pause.kind) != 0 ? pause.pause : pause.resume);
  }
  if (pauses == state_.pauses) return;
  state_.pauses = pauses;
  state_.followed->BringTo(std::move(commands), kPatienceNs);
}

void FollowedChildren::FoundRecording(void* self, const ControllableProcess& process, const RunningSegment& segment) {
  State& state = static_cast<FollowedChildren*>(self)->state_;
  if (state.folder.is_shared()) return;
  const std::string path = process.folder() + "/root" + segment.path;
  if (state.folder.Link(path, process.pid())) return;
  const SegmentHeader& header = segment.view->header();
  state.elsewhere.push_back({path, process.pid(), header.image, false});
}

// After the end of the recording by itself its data stays, and nothing new begins.
void FollowedChildren::FindNew() {
  if ((base_.state() & kStateActive) == 0) return;
  state_.followed->Look(kStartPatienceNs, {&FollowedChildren::FoundRecording, this});
}

int64_t FollowedChildren::Look() {
  constexpr int64_t kUsualPauseNs = 250 * kNsPerMs;
  constexpr int64_t kRestShare = 100;  // at most one percent of one core
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  const Access access(this);
  if (!is_on()) return kUsualPauseNs;
  FindNew();
  Update();
  Expire();
  return std::max(kUsualPauseNs, (CurrentThreadCpuNs() - begin_cpu_ns) * kRestShare);
}

// In a shared folder are segments of others, too.
bool FollowedChildren::IsDescendant(const SegmentName& name, int32_t parent_pid) const {
  if (!state_.folder.is_shared() || parent_pid == state_.process) return true;
  const std::vector<pid_t> living = state_.followed->pids();
  return std::ranges::binary_search(living, name.pid) || std::ranges::any_of(state_.children, [&](const Child& child) {
           return child.name.pid == parent_pid || child.name.pid == name.pid;
         });
}

void FollowedChildren::NoteEnd(Child& child) {
  SegmentView view;
  child.has_ended = true;
  if (!OpenSegment(state_.folder.PathOf(child.name), view, child.bytes)) return;
  const SegmentHeader& header = view.header();
  child.ended_ns = std::max(header.heartbeat_ns.load(std::memory_order_relaxed), header.created_ns);
  state_.log.Add("Child process has ended", child.name.pid);
}

void FollowedChildren::Update() {
  const auto key = [](const SegmentName& name) { return std::tuple(name.pid, name.image); };
  std::vector<Child> now;
  for (const SegmentName& name : state_.folder.List()) {
    if (name.pid == state_.process) continue;
    const auto known =
        std::ranges::find_if(state_.children, [&](const Child& child) { return key(child.name) == key(name); });
    if (known != state_.children.end()) {
      now.push_back(*known);
      continue;
    }
    Child child;
    child.name = name;
    SegmentView view;
    const std::string path = state_.folder.PathOf(name);
    if (!OpenSegment(path, view, child.bytes) || !IsDescendant(name, view.header().parent_pid)) continue;
    child.start_ticks = view.header().process_start_ticks;
    state_.log.Add("Child process records", name.pid);
    now.push_back(child);
  }
  for (Child& child : now) {
    if (child.has_ended) continue;
    const std::optional<ProcessState> process = ReadProcessState(child.name.pid);
    const bool lives = process.has_value() && process->Lives() &&
                       (child.start_ticks == 0 || child.start_ticks == process->start_ticks);
    if (!lives) NoteEnd(child);
  }
  state_.children = std::move(now);
  std::erase_if(state_.elsewhere, [](const ChildSegment& segment) { return !ProcessLives(segment.pid); });
}

void FollowedChildren::Expire() {
  uint64_t size_bytes = 0;
  const void* const segment = base_.SegmentAt(0, &size_bytes);
  const std::optional<SegmentCounts> counts = CountSegment(segment, size_bytes);
  if (!counts.has_value()) return;
  std::vector<Child*> ended;
  for (Child& child : state_.children) {
    if (child.has_ended && !child.is_expired) ended.push_back(&child);
  }
  std::ranges::sort(ended, std::ranges::greater(), [](const Child* child) { return child->ended_ns; });
  uint64_t bytes = 0;
  size_t count = 0;
  for (Child* const child : ended) {
    bytes += child->bytes;
    ++count;
    const bool is_old = counts->oldest_ns != 0 && child->ended_ns < counts->oldest_ns;
    child->is_expired = is_old || bytes > counts->capacity_bytes || count > kMostEnded;
    if (!child->is_expired) continue;
    state_.log.Add(is_old ? "Profile of ended child expired" : "Profile of ended child dropped at the limit",
                   child->name.pid);
    state_.folder.Remove(child->name);
  }
}

std::vector<ChildSegment> FollowedChildren::Collect(EventLog& log) {
  std::vector<ControllableProcess> living;
  {
    const Access access(this);
    if (!is_on()) return {};
    FindNew();
    living = state_.followed->Find();
  }
  log.Add("Asked child processes to write their data:", 0, living.size());
  const std::vector<ControlAnswer> answers =
      ControllableProcess::Command(living, ControlCommand::kFlush, {}, kPatienceNs);
  for (size_t i = 0; i < living.size(); ++i) {
    if (answers[i] <= ControlAnswer::kTaken) log.Add("No answer from pid, its data is read as it is:", living[i].pid());
  }
  const Access access(this);
  if (!is_on()) return {};
  Update();
  Expire();
  std::vector<const Child*> rows;
  for (const Child& child : state_.children) {
    if (!child.is_expired) rows.push_back(&child);
  }
  std::ranges::stable_sort(rows, {}, [](const Child* child) {
    return std::tuple(!child->has_ended, child->has_ended ? child->ended_ns : 0);
  });
  std::vector<ChildSegment> segments;
  for (const Child* const child : rows) {
    segments.push_back({state_.folder.PathOf(child->name), child->name.pid, child->name.image, child->has_ended});
  }
  segments.insert(segments.end(), state_.elsewhere.begin(), state_.elsewhere.end());
  return segments;
}

EventLog FollowedChildren::log() {
  const Access access(this);
  return state_.log;
}

std::vector<std::string> FollowedChildren::Environment() {
  const Access access(this);
  std::vector<std::string> lines = {is_on() ? "GECKOPROF_STARTUP=1" : "GECKOPROF_STARTUP="};
  if (!is_on()) return lines;
  lines.insert(lines.end(), state_.settings.begin(), state_.settings.end());
  lines.push_back("GECKOPROF_SHUTDOWN=");  // the parent's profile has the child's
  return lines;
}

}  // namespace geckoprof
