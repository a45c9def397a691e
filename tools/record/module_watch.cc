#include "tools/record/module_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/segment/segment_format.h"
#include "tools/record/session_contents.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/support/process_state.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int64_t kShortestPauseNs = 5 * kNsPerMs, kUsualPauseNs = 250 * kNsPerMs;
constexpr int64_t kSweepNs = 2 * kNsPerMs;  // that one look spends on processes that are no news
// Rests as multiples of what a look took: after news, and otherwise.
constexpr int64_t kNewsRest = 50, kRest = 100;
constexpr size_t kMostNewsAtOnce = 64;
constexpr int kMostMisses = 8;  // a program is between two images for a moment

constexpr uint64_t kMaxCopyBytes = uint64_t{256} << 20, kMaxAllCopiesBytes = uint64_t{512} << 20;
constexpr size_t kMostGrowthSteps = 4096;
constexpr int64_t kLeastKeptNs = 60 * kNsPerSecond;  // of files, with a window

// The mount that an open file was reached by; 0 where the kernel does not say (before 5.8).
uint64_t MountOf(const Fd& file) {
  struct statx status = {};
  if (statx(file.number(), "", AT_EMPTY_PATH, STATX_MNT_ID, &status) != 0) return 0;
  return (status.stx_mask & STATX_MNT_ID) != 0 ? status.stx_mnt_id : 0;
}

// Lets this process have as many open files as it may, and returns how many of them may be held.
size_t MostFiles() {
  constexpr rlim_t kEnough = 65536, kOthers = 192;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t wanted = std::min(std::max(limit.rlim_cur, kEnough), limit.rlim_max);
  if (wanted > limit.rlim_cur) {
    const rlimit raised = {wanted, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit.rlim_cur = wanted;
  }
  return limit.rlim_cur > kOthers ? static_cast<size_t>(std::min(limit.rlim_cur, kEnough) - kOthers) : 0;
}

bool IsOfDevice(const struct stat& status, const std::tuple<uint32_t, uint32_t, uint64_t>& file) {
  return std::tuple(major(status.st_dev), minor(status.st_dev), uint64_t{status.st_ino}) == file;
}

// Some file systems (btrfs, overlayfs) have other numbers in the maps than in stat. So the file is mapped here, and
// this process's own maps are read.
bool IsMappedAs(const Fd& file, const std::tuple<uint32_t, uint32_t, uint64_t>& wanted) {
  constexpr size_t kPageBytes = 4096;
  void* const page = mmap(nullptr, kPageBytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (page == MAP_FAILED) return false;
  std::string text;
  const int error = ReadWholeFile("/proc/self/maps", text);
  munmap(page, kPageBytes);
  std::string_view rest = error == 0 ? text : std::string_view();
  while (!rest.empty()) {
    MapsLine line;
    if (!NextMapsLine(rest, line) || line.start_avma != reinterpret_cast<uintptr_t>(page)) continue;
    return std::tuple(line.dev_major, line.dev_minor, line.inode) == wanted;
  }
  return false;
}

bool IsJitdumpName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

}  // namespace

// The first numbers of the lines of mountinfo (proc(5)).
ModuleWatch::Mounts ModuleWatch::MountsNow() {
  std::string text;
  Mounts mounts;
  if (ReadWholeFile("/proc/self/mountinfo", text) != 0) return mounts;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    uint64_t number = 0;
    if (std::from_chars(text.data() + start, text.data() + end, number).ec == std::errc()) mounts.insert(number);
    start = end + 1;
  }
  return mounts;
}

ModuleWatch::ModuleWatch(std::string session, int signal_number, HeldFiles* files, Mounts mounts, int64_t window_ns)
    : session_(std::move(session)),
      files_(files),
      mounts_(std::move(mounts)),
      most_files_(MostFiles()),
      window_ns_(window_ns) {
  WatchFolder(signal_number);
  ListFolder();  // the program may have begun
}

void ModuleWatch::WatchFolder(int signal_number) {
  news_ = Fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!news_.ok()) return;
  if (inotify_add_watch(news_.number(), session_.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0 ||
      fcntl(news_.number(), F_SETSIG, signal_number) != 0 || fcntl(news_.number(), F_SETOWN, getpid()) != 0 ||
      fcntl(news_.number(), F_SETFL, O_NONBLOCK | O_ASYNC) != 0) {
    news_.Close();
  }
}

void ModuleWatch::ReadNews() {
  if (!news_.ok()) return ListFolder();
  alignas(inotify_event) char buffer[16 * 1024];
  for (ssize_t got; (got = read(news_.number(), buffer, sizeof(buffer))) > 0;) {
    for (const char* at = buffer; at < buffer + got;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(at);
      if ((event->mask & IN_Q_OVERFLOW) != 0) ListFolder();
      if (event->len > 0) AddSegment(event->name);
      at += sizeof(inotify_event) + event->len;
    }
  }
}

void ModuleWatch::ListFolder() {
  DIR* const folder = opendir(session_.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = readdir(folder)) AddSegment(entry->d_name);
  closedir(folder);
}

void ModuleWatch::AddSegment(std::string_view name) {
  SegmentName segment;
  if (!name.ends_with(kSegmentSuffix) || !segment.Parse(name)) return;
  const auto add = [this, &segment](pid_t pid, bool is_of_session) {
    // A process that is known has become another program by exec.
    const auto known = std::find_if(processes_.begin(), processes_.end(),
                                    [pid](const Process& process) { return process.pid == pid; });
    if (known != processes_.end()) {
      if (static_cast<size_t>(processes_.end() - known) <= news_count_) --news_count_;
      processes_.erase(known);
    }
    const HeldFiles::ProcessId id{segment.pid, PidNamespaces::NumberOf(Concat("/proc/", pid))};
    processes_.push_back({pid, id, MonotonicNs(), is_of_session});
    ++news_count_;
  };
  const bool is_of_session = IsOfSession(Concat("/proc/", segment.pid), session_);
  if (!is_of_session) {
    if (const pid_t other = FindInOtherNamespace(segment.pid); other != 0) return add(other, true);
  }
  // A program that writes over its environment is told by the segment that it maps.
  add(segment.pid, is_of_session);
}

// All processes of the machine are looked through, so this must not happen often: a process that has ended meanwhile is
// in no namespace.
pid_t ModuleWatch::FindInOtherNamespace(int32_t pid) {
  if (MonotonicNs() >= others_looked_for_ns_ + kUsualPauseNs) {
    others_.clear();
    for (const pid_t each : ProcessIds()) {
      const std::string folder = Concat("/proc/", each);
      const pid_t innermost = PidNamespaces::InnermostPid(folder);
      if (innermost != 0 && innermost != each && IsOfSession(folder, session_)) others_[innermost] = each;
    }
    others_looked_for_ns_ = MonotonicNs();
  }
  const auto found = others_.find(pid);
  return found != others_.end() ? found->second : 0;
}

int64_t ModuleWatch::Look(int64_t now_ns) {
  if (now_ns < not_before_ns_) return not_before_ns_ - now_ns;
  // On a busy machine a look takes long and costs little.
  const int64_t begin_cpu_ns = CurrentThreadCpuNs();
  news_count_ = 0;
  ReadNews();
  const bool has_news = news_count_ > 0;
  const size_t old_count = processes_.size() - news_count_;
  const auto drop = [this, now_ns](size_t place) {
    if (window_ns_ != 0) ended_.push_back({processes_[place].id, now_ns});
    processes_[place] = processes_.back();
    processes_.pop_back();
  };
  // News first, then as many of the others as there is time for.
  for (size_t place = processes_.size(); place > old_count; --place) {
    if (processes_.size() - place < kMostNewsAtOnce && !LookAt(processes_[place - 1])) drop(place - 1);
  }
  for (size_t left = std::min(old_count, processes_.size()); left > 0; --left) {
    if (next_ >= processes_.size()) next_ = 0;
    if (processes_.empty()) break;
    if (LookAt(processes_[next_])) {
      ++next_;
    } else {
      drop(next_);
    }
    if (CurrentThreadCpuNs() - begin_cpu_ns > kSweepNs) break;
  }
  if (window_ns_ != 0 && now_ns >= forget_due_ns_) Forget(now_ns);
  const int64_t took_ns = CurrentThreadCpuNs() - begin_cpu_ns;
  not_before_ns_ = now_ns + took_ns * (has_news ? kNewsRest : kRest);
  int64_t pause_ns = kUsualPauseNs;
  for (const Process& process : processes_) pause_ns = std::min(pause_ns, now_ns - process.since_ns);
  return std::max({pause_ns, kShortestPauseNs, not_before_ns_ - now_ns});
}

void ModuleWatch::Forget(int64_t now_ns) {
  forget_due_ns_ = now_ns + window_ns_ / 4;
  // Long enough for a process that is looked at seldom, and for a capture that is being made.
  const int64_t before_ns = now_ns - std::max(2 * window_ns_, kLeastKeptNs);
  for (; !ended_.empty() && ended_.front().seen_ns < before_ns; ended_.pop_front()) {
    const HeldFiles::ProcessId& id = ended_.front().id;
    // The kernel may have given the number to another process.
    if (std::ranges::find(processes_, id, &Process::id) == processes_.end()) files_->RemoveProcess(id);
  }
  const auto forget = [&](const Known& known) {
    if (known.seen_ns >= before_ns) return false;
    if (known.file != nullptr) files_->RemoveObject(known.file);
    copied_bytes_ -= known.copied_bytes;
    is_full_ = false;
    return true;
  };
  absl::erase_if(known_, [&forget](const auto& entry) { return forget(entry.second); });
  std::erase_if(replaced_, forget);
}

bool ModuleWatch::LookAt(Process& process) {
  std::string maps;
  // A process that waits to be waited for has no maps any more.
  if (ReadWholeFile(Concat("/proc/", process.pid, "/maps").c_str(), maps) != 0 || maps.empty()) return false;
  bool has_segment = false;
  const std::vector<Mapping> mappings = CodeOf(maps, &has_segment);
  process.misses = has_segment ? 0 : process.misses + 1;
  process.is_of_session |= has_segment;
  // A segment is made shortly before it is mapped. Later, a pid without one may be another process's.
  const bool is_new = process.is_of_session && process.misses == 1;
  if (!has_segment && !is_new) return process.misses < kMostMisses;
  for (const Mapping& mapping : mappings) LookAtMapping(process, mapping);
  LookAtPerfMap(process);
  return true;
}

std::vector<ModuleWatch::Mapping> ModuleWatch::CodeOf(std::string_view maps, bool* has_segment) const {
  std::vector<Mapping> files;
  while (!maps.empty()) {
    MapsLine line;
    if (!NextMapsLine(maps, line) || line.inode == 0 || !line.path.starts_with('/')) continue;
    if (line.path.ends_with(kSegmentSuffix)) {
      const size_t folder = line.path.rfind('/', line.path.rfind('/') - 1);
      *has_segment |= session_.ends_with(line.path.substr(folder, line.path.rfind('/') - folder));
      continue;
    }
    const std::tuple file(line.dev_major, line.dev_minor, line.inode);
    if (files.empty() || files.back().device_and_inode != file || line.file_offset == 0) {
      if (!files.empty() && files.back().code.end_avma == 0) files.pop_back();
      files.push_back({file, UnescapeMapsPath(line.path), {line.start_avma, line.end_avma}, {}, line.deleted});
    }
    if (line.executable && files.back().code.end_avma == 0) files.back().code = {line.start_avma, line.end_avma};
  }
  if (!files.empty() && files.back().code.end_avma == 0) files.pop_back();
  return files;
}

Fd ModuleWatch::OpenMapped(const Process& process, const Mapping& mapping) const {
  const std::string folder = Concat("/proc/", process.pid);
  std::vector<std::string> paths;
  if (!mapping.is_deleted) paths.push_back(Concat(folder, "/root", mapping.path));
  // The kernel lets only root follow the first of these.
  paths.push_back(
      Concat(folder, "/map_files/", HexText(mapping.first.start_avma), "-", HexText(mapping.first.end_avma)));
  paths.push_back(Concat(folder, "/exe"));
  for (const std::string& path : paths) {
    // Without opening it first: that may do something to a device.
    const Fd place = Fd::Open(path.c_str(), O_PATH);
    struct stat status;
    if (!place.ok() || fstat(place.number(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const bool is_same = IsOfDevice(status, mapping.device_and_inode);
    if (!is_same && status.st_ino != std::get<2>(mapping.device_and_inode) && path.ends_with("/exe")) continue;
    Fd file = Fd::Open(Concat("/proc/self/fd/", place.number()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file.ok() && (is_same || IsMappedAs(file, mapping.device_and_inode))) return file;
  }
  return Fd();
}

// Returns the file to hold: the file itself, or its copy. Nothing if it is too large to be copied.
Fd ModuleWatch::Keep(Fd file) {
  const uint64_t mount = MountOf(file);
  if (mount == 0 || mounts_.contains(mount)) return file;
  struct stat status;
  if (fstat(file.number(), &status) != 0 || status.st_size < 0) return Fd();
  const auto size_bytes = static_cast<uint64_t>(status.st_size);
  if (size_bytes > kMaxCopyBytes || size_bytes > kMaxAllCopiesBytes - copied_bytes_) return Fd();
  Fd copy(memfd_create("geckoprof-module", MFD_CLOEXEC));
  if (!copy.ok()) return Fd();
  off_t offset = 0;
  while (offset < status.st_size) {
    const ssize_t sent = sendfile(copy.number(), file.number(), &offset, static_cast<size_t>(status.st_size - offset));
    if (sent <= 0) return Fd();
  }
  copied_bytes_ += size_bytes;
  return copy;
}

void ModuleWatch::LookAtMapping(const Process& process, const Mapping& mapping) {
  const auto [major_number, minor_number, inode] = mapping.device_and_inode;
  const std::tuple key(major_number, minor_number, inode, mapping.path);
  if (known_.size() >= most_files_ && !known_.contains(key)) {
    if (!std::exchange(is_full_, true)) files_->CountLeftOut();
    return;
  }
  const auto [entry, is_new] = known_.try_emplace(key);
  Known& known = entry->second;
  if (!known.is_open) {
    FileIdentity now = FileIdentity::Of(Concat("/proc/", process.pid, "/root", mapping.path));
    if (is_new || now != known.identity) Hold(process, mapping, &known);
    known.identity = std::move(now);
  }
  known.seen_ns = MonotonicNs();
  if (known.file != nullptr && known.file->build_id().empty()) {
    files_->AddMapping(process.id, mapping.first.start_avma, known.file);
  }
}

void ModuleWatch::Hold(const Process& process, const Mapping& mapping, Known* known) {
  if (window_ns_ != 0 && known->file != nullptr) replaced_.push_back(*known);
  *known = {.seen_ns = MonotonicNs()};
  Fd file = OpenMapped(process, mapping);
  if (!file.ok()) return;
  if (IsJitdumpName(mapping.path)) {
    files_->JitFilesOf(process.id).push_back({std::move(file), {}});
    known->is_open = true;
    return;
  }
  const int number = file.number();
  const uint64_t copied_before_bytes = copied_bytes_;
  Fd kept = Keep(std::move(file));
  const bool is_copy = kept.number() != number;
  if (!kept.ok()) return files_->CountLeftOut();
  known->copied_bytes = copied_bytes_ - copied_before_bytes;
  known->file = files_->AddObject(std::move(kept), mapping.path);
  known->is_open = known->file != nullptr && !is_copy;
}

// The perf map of a process. Anybody may put files into /tmp, so JitMap checks whose it is.
void ModuleWatch::LookAtPerfMap(const Process& process) {
  const std::deque<HeldJitFile>* const held = std::as_const(*files_).FindJitFiles(process.id);
  HeldJitFile* map = nullptr;
  if (held != nullptr) {
    for (HeldJitFile& file : files_->JitFilesOf(process.id)) {
      if (!file.growth.empty()) map = &file;
    }
  }
  if (map == nullptr) {
    const int64_t start_s = time(nullptr) - (MonotonicNs() - process.since_ns) / kNsPerSecond;
    Fd file = JitMap::OpenOfProcess(process.id.pid, start_s, Concat("/proc/", process.pid, "/root", "/tmp"),
                                    ReadProcessUser(process.pid));
    if (!file.ok()) return;
    files_->JitFilesOf(process.id).push_back({std::move(file), {}});
    map = &files_->JitFilesOf(process.id).back();
  }
  struct stat status;
  if (fstat(map->file.number(), &status) != 0) return;
  const auto size_bytes = static_cast<uint64_t>(std::max<off_t>(status.st_size, 0));
  if (map->growth.empty() || map->growth.back().size_bytes != size_bytes) {
    // Every other step is enough where there are many.
    if (map->growth.size() >= kMostGrowthSteps) {
      for (size_t i = 1; 2 * i < map->growth.size(); ++i) map->growth[i] = map->growth[2 * i];
      map->growth.resize((map->growth.size() + 1) / 2);
    }
    map->growth.push_back({MonotonicNs(), size_bytes});
  } else if (map->growth.size() > 1 && map->growth[map->growth.size() - 2].size_bytes == size_bytes) {
    map->growth.back().time_ns = MonotonicNs();  // the end of a time without growth
  } else {
    map->growth.push_back({MonotonicNs(), size_bytes});
  }
}

}  // namespace geckoprof
