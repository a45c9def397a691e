#include "capture/gathering.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/recent_rows.h"
#include "geckoprof/reader/segment_reader.h"
#include "runtime/api_call.h"

namespace geckoprof {
namespace {

constexpr double kRead = 0.5;  // the fraction at which everything has been read
constexpr double kAsked = 0.1;

}  // namespace

void EventLog::Add(std::string_view text, int32_t pid, uint64_t number) {
  if (events_.size() == kMostEvents) events_.erase(events_.begin());
  events_.push_back({MonotonicNs(), text, pid, number});
}

void EventLog::Write(int64_t time_zero_ns, JsonWriter& writer) const {
  writer.StartArrayProperty("events");
  for (const LogEvent& event : events_) {
    writer.StartArray();
    writer.TimeMs(RelativeNs(event.time_ns, time_zero_ns));
    writer.String(event.text);
    if (event.pid != 0) writer.Int(event.pid);
    if (event.number != 0) writer.Uint(event.number);
    writer.EndArray();
  }
  writer.EndArray();
}

bool Gathering::Report(double fraction, const std::string& text) {
  if (begin_ns_ == 0) begin_ns_ = MonotonicNs();
  if (is_cancelled_ || !progress_) return !is_cancelled_;
  const ApiCall::Outside outside;
  is_cancelled_ = !progress_(fraction, text);
  return !is_cancelled_;
}

std::unique_ptr<ProcessProfile> Gathering::ReadOne(const Child& child, uint64_t& bytes) const {
  const std::string& path = child.segment.path;
  const Fd file = Fd::Open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info = {};
  const bool is_ours =
      file.ok() && fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
  if (!is_ours) return nullptr;
  constexpr uint64_t kBlockBytes = 512;  // of st_blocks (inode(7))
  bytes = static_cast<uint64_t>(info.st_blocks) * kBlockBytes;
  auto profile = std::make_unique<ProcessProfile>();
  const SegmentReadResult result = ReadSegmentFile(file.number(), *profile);
  const bool is_usable = result.status == SegmentReadStatus::kOk ||
                         (result.status == SegmentReadStatus::kDamaged && !profile->threads.empty());
  if (!is_usable) return nullptr;
  TakeFileName(PathBaseName(path), *profile);
  profile->pid = child.segment.pid;  // as this process knows it
  if (profile->end_reason == "alive") {
    if (child.ends_with_exec) {
      profile->end_reason = "exec";
    } else if (child.segment.has_ended) {
      profile->end_reason = "ended";
    }
  }
  KeepRowsSince(since_ns_, *profile);
  return profile;
}

void Gathering::Read(std::vector<ChildSegment> segments, int64_t since_ns) {
  has_read_ = true;
  since_ns_ = since_ns;
  uint64_t held_bytes = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    Child child{std::move(segments[i]), false, nullptr};
    const int32_t pid = child.segment.pid;
    const uint32_t image = child.segment.image;
    child.ends_with_exec = std::ranges::any_of(
        segments, [pid, image](const ChildSegment& other) { return other.pid == pid && other.image > image; });
    const double fraction = kAsked + (kRead - kAsked) * static_cast<double>(i) / static_cast<double>(segments.size());
    if (!Report(fraction, "reading process " + std::to_string(pid))) return;
    uint64_t bytes = 0;
    child.held = ReadOne(child, bytes);
    if (child.held == nullptr) {
      log_.Add("Cannot read the data of pid:", pid);
      continue;
    }
    if (child.held->end_ns < since_ns_) continue;
    held_bytes += bytes;
    if (held_bytes > kMostHeldBytes) child.held.reset();
    children_.push_back(std::move(child));
  }
}

const ProcessProfile& Gathering::at(size_t child) {
  if (is_cancelled_) {
    loaded_ = std::make_unique<ProcessProfile>();
    return *loaded_;
  }
  if (children_[child].held != nullptr) return *children_[child].held;
  uint64_t bytes = 0;
  loaded_ = ReadOne(children_[child], bytes);
  if (loaded_ != nullptr) return *loaded_;
  log_.Add("Cannot read the data of pid:", children_[child].segment.pid);
  loaded_ = std::make_unique<ProcessProfile>();
  loaded_->pid = children_[child].segment.pid;
  loaded_->image = children_[child].segment.image;
  return *loaded_;
}

void Gathering::NoteWritten(size_t process, uint64_t bytes) {
  written_bytes_ += bytes;
  if (process == 0) {
    log_.Add("Generated parent process profile, size:", 0, bytes);
  } else {
    log_.Add("Got profile from pid, with size:", children_[process - 1].segment.pid, bytes);
  }
  const double share = static_cast<double>(process + 1) / static_cast<double>(children_.size() + 1);
  (void)Report(kRead + (1 - kRead) * share,
               "wrote " + std::to_string(process + 1) + " of " + std::to_string(children_.size() + 1) + " processes");
}

void Gathering::WriteLog(int64_t parent_pid, int64_t time_zero_ns, JsonWriter& writer) {
  log_.Add("Finished gathering, total size:", 0, written_bytes_);
  writer.StartObjectProperty("profileGatheringLog");
  writer.StartObjectProperty(std::to_string(parent_pid));
  writer.TimeMsProperty("profileGatheringLogBegin_TSms", RelativeNs(begin_ns_, time_zero_ns));
  log_.Write(time_zero_ns, writer);
  writer.TimeMsProperty("profileGatheringLogEnd_TSms", RelativeNs(MonotonicNs(), time_zero_ns));
  writer.EndObject();
  writer.EndObject();
}

}  // namespace geckoprof
