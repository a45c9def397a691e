#include "geckoprof/control/controllable_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/control/process_state.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {
namespace {

constexpr std::string_view kLibrary = "libbaseprofiler.so";
constexpr int64_t kPauseNs = kNsPerMs / 5;  // between two looks for an answer

uint64_t ToNumber(const std::optional<std::string>& text, int base) {
  uint64_t number = 0;
  if (text.has_value()) std::from_chars(text->data(), text->data() + text->size(), number, base);
  return number;
}

bool HasControlSignal(const std::optional<std::string>& set) {
  constexpr int kHex = 16;
  return (ToNumber(set, kHex) & SignalBit(kControlSignal)) != 0;
}

std::string UserName(uid_t user) { return user == 0 ? "root" : "user " + std::to_string(user); }

// The files that a process has mapped, as far as they matter here.
struct Mapped {
  bool has_library = false;  // base
  bool has_any = false;      // a shared library or the loader
};
Mapped FindMapped(std::string_view maps) {
  Mapped found;
  while (!maps.empty()) {
    MapsLine line;
    if (!NextMapsLine(maps, line)) continue;
    const std::string_view name = line.path.substr(line.path.rfind('/') + 1);
    found.has_any |= name.find(".so") != std::string_view::npos;
    found.has_library |= name.starts_with(kLibrary);
  }
  return found;
}

// RequestFile is the file of one request, which disappears with the object.
class RequestFile {
 public:
  RequestFile() = default;
  RequestFile(RequestFile&&) = default;
  RequestFile& operator=(RequestFile&&) = delete;
  ~RequestFile() {
    if (file_.ok()) unlinkat(folder_.number(), name_.c_str(), 0);
  }

  // Makes the file where the process with this folder below /proc finds it, for `user`. Links of the process lead to
  // places below its own root, and the folder must be one in which any user may make files. Returns what went wrong, or
  // an empty text. REQUIRES: the first call.
  std::string Make(const std::string& proc_folder, uid_t user, const ControlRequest& request) {
    std::string tried;
    for (const char* const folder : kControlFolders) {
      const int error = TryMake(proc_folder, folder, user, request);
      if (error == 0) return "";
      if (file_.ok()) unlinkat(folder_.number(), name_.c_str(), 0);
      file_.Close();
      tried += (tried.empty() ? "" : ", ") + std::string(folder) + ": " + strerrordesc_np(error);
    }
    return "cannot be given a request (" + tried + ")";
  }

  ControlAnswer Answer() const {
    uint32_t answer = 0;
    const ssize_t bytes = pread(file_.number(), &answer, sizeof(answer), offsetof(ControlRequest, answer));
    return bytes == sizeof(answer) ? static_cast<ControlAnswer>(answer) : ControlAnswer::kUnseen;
  }

 private:
  // Returns 0 or an errno.
  int TryMake(const std::string& proc_folder, std::string_view folder, uid_t user, const ControlRequest& request) {
    const Fd root = Fd::Open((proc_folder + "/root").c_str(), O_PATH | O_DIRECTORY);
    if (!root.ok()) return root.error();
    open_how how = {};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const std::string relative(folder.substr(1));
    folder_ = Fd(static_cast<int>(syscall(SYS_openat2, root.number(), relative.c_str(), &how, sizeof(how))));
    if (!folder_.ok()) return errno;
    struct stat info = {};
    constexpr mode_t kOfAll = S_ISVTX | S_IWOTH;
    if (fstat(folder_.number(), &info) != 0) return errno;
    if ((info.st_mode & kOfAll) != kOfAll) return EPERM;
    name_ = kControlFilePrefix + std::to_string(request.number);
    file_ = Fd(openat(folder_.number(), name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_.ok()) return errno;
    const bool is_theirs = user == geteuid() || fchown(file_.number(), user, static_cast<gid_t>(-1)) == 0;
    const bool is_written = is_theirs && fchmod(file_.number(), 0600) == 0 &&
                            write(file_.number(), &request, sizeof(request)) == ssize_t{sizeof(request)};
    return is_written ? 0 : errno != 0 ? errno : EIO;
  }

  Fd folder_, file_;
  std::string name_;
};

ControlRequest MakeRequest(ControlCommand command, const std::vector<std::string>& settings) {
  ControlRequest request = {};
  std::copy(std::begin(ControlRequest::kMagic), std::end(ControlRequest::kMagic), request.magic);
  request.size_bytes = sizeof(request);
  request.version = ControlRequest::kVersion;
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), 0) != ssize_t{sizeof(random)}) random = static_cast<uint64_t>(MonotonicNs());
  request.number = random & ControlValue::kNumberMask;
  request.command = static_cast<uint32_t>(command);
  for (const std::string& line : settings) {
    const size_t bytes = line.size() + 1;
    if (request.settings_bytes + bytes >= ControlRequest::kSettingsBytes) break;
    line.copy(request.settings + request.settings_bytes, line.size());
    request.settings_bytes += static_cast<uint32_t>(bytes);
  }
  return request;
}

std::string AnswerText(ControlAnswer answer, ControlCommand command) {
  switch (answer) {
    case ControlAnswer::kUnchanged:
      switch (command) {
        case ControlCommand::kStart:
          return "is recorded already";
        case ControlCommand::kPause:
          return "is not recorded, or it is paused already";
        case ControlCommand::kResume:
          return "is not paused";
        case ControlCommand::kSet:
          return "is not recorded, or its sampler was too busy";
        default:
          return "is not recorded";
      }
    case ControlAnswer::kExcluded:
      return "is excluded by the filters of --threads";
    case ControlAnswer::kNoSegment:
      return "has no memory or room for the recording (a full file system, or a low ulimit -f or -v)";
    case ControlAnswer::kNoThread:
      return "may have no further thread (is there a low ulimit -u?)";
    case ControlAnswer::kOwned:
      return "controls its recording itself, by the full library (libgeckoprofiler.so): stop, pause and resume work";
    default:
      return "does not know the command: its libbaseprofiler.so is of another version";
  }
}

}  // namespace

// PendingRequest is one request that a process has yet to answer.
class ControllableProcess::PendingRequest {
 public:
  explicit PendingRequest(const ControllableProcess* process) : process_(*process) {}

  // Returns what went wrong, or an empty text.
  std::string Begin(ControlCommand command, const std::vector<std::string>& settings) {
    const ControlRequest request = MakeRequest(command, settings);
    number_ = request.number;
    send_ns_ = MonotonicNs();
    const std::string fault = file_.Make(process_.folder(), process_.user_, request);
    return fault.empty() ? "" : process_.title_ + " " + fault;
  }

  // Sends the signal if it is due, and looks for the answer. Returns what went wrong, or an empty text.
  std::string Step() {
    constexpr int64_t kRepeatNs = 25 * kNsPerMs;
    answer_ = file_.Answer();
    if (IsAnswered()) return "";
    // A pending SIGURG swallows ours, and a process that obeys another request drops it.
    if (answer_ == ControlAnswer::kUnseen && MonotonicNs() >= send_ns_) {
      send_ns_ += kRepeatNs;
      return process_.SendSignal({number_, process_.is_filtered_});
    }
    return process_.HasEnded() ? process_.title_ + " has ended" : "";
  }

  ControlAnswer answer() const { return answer_; }
  bool IsAnswered() const { return answer_ > ControlAnswer::kTaken; }

 private:
  const ControllableProcess& process_;
  RequestFile file_;
  uint64_t number_ = 0;
  int64_t send_ns_ = 0;
  ControlAnswer answer_ = ControlAnswer::kUnseen;
};

std::string ControllableProcess::folder() const { return "/proc/" + std::to_string(pid_); }

std::optional<ControllableProcess> ControllableProcess::Find(pid_t pid, std::string& why) {
  const std::string number = std::to_string(pid);
  why = number + " is no process";
  if (pid <= 0) return std::nullopt;
  Fd descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const int error = errno;
  if (!descriptor.ok()) {
    const auto leader = static_cast<pid_t>(ToNumber(ReadStatusField("/proc/" + number, "Tgid"), 10));
    if (error == ESRCH) {
      why = "there is no process " + number;
    } else if (leader != 0 && leader != pid) {
      why = number + " is a thread of process " + std::to_string(leader);
    } else {
      why = "process " + number + ": pidfd_open: " + strerrordesc_np(error);
    }
    return std::nullopt;
  }
  ControllableProcess process(pid, std::move(descriptor));
  bool is_certain = false;
  why = process.Inspect(is_certain);
  // A later process with this id may have been seen.
  if (process.HasEnded() && !is_certain) why = "process " + number + " has ended";
  if (!why.empty()) return std::nullopt;
  return process;
}

bool ControllableProcess::HasEnded() const {
  pollfd end = {descriptor_.number(), POLLIN, 0};
  return poll(&end, 1, 0) == 1;
}

std::string ControllableProcess::Inspect(bool& is_certain) {
  if (ReadWholeFile((folder() + "/comm").c_str(), name_) == 0 && !name_.empty()) name_.pop_back();
  title_ = "process " + std::to_string(pid_) + (name_.empty() ? "" : " (" + name_ + ")");
  const std::optional<ProcessState> state = ReadProcessState(pid_);
  const std::optional<uid_t> user = ReadProcessUser(pid_);
  if (!state.has_value() || !user.has_value()) {
    return title_ + " is not in /proc: has it ended, or is /proc hidden (hidepid)?";
  }
  is_certain = state->is_of_kernel || !state->Lives();
  if (state->is_of_kernel) return title_ + " is a thread of the kernel";
  if (!state->Lives()) return title_ + " has ended (a zombie)";
  user_ = *user;
  if (geteuid() != 0 && user_ != geteuid()) {
    return title_ + " belongs to " + UserName(user_) + ": only that user and root may steer it";
  }
  std::string maps;
  if (const int error = -ReadWholeFile((folder() + "/maps").c_str(), maps); error != 0) {
    return title_ + " does not let this user look into it (" + folder() + "/maps: " + strerrordesc_np(error) + ")";
  }
  const Mapped mapped = FindMapped(maps);
  if (!mapped.has_library) {
    return title_ + " has no libbaseprofiler.so" + (mapped.has_any ? "" : " (static program)") +
           ": start it by `geckoprof record`, or with libbaseprofiler.so in LD_PRELOAD";
  }
  constexpr uint64_t kFilters = 2;  // SECCOMP_MODE_FILTER
  is_filtered_ = ToNumber(ReadStatusField(folder(), "Seccomp"), 10) == kFilters;
  return "";
}

std::string ControllableProcess::CheckListens() const {
  if (HasControlSignal(ReadStatusField(folder(), "SigIgn"))) {
    return title_ + " ignores SIGURG, by which it would be told";
  }
  if (!HasControlSignal(ReadStatusField(folder(), "SigCgt"))) {
    return title_ + " does not listen: is it starting, of an older version, or a set-user-id program?";
  }
  if (BlocksForGood()) return title_ + " blocks SIGURG, by which it would be told, in all threads";
  return "";
}

// A thread blocks every signal for moments, as in base's handler. So one look is not enough.
bool ControllableProcess::BlocksForGood() const {
  constexpr int kLooks = 20;
  constexpr int64_t kLookPauseNs = 5 * kNsPerMs;
  for (int look = 0; look < kLooks; ++look) {
    if (!BlocksInAllThreads()) return false;
    SleepUntilNs(MonotonicNs() + kLookPauseNs);
  }
  return true;
}

bool ControllableProcess::BlocksInAllThreads() const {
  int error = 0;
  const std::string tasks = folder() + "/task/";
  for (const std::string& thread : NamesIn(tasks, error)) {
    const std::optional<std::string> blocked = ReadStatusField(tasks + thread, "SigBlk");
    if (blocked.has_value() && !HasControlSignal(blocked)) return false;
  }
  return error == 0;
}

std::string ControllableProcess::CheckMayAnswer() const {
  const std::optional<ProcessState> state = ReadProcessState(pid_);
  if (!state.has_value() || HasEnded()) return title_ + " has ended";
  if (state->letter == 'T') return title_ + " is stopped, so it cannot answer: continue it (kill -CONT)";
  if (state->letter == 't') return title_ + " is held by a debugger, so it cannot answer";
  return CheckListens();
}

bool ControllableProcess::IsStopped() const {
  const std::optional<ProcessState> state = ReadProcessState(pid_);
  return !state.has_value() || state->letter == 'T' || state->letter == 't';
}

std::string ControllableProcess::SendSignal(ControlValue value) const {
  siginfo_t info;
  memset(&info, 0, sizeof(info));
  info.si_signo = kControlSignal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = value.pointer();
  if (syscall(SYS_pidfd_send_signal, descriptor_.number(), kControlSignal, &info, 0) == 0 || errno == EAGAIN) return "";
  if (errno == ESRCH) return title_ + " has ended";
  return title_ + " cannot be sent a signal: " + strerrordesc_np(errno);
}

std::string ControllableProcess::WhyNoAnswer(ControlAnswer last) const {
  if (last == ControlAnswer::kTaken) return "it has begun to obey, and is still at it";
  const std::optional<ProcessState> state = ReadProcessState(pid_);
  const uint64_t tracer = ToNumber(ReadStatusField(folder(), "TracerPid"), 10);
  if (state.has_value() && state->letter == 'T') return "it is stopped";
  if (state.has_value() && state->letter == 'D') return "it waits in the kernel and takes no signals";
  if (tracer != 0) return "process " + std::to_string(tracer) + " traces it, and may hold signals back";
  if (is_filtered_) return "it is under a seccomp filter, which may forbid it";
  return "does its program handle SIGURG past libc, or is the machine too busy?";
}

std::optional<ControlAnswer> ControllableProcess::Send(ControlCommand command, const std::vector<std::string>& settings,
                                                       int64_t patience_ns, std::string& why) const {
  PendingRequest request(this);
  why = CheckMayAnswer();
  if (why.empty()) why = request.Begin(command, settings);
  const int64_t begin_ns = MonotonicNs();
  while (why.empty() && MonotonicNs() - begin_ns < patience_ns) {
    why = request.Step();
    if (request.IsAnswered()) return request.answer();
    if (why.empty()) SleepUntilNs(MonotonicNs() + kPauseNs);
  }
  if (why.empty()) {
    why = title_ + " did not answer within " + std::to_string(patience_ns / kNsPerSecond) +
          " s: " + WhyNoAnswer(request.answer());
  }
  return std::nullopt;
}

bool ControllableProcess::Obey(ControlCommand command, const std::vector<std::string>& settings,
                               std::string& why) const {
  const std::optional<ControlAnswer> answer = Send(command, settings, kPatienceNs, why);
  if (answer.has_value() && *answer != ControlAnswer::kDone) why = title_ + " " + AnswerText(*answer, command);
  return answer == ControlAnswer::kDone;
}

std::vector<ControlAnswer> ControllableProcess::Command(std::span<const ControllableProcess> processes,
                                                        ControlCommand command,
                                                        const std::vector<std::string>& settings, int64_t patience_ns) {
  struct Waiting {
    size_t process;
    PendingRequest request;
    bool is_over = false;
  };
  std::vector<ControlAnswer> answers(processes.size(), ControlAnswer::kUnseen);
  std::vector<Waiting> requests;
  requests.reserve(processes.size());
  for (size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].IsStopped()) continue;
    requests.push_back({i, PendingRequest(&processes[i])});
    requests.back().is_over = !requests.back().request.Begin(command, settings).empty();
  }
  const int64_t begin_ns = MonotonicNs();
  for (bool is_any_left = true; is_any_left && MonotonicNs() - begin_ns < patience_ns;) {
    is_any_left = false;
    for (Waiting& waiting : requests) {
      if (waiting.is_over) continue;
      waiting.is_over = !waiting.request.Step().empty() || waiting.request.IsAnswered();
      answers[waiting.process] = waiting.request.answer();
      is_any_left |= !waiting.is_over;
    }
    if (is_any_left) SleepUntilNs(MonotonicNs() + kPauseNs);
  }
  return answers;
}

std::vector<std::string> ControllableProcess::Settings() const {
  constexpr std::string_view kShutdown = "GECKOPROF_SHUTDOWN=";
  std::string text;
  std::vector<std::string> settings;
  if (ReadWholeFile((folder() + "/environ").c_str(), text) != 0) return settings;
  text.push_back('\0');
  for (size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    const std::string_view line = text.c_str() + at;
    if (!line.starts_with("GECKOPROF_")) continue;
    const std::string_view path = line.substr(std::min(kShutdown.size(), line.size()));
    if (line.starts_with(kShutdown) && !path.empty() && path.front() != '/') {
      char place[PATH_MAX];
      const ssize_t bytes = readlink((folder() + "/cwd").c_str(), place, sizeof(place));
      if (bytes <= 0) continue;
      settings.push_back(std::string(kShutdown) + std::string(place, static_cast<size_t>(bytes)) + "/" +
                         std::string(path));
    } else {
      settings.emplace_back(line);
    }
  }
  return settings;
}

}  // namespace geckoprof
