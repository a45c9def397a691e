#include "tools/record/session_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/page_memory.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"
#include "tools/record/session_contents.h"
#include "tools/record/session_directory.h"
#include "tools/record/session_limit.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/text/concat.h"

namespace geckoprof {

struct SessionWatch::File {
  std::string name;
  uint64_t bytes = 0;
  SegmentName segment = {};  // its pid is 0 if the file is no segment
};

namespace {

constexpr int64_t kPatienceNs = kNsPerSecond;      // with a process that is to release data
constexpr std::string_view kAnyMarkTarget = "1 ";  // of a mark whose name alone is asked for

}  // namespace

std::vector<SessionWatch::File> SessionWatch::ListFiles() const {
  std::vector<File> files;
  DIR* const folder = opendir(path_.c_str());
  if (folder == nullptr) return files;
  while (const dirent* const entry = readdir(folder)) {
    struct stat info = {};
    if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
    File& file = files.emplace_back(File{entry->d_name, AllocatedBytes(info)});
    if (SegmentName name; name.Parse(entry->d_name)) file.segment = name;
  }
  closedir(folder);
  return files;
}

std::string SessionWatch::PathOf(const File& file) const { return Concat(path_, "/", file.name); }

// Returns true if the process has ended. While it lives its segments stay, because a program that it executes takes the
// first number of an image that is free.
bool SessionWatch::HasEnded(const File& segment) const {
  if (kill(segment.segment.pid, 0) == 0 || errno != ESRCH) return false;
  SegmentView view;
  if (view.OpenFile(PathOf(segment).c_str()) != SegmentView::OpenResult::kOk) return true;
  const bool has_told = (view.header().exit_word.load(std::memory_order_relaxed) & kExitKnown) != 0;
  return has_told || namespaces_.IsOurs(view.header().pid_namespace);
}

// Returns the archive of the processes that have just ended, or null if none can be made.
SegmentArchive* SessionWatch::ArchiveFor(int64_t now_ns) {
  const bool needs_new = parts_.empty() || (window_ns_ != 0 && now_ns - parts_.back().begin_ns > window_ns_ / 2);
  if (needs_new) {
    absl::StatusOr<std::unique_ptr<SegmentArchive>> made = SegmentArchive::Create(path_, next_part_);
    if (!made.ok()) return nullptr;
    parts_.push_back({*std::move(made), now_ns});
    ++next_part_;
  }
  return parts_.back().archive.get();
}

bool SessionWatch::Archive(const File& segment) {
  const int64_t now_ns = MonotonicNs();
  if (before_archiving_) before_archiving_(segment.name);
  SegmentArchive* const archive = ArchiveFor(now_ns);
  if (archive == nullptr || !archive->Add(segment.name, segment.segment.pid, segment.segment.image).ok()) return false;
  parts_.back().last_ns = now_ns;
  return true;
}

uint64_t SessionWatch::ArchiveBytes() const {
  uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.archive->SizeBytes();
  return bytes;
}

// Returns the first archive that has data, or null.
SegmentArchive* SessionWatch::OldestArchive() const {
  for (const Part& part : parts_) {
    if (part.archive->OldestNs() != INT64_MAX) return part.archive.get();
  }
  return nullptr;
}

namespace {

// Gives back the pages behind the entries of each chunk. REQUIRES: nobody writes to the file. Returns the bytes.
uint64_t PunchUnused(const std::string& path) {
  SegmentView view;
  const Fd file = Fd::Open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat before = {}, after = {};
  if (!file.ok() || view.OpenFile(path.c_str()) != SegmentView::OpenResult::kOk) return 0;
  if (fstat(file.number(), &before) != 0 || !S_ISREG(before.st_mode)) return 0;
  const uint64_t chunk_bytes = view.header().chunk_bytes;
  uint64_t hole = view.header().chunks_offset;  // begins here
  const auto punch = [&](uint64_t end) {
    if (end > hole) {
      fallocate(file.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(hole),
                static_cast<off_t>(end - hole));
    }
  };
  view.DescribeChunks([&](uint32_t index, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
    if (result != SegmentView::CopyResult::kCopied) return;
    const uint64_t begin = view.header().chunks_offset + index * chunk_bytes;
    punch(begin);
    hole = RoundUpTo(begin + chunk.tail, kPageBytes);
  });
  punch(static_cast<uint64_t>(before.st_size));
  if (fstat(file.number(), &after) != 0) return 0;
  return AllocatedBytes(before) - std::min(AllocatedBytes(before), AllocatedBytes(after));
}

}  // namespace

std::vector<const SessionWatch::File*> SessionWatch::RemoveFollowed(std::vector<const File*>& live) {
  std::map<int32_t, uint32_t> last_image;
  for (const File* const file : live) {
    uint32_t& last = last_image[file->segment.pid];
    last = std::max(last, file->segment.image);
  }
  std::vector<const File*> followed;
  std::erase_if(live, [&](const File* file) {
    const bool is_last = file->segment.image == last_image[file->segment.pid];
    if (!is_last) followed.push_back(file);
    return !is_last;
  });
  return followed;
}

uint64_t SessionWatch::Compact(const std::vector<const File*>& followed) {
  uint64_t bytes = 0;
  for (const File* const file : followed) {
    if (compacted_.insert(file->name).second) bytes += PunchUnused(PathOf(*file));
  }
  return bytes;
}

void SessionWatch::Close() {
  const std::string path = Concat(path_, "/", kSessionFullName);
  is_closed_ = Fd::Open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW, 0600).ok();
}

void SessionWatch::Reopen() {
  unlink(Concat(path_, "/", kSessionFullName).c_str());
  is_closed_ = false;
}

// Asks a live process to release its data before a time.
bool SessionWatch::Ask(const File& segment, int64_t before_ns, int64_t now_ns, std::optional<DroppedFor> reason) {
  Asked& asked = asked_[segment.name];
  if (asked.before_ns >= before_ns) return false;
  const uint32_t reasons = asked.reasons | (reason.has_value() ? static_cast<uint32_t>(*reason) : 0);
  asked = {before_ns, now_ns, reasons};
  const Fd file = Fd::Open(PathOf(segment).c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  // A process that has gone meanwhile has no use for it.
  const auto write = [&file](const auto& value, size_t offset) {
    static_cast<void>(pwrite(file.number(), &value, sizeof(value), static_cast<off_t>(offset)));
  };
  write(reasons, offsetof(SegmentHeader, dropped_for));
  write(before_ns, offsetof(SegmentHeader, release_before_ns));
  return true;
}

// Drops what is older than the window and a quarter of it.
void SessionWatch::Forget(const std::vector<const File*>& live, int64_t now_ns) {
  const int64_t before_ns = now_ns - window_ns_ - window_ns_ / 4;
  while (!parts_.empty() && parts_.front().last_ns < before_ns) {
    parts_.front().archive->Remove();
    parts_.pop_front();
  }
  PidNamespaces namespaces;
  for (const File* const segment : live) {
    SegmentView view;
    if (view.OpenFile(PathOf(*segment).c_str()) != SegmentView::OpenResult::kOk) continue;
    // A process of another namespace that was killed tells nothing.
    const SegmentHeader& header = view.header();
    const bool is_silent = header.heartbeat_ns.load(std::memory_order_relaxed) < before_ns;
    if (is_silent && !namespaces.Lives(header.pid_namespace, segment->segment.pid)) {
      if (!Archive(*segment)) refused_.emplace(segment->name, now_ns);
      continue;
    }
    bool has_old = false;
    view.DescribeChunks([&](uint32_t, SegmentView::CopyResult result, const SegmentView::ChunkCopy& chunk) {
      const bool is_finished = chunk.state == ChunkState::kDone || chunk.state == ChunkState::kPartial;
      has_old |= result == SegmentView::CopyResult::kCopied && is_finished && chunk.last_ns < before_ns;
    });
    if (has_old) Ask(*segment, now_ns - window_ns_, now_ns, std::nullopt);
  }
  std::erase_if(refused_, [&](const auto& refused) {
    if (refused.second >= before_ns) return false;
    unlink(Concat(path_, "/", refused.first).c_str());
    return true;
  });
  ForgetLinks(before_ns);
}

// Removes the marks of forked children, and the notes of processes that are not recorded.
void SessionWatch::ForgetLinks(int64_t before_ns) const {
  timespec real = {};
  clock_gettime(CLOCK_REALTIME, &real);
  const int64_t real_before_ns = real.tv_sec * kNsPerSecond + real.tv_nsec - (MonotonicNs() - before_ns);
  DIR* const folder = opendir(path_.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    int64_t end_ns = 0;
    if (MarkedChild child; child.Parse(name, kAnyMarkTarget)) {
      // A child without an end has called exec, was killed, or lives on unrecorded.
      pid = child.end_ns == 0 ? child.pid : 0;
      end_ns = std::max(child.begin_ns, child.end_ns);
    } else if (name.starts_with(kNotePrefix)) {
      struct stat info = {};
      if (fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const int64_t made_ns = info.st_mtim.tv_sec * kNsPerSecond + info.st_mtim.tv_nsec;
      end_ns = before_ns + (made_ns - real_before_ns);
      pid = static_cast<pid_t>(strtol(entry->d_name + sizeof(kNotePrefix) - 1, nullptr, 10));
    } else {
      continue;
    }
    const bool may_live = pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
    if (end_ns < before_ns && !may_live) unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
}

uint64_t SessionWatch::CollectReleasable(const std::vector<const File*>& live, std::vector<Chunk>& chunks) const {
  uint64_t kept_bytes = 0;
  const int64_t now_ns = MonotonicNs();
  for (const File* const segment : live) {
    SegmentView view;
    if (view.OpenFile(PathOf(*segment).c_str()) != SegmentView::OpenResult::kOk) continue;
    const LiveSegmentUse use(view, segment->bytes);
    kept_bytes += segment->bytes - use.counted_bytes();
    const auto found = asked_.find(segment->name);
    const Asked asked = found != asked_.end() ? found->second : Asked();
    // A stopped process releases nothing. Others give way for it.
    const int64_t ignored_before_ns = now_ns - asked.since_ns > kPatienceNs ? asked.before_ns : 0;
    for (const int64_t newest_ns : use.finished_ns()) {
      if (newest_ns >= ignored_before_ns) chunks.push_back({newest_ns, view.header().chunk_bytes, segment});
    }
  }
  return kept_bytes;
}

// Drops the oldest data of all processes, `excess_bytes` or a little more. Returns false if there was none to drop, or
// if all processes have been asked before.
bool SessionWatch::Release(std::vector<Chunk> chunks, uint64_t excess_bytes, DroppedFor reason) {
  const int64_t now_ns = MonotonicNs();
  std::ranges::sort(chunks, {}, &Chunk::newest_ns);
  bool has_dropped = false;
  std::map<const File*, int64_t> newest_ns;  // of the entries that each process is to release
  for (auto chunk = chunks.begin(); excess_bytes > 0;) {
    const int64_t chunk_ns = chunk != chunks.end() ? chunk->newest_ns : INT64_MAX;
    SegmentArchive* const archive = OldestArchive();
    if (archive != nullptr && archive->OldestNs() <= chunk_ns) {
      const uint64_t before_bytes = archive->SizeBytes();
      archive->DropOldest(reason);
      has_dropped = true;
      excess_bytes -= std::min(excess_bytes, before_bytes - archive->SizeBytes());
      continue;
    }
    if (chunk == chunks.end()) break;
    newest_ns[chunk->segment] = chunk->newest_ns;
    excess_bytes -= std::min(excess_bytes, chunk->bytes);
    ++chunk;
  }
  for (const auto& [segment, last_ns] : newest_ns) has_dropped |= Ask(*segment, last_ns + 1, now_ns, reason);
  return has_dropped;
}

int64_t SessionWatch::Look() {
  // While processes end, or near the limit, listing takes at most five percent of one core, or else half a percent.
  constexpr int64_t kUsualPauseNs = 250 * kNsPerMs, kShortPauseNs = 20 * kNsPerMs;
  constexpr int64_t kRestShare = 200, kBusyRestShare = 20;
  constexpr uint64_t kCloseShare = 8;
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  const std::vector<File> files = ListFiles();
  std::vector<const File*> ended, live;
  uint64_t bytes = 0;
  for (const File& file : files) {
    if (IsArchiveFile(file.name)) continue;
    bytes += file.bytes;
    if (file.segment.pid == 0 || refused_.contains(file.name)) continue;
    (HasEnded(file) ? ended : live).push_back(&file);
  }
  const int64_t listing_ns = CurrentThreadCpuNs() - begin_cpu_ns;
  for (const File* const file : ended) {
    asked_.erase(file->name);
    compacted_.erase(file->name);
    if (Archive(*file)) {
      bytes -= file->bytes;
    } else {
      refused_.emplace(file->name, MonotonicNs());
    }
  }
  const std::vector<const File*> followed = RemoveFollowed(live);
  bytes -= std::min(bytes, Compact(followed));
  if (window_ns_ != 0 && MonotonicNs() >= forget_due_ns_) {
    const int64_t begin_ns = CurrentThreadCpuNs();
    Forget(live, MonotonicNs());
    forget_due_ns_ = MonotonicNs() + std::max(window_ns_ / 16, (CurrentThreadCpuNs() - begin_ns) * kRestShare);
  }
  bytes += ArchiveBytes();
  const SessionLimit limit = SessionLimit::For(limit_bytes_, live.size());
  const uint64_t watched_bytes = limit.bytes - limit.bytes / 8;
  // A single process fills its capacity without a need to release anything.
  const uint64_t tolerated_bytes = limit.bytes + limit.bytes / 32;
  const int64_t release_begin_ns = CurrentThreadCpuNs();
  std::vector<Chunk> chunks;
  // A look into the segments is needed only if all bytes together are more than the limit.
  const uint64_t kept_bytes = bytes > watched_bytes ? CollectReleasable(live, chunks) : 0;
  const uint64_t counted_bytes = bytes - std::min(bytes, kept_bytes);
  const bool has_dropped =
      counted_bytes > tolerated_bytes && Release(std::move(chunks), counted_bytes - limit.bytes, limit.kind);
  const int64_t release_ns = CurrentThreadCpuNs() - release_begin_ns;
  if (!is_closed_ && bytes >= kCloseShare * limit.bytes) Close();
  if (is_closed_ && window_ns_ != 0 && counted_bytes <= limit.bytes && bytes < kCloseShare * limit.bytes) Reopen();
  const bool is_busy = counted_bytes > watched_bytes || !ended.empty();
  // Thousands of live processes with nothing to drop must not be asked for it all the time.
  const int64_t busy_ns = (listing_ns + (has_dropped ? 0 : release_ns)) * kBusyRestShare;
  return is_busy ? std::max(kShortPauseNs, busy_ns) : std::max({kUsualPauseNs, listing_ns * kRestShare, busy_ns});
}

}  // namespace geckoprof
