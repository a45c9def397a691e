#include "segment_facts.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_parameters.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/segment/clock_pair.h"
#include "geckoprof/segment/segment_format.h"
#include "recorded_times.h"

namespace geckoprof {
namespace {

constexpr std::string_view kDropNames[] = {
    "no-chunk",          "too-large",        "nested-marker",      "metadata-full", "answer-pending",
    "signal-blocked",    "moved-while-read", "no-capture-buffer",  "missed-tick",   "label-overflow",
    "unreadable-stack",  "signal-not-sent",  "unlisted-thread",    "text-cut",      "marker-stack",
    "unlisted-child",    "counter",          "bad-marker",         "thread-ended",  "abandoned-marker",
    "unanswered",        "pending-at-exit",  "small-signal-stack", "traced",        "signal-in-use",
    "in-signal-handler", "throttled"};
static_assert(std::size(kDropNames) == static_cast<size_t>(DropReason::kCount));

constexpr std::string_view kStopNames[] = {"none",
                                           "stopped",
                                           "duration over",
                                           "only thread left",
                                           "single-thread call",
                                           "seccomp filter",
                                           "system call failed",
                                           "no thread allowed",
                                           "out of memory",
                                           "exited",
                                           "exec",
                                           "/proc of another pid namespace",
                                           "system calls dispatched to the program",
                                           "no cycle counter",
                                           "nobody reads it"};
static_assert(std::size(kStopNames) == static_cast<size_t>(StopReason::kCount));

// Takes fields one by one, and counts those that cannot be.
class FieldCheck {
 public:
  // More than two thousand threads have in a hundred years.
  [[gnu::noinline]] uint64_t Count(const std::atomic<uint64_t>& field) {
    constexpr uint64_t kMax = uint64_t{1} << 52;
    const uint64_t count = field.load(std::memory_order_relaxed);
    return Check(count <= kMax) ? count : 0;
  }
  // Returns `holds`, and counts it if it is false.
  [[gnu::noinline]] bool Check(bool holds) {
    implausible_ += holds ? 0 : 1;
    return holds;
  }
  uint64_t implausible() const { return implausible_; }

 private:
  uint64_t implausible_ = 0;
};

void FillLosses(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  for (size_t i = 0; i < std::size(kDropNames); ++i) {
    const uint64_t count = check.Count(header.drops[i]);
    if (count != 0) out.losses.push_back({std::string(kDropNames[i]), count});
  }
}

// Reports a recording that missed most of its ticks, because it shows little of the program's work. Short intervals and
// short recordings on a busy machine are expected to miss ticks.
void FillStarvation(const SegmentHeader& header, ProcessProfile& out) {
  constexpr uint64_t kMany = 500;
  const uint64_t missed = header.drops[static_cast<size_t>(DropReason::kMissedTick)].load(std::memory_order_relaxed);
  const auto ticks = static_cast<uint64_t>((out.end_ns - out.start_ns) / out.interval_ns);
  if (out.interval_ns < 1'000'000 || missed < kMany || missed > UINT64_MAX / 2 || missed * 2 < ticks) return;
  out.problems.emplace_back(
      "Most ticks were missed: the program was stopped, the interval is too short for so many threads, or other "
      "programs left the sampler no processor");
}

void FillPauses(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  for (uint32_t i = 0; i < kPauseBuckets; ++i) {
    out.pauses.upper_ns.push_back(PauseBucketEndNs(i));
    out.pauses.counts.push_back(check.Count(header.pause_counts[i]));
  }
}

// The last sign of life is the last tick's pair of clocks or the heartbeat. The heartbeat is a little later if the
// process could report its end.
int64_t LastSignOfLife(const SegmentHeader& header, const std::optional<ClockPair>& pair, int64_t created_ns,
                       FieldCheck& check) {
  constexpr int64_t kUsuallyApartNs = 1'000'000'000;
  const int64_t heartbeat_ns = PlausibleTime(header.heartbeat_ns.load(std::memory_order_relaxed));
  if (!pair) return heartbeat_ns;
  const int64_t tick_ns = PlausibleTime(pair->ns);
  const auto [first_ns, last_ns] = std::minmax(heartbeat_ns, tick_ns);
  check.Check(last_ns - first_ns <= kMaxApartNs);
  if (last_ns - first_ns <= kUsuallyApartNs + std::clamp(header.interval_ns, int64_t{0}, kMaxIntervalNs))
    return heartbeat_ns;
  return first_ns >= created_ns ? first_ns : last_ns;
}

// The times of exec, constructor, segment and last sign of life must increase. Unknown times are skipped.
void FillTimes(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  constexpr int64_t kLongestStartNs = 3'600'000'000'000;  // of a program that a debugger holds, say
  int64_t created_ns = PlausibleTime(header.created_ns);
  out.constructor_ns = PlausibleTime(header.constructor_ns);
  out.exec_ns = PlausibleTime(header.exec_ns);
  const std::optional<ClockPair> latest = ReadLatestPair(header);
  const int64_t last_ns = LastSignOfLife(header, latest, created_ns, check);
  const int64_t end_ns = last_ns != 0 ? last_ns : kLatestNs;
  if (!check.Check(created_ns <= end_ns)) created_ns = std::min(std::max(out.constructor_ns, out.exec_ns), end_ns);
  if (!check.Check(out.constructor_ns <= created_ns)) out.constructor_ns = 0;
  const int64_t started_ns = out.constructor_ns != 0 ? out.constructor_ns : created_ns;
  const bool can_be = out.exec_ns == 0 || (out.exec_ns <= started_ns && started_ns - out.exec_ns <= kLongestStartNs);
  if (!check.Check(can_be)) out.exec_ns = 0;
  out.start_ns = out.exec_ns != 0 ? out.exec_ns : out.constructor_ns;
  if (out.start_ns == 0) out.start_ns = created_ns;
  check.Check(IsPlausibleTime(header.created_epoch_ns));
  const int64_t start_epoch_ns = PlausibleTime(header.created_epoch_ns) - (created_ns - out.start_ns);
  out.start_epoch_ms = static_cast<double>(std::max<int64_t>(start_epoch_ns, 0)) / 1e6;
  out.end_ns = std::max(last_ns, out.start_ns);
  if (latest) out.last_tick_ns = std::clamp(PlausibleTime(latest->ns), out.start_ns, out.end_ns);
  if (out.exec_ns == 0) out.recording_ns = std::clamp(created_ns, out.start_ns, out.end_ns);
}

// Adds a pause that has not ended. If it ends before the metadata is read, the metadata has its end.
void FillOpenPause(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  const int64_t since_ns = header.paused_since_ns.load(std::memory_order_relaxed);
  if (since_ns == 0 || !check.Check(since_ns >= out.start_ns && since_ns <= out.end_ns + kMaxApartNs)) return;
  const auto reason = static_cast<PauseReason>(header.pause_reason.load(std::memory_order_relaxed));
  out.paused.push_back({since_ns, 0, PauseReasonText(reason)});
}

void FillSeparations(const SegmentHeader& header, ProcessProfile& out) {
  const uint32_t separations = header.separations.load(std::memory_order_relaxed);
  const char* const why = (separations & kChangedUser) != 0       ? "it changed its user"
                          : (separations & kChangedRoot) != 0     ? "it changed its root folder"
                          : (separations & kChangedMounts) != 0   ? "it has file systems of its own"
                          : (separations & kChangedPids) != 0     ? "they have process ids of their own"
                          : (separations & kRestrictedFiles) != 0 ? "it restricted its access to files"
                          : (separations & kHasNoSession) != 0    ? "its session directory could not be used"
                                                                  : nullptr;
  if ((separations & kFolderTaken) != 0) {
    out.problems.push_back("Another user has taken the name of this user's folder for recordings");
  }
  out.is_separated = why != nullptr;
  if (out.is_separated) {
    out.problems.push_back(std::string("Programs that this process started later may be missing: ") + why);
  }
}

std::string CallName(long number) {
  constexpr struct {
    long number;
    std::string_view name;
  } kCalls[] = {{SYS_openat, "openat"},   {SYS_futex, "futex"}, {SYS_clone, "clone"},
                {SYS_unshare, "unshare"}, {SYS_mmap, "mmap"},   {SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo"}};
  for (const auto& call : kCalls) {
    if (call.number == number) return std::string(call.name);
  }
  return "system call " + std::to_string(number);
}

std::string ErrorName(int error) {
  constexpr struct {
    int error;
    std::string_view name;
  } kErrors[] = {{EPERM, "EPERM"},
                 {ENOENT, "ENOENT"},
                 {EAGAIN, "EAGAIN"},
                 {ENOMEM, "ENOMEM"},
                 {EACCES, "EACCES"},
                 {EINVAL, "EINVAL"},
                 {ENFILE, "ENFILE"},
                 {EMFILE, "EMFILE"},
                 {ENOSPC, "ENOSPC"},
                 {ENOSYS, "ENOSYS"},
                 {EFAULT, "EFAULT"},
                 {EBUSY, "EBUSY"},
                 {EISDIR, "EISDIR"},
                 {ENXIO, "ENXIO"},
                 {EROFS, "EROFS"},
                 {EFBIG, "EFBIG"},
                 {ENOTDIR, "ENOTDIR"},
                 {ENOEXEC, "ENOEXEC"},
                 {ENAMETOOLONG, "ENAMETOOLONG"}};
  for (const auto& known : kErrors) {
    if (known.error == error) return std::string(known.name);
  }
  return "error " + std::to_string(error);
}

// If the reason alone names a call, it is the call that creates the sampler thread.
void FillStopDetail(const SegmentHeader& header, ProcessProfile& out) {
  const auto detail = static_cast<uint32_t>(header.stop_detail.load(std::memory_order_relaxed));
  const auto reason = static_cast<StopReason>(header.stop_reason.load(std::memory_order_relaxed));
  if (reason == StopReason::kForeignProc) {
    out.problems.emplace_back(
        "No samples were taken of this process: its /proc is that of another pid namespace (unshare --mount-proc)");
  }
  if (reason == StopReason::kNoMemory) {
    out.problems.emplace_back("Sampling ended early: there was no memory for it (a limit, as of ulimit -d or -v)");
  }
  if (reason == StopReason::kSeccomp) {
    out.problems.emplace_back("Sampling ended early: the program restricted its system calls (seccomp)");
  }
  const bool by_thread = reason == StopReason::kNoThread || reason == StopReason::kSingleThreadCall;
  if (detail == 0 || (!by_thread && reason != StopReason::kSystemCall)) return;
  const std::string call = by_thread ? "clone" : CallName(static_cast<long>(detail >> 16));
  const std::string_view what =
      reason == StopReason::kNoThread ? "The sampler thread could not be made, no samples were taken of this process: "
      : reason == StopReason::kSingleThreadCall
          ? "The sampler thread could not come back, no more samples were taken of this process: "
      : detail >> 16 == SYS_openat ? "Sampling ended early, since no threads could be listed in /proc: "
                                   : "Sampling ended early: ";
  out.problems.push_back(std::string(what) + call + " failed with " + ErrorName(static_cast<int>(detail & 0xffff)));
}

std::string CommandFailureText(int status) {
  switch (static_cast<ShutdownStatus>(status)) {
    case ShutdownStatus::kNotWritten:
      return "the file could not be written";
    case ShutdownStatus::kWrongUse:
      return "the command geckoprof is of another version, which does not know how";
    case ShutdownStatus::kUnreadable:
      return "the command geckoprof is of another version, or could not read the segment";
    case ShutdownStatus::kWritten:
      break;
  }
  return "the command geckoprof ended with status " + std::to_string(status);
}

void FillShutdownFailure(const SegmentHeader& header, ProcessProfile& out) {
  const int detail = header.shutdown_detail.load(std::memory_order_relaxed);
  std::string why;
  switch (static_cast<ShutdownFailure>(header.shutdown_failure.load(std::memory_order_relaxed))) {
    case ShutdownFailure::kNoCommand:
      why = "the command geckoprof could not be started: execve failed with " + ErrorName(detail);
      break;
    case ShutdownFailure::kNoProcess:
      why = "no process could be made for the command geckoprof: " + ErrorName(detail);
      break;
    case ShutdownFailure::kNoHandOver:
      why = "the command geckoprof could not be given the data: " + ErrorName(detail);
      break;
    case ShutdownFailure::kExited:
      why = CommandFailureText(detail);
      break;
    case ShutdownFailure::kKilled:
      why = "the command geckoprof was killed by signal " + std::to_string(detail);
      break;
    case ShutdownFailure::kSlow:
      why = "the command geckoprof took longer than the process waits for it";
      break;
    case ShutdownFailure::kBadPath:
      why = "the file cannot be written: " + ErrorName(detail);
      if (detail == EACCES) {
        why += ", no permission, or another user's file, FIFO or link in a folder that others may write to";
      }
      break;
    default:
      return;
  }
  out.problems.push_back("The profile that GECKOPROF_SHUTDOWN asks for was not there at the end of the process: " +
                         why);
}

// Returns the size in MiB with one digit after the point. A size below one MiB is in KiB.
std::string SizeText(uint64_t bytes) {
  constexpr uint64_t kKib = uint64_t{1} << 10, kMib = uint64_t{1} << 20;
  if (bytes == 0) return "nothing";
  if (bytes < kKib) return std::to_string(bytes) + " bytes";
  if (bytes < kMib) return std::to_string(bytes / kKib) + " KiB";
  const uint64_t tenths = bytes / (kMib / 10);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " MiB";
}

// The start of the process must be known.
void AddReleased(const SegmentHeader& header, ProcessProfile& out) {
  const int64_t until_ns = header.released_until_ns.load(std::memory_order_relaxed);
  if (until_ns <= out.start_ns) return;
  out.problems.push_back(DroppedDataText(until_ns - out.start_ns, header.dropped_for.load(std::memory_order_relaxed)));
}

void FillCapacity(const SegmentHeader& header, ProcessProfile& out) {
  const uint64_t asked = header.capacity_bytes;
  out.capacity_bytes = uint64_t{header.chunk_count} * header.chunk_bytes;
  if (out.capacity_bytes >= asked || asked - out.capacity_bytes <= asked / 20) return;
  out.problems.push_back("The buffer holds " + SizeText(out.capacity_bytes) + ", not the " + SizeText(asked) +
                         " asked for: too little space, or a limit");
}

// Says why a clock took no samples, or not all of them.
void AddRefusal(std::string_view clock, int error, std::string& out) {
  if (error == 0) return;
  const bool is_limit = error == EMFILE || error == ENFILE || error == EAGAIN;
  out += out.empty() ? "" : "; ";
  out += (is_limit ? "a limit allows no more " : "the kernel refuses ") + std::string(clock);
  out += " (" + ErrorName(error) + ")";
}

// The clocks that took the samples of running threads, with their shares, and the rate that was reached.
void FillClocks(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  constexpr std::array<std::string_view, kSampleClockNames.size()> kNames = {"perf events", "CPU timers", "requests"};
  std::array<uint64_t, kNames.size()> counts = {};
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = check.Count(header.samples_by_clock[i]);
  const double all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), uint64_t{0}));
  if (all == 0) return;
  const auto rounded = [](double number) { return std::to_string(static_cast<uint64_t>(number + 0.5)); };
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string percent = rounded(100 * static_cast<double>(counts[i]) / all);
    if (percent == "0") continue;
    out.sampled_by += (out.sampled_by.empty() ? "" : ", ") + std::string(kNames[i]);
    if (percent != "100") out.sampled_by += " " + percent + " %";
  }
  const uint64_t cpu_ns = check.Count(header.sampled_cpu_ns);
  const double rate = all * 1e9 / static_cast<double>(std::max<uint64_t>(cpu_ns, 1));
  constexpr uint64_t kLeastCpuNs = 10'000'000, kFairCpuNs = 100'000'000;  // a short recording shows no rate
  if (cpu_ns >= kLeastCpuNs) out.sampled_by += ": " + rounded(rate) + " samples per second of CPU time";
  const int event_error = header.event_error.load(std::memory_order_relaxed);
  std::string reasons;
  if (header.clocks_forbidden.load(std::memory_order_relaxed) != 0) {
    reasons = "a filter of system calls forbids the kernel's clocks";
  }
  AddRefusal("perf events", event_error, reasons);
  AddRefusal("CPU timers", header.timer_error.load(std::memory_order_relaxed), reasons);
  if (reasons.empty()) return;
  out.sampled_by += "; " + reasons;
  // A limit of the profiler's own time may have made the interval longer.
  const bool is_slow = rate < 0.8e9 / static_cast<double>(out.interval_ns) && out.overhead_limit == 0;
  if (!is_slow || cpu_ns < kFairCpuNs) return;
  // The sysctl refuses with EACCES. Filters of containers use other errors.
  if (event_error == EACCES) reasons += "; sysctl kernel.perf_event_paranoid=2 permits perf events";
  out.problems.push_back("Running threads have " + rounded(rate) + " samples per second of CPU time, not " +
                         rounded(1e9 / static_cast<double>(out.interval_ns)) + ": " + reasons);
}

// The metadata replaces these arguments if the process lived to write it.
void FillArguments(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  if (!check.Check(header.command_line_bytes <= sizeof(header.command_line))) return;
  std::string_view rest(header.command_line, header.command_line_bytes);
  while (!rest.empty()) {
    out.arguments.emplace_back(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(rest.size(), out.arguments.back().size() + 1));
  }
}

void FillExit(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  const uint32_t word = header.exit_word.load(std::memory_order_relaxed);
  if ((word & kExitKnown) == 0) return;
  const int64_t user_ns = header.user_cpu_ns.load(std::memory_order_relaxed);
  const int64_t system_ns = header.system_cpu_ns.load(std::memory_order_relaxed);
  if (!check.Check(user_ns >= 0 && user_ns < kLatestNs && system_ns >= 0 && system_ns < kLatestNs)) return;
  out.cpu_ns = user_ns + system_ns;
  // The kernel does not tell which part of the sampler's time is in the program.
  const int64_t sampler_ns = std::min(out.sampler_cpu_ns, out.cpu_ns);
  const int64_t sampler_user_ns = static_cast<int64_t>(static_cast<double>(sampler_ns) * static_cast<double>(user_ns) /
                                                       static_cast<double>(std::max<int64_t>(out.cpu_ns, 1)));
  out.exit = {static_cast<int>(word & 0xff), user_ns - sampler_user_ns, system_ns - (sampler_ns - sampler_user_ns),
              check.Count(header.peak_memory_bytes)};
}

void FillCrash(const SegmentHeader& header, FieldCheck& check, ProcessProfile& out) {
  constexpr int kLastSignal = 64;
  const SegmentHeader::Crash& crash = header.crash;
  const int signal = crash.signal.load(std::memory_order_acquire);
  if (signal == 0) return;
  const bool can_be = signal > 0 && signal <= kLastSignal && crash.tid > 0 && crash.time_ns >= header.constructor_ns &&
                      crash.time_ns < kLatestNs && crash.time_ns - out.end_ns <= kMaxApartNs;
  if (!check.Check(can_be)) return;
  out.crash = {signal, crash.code, crash.address, crash.pc, crash.time_ns, crash.tid};
  out.crash.sender.assign(header.crash_sender, strnlen(header.crash_sender, sizeof(header.crash_sender)));
  // A destructor may crash after the process has told its status.
  const bool had_ended = out.end_reason != "alive" && out.end_reason != "exited";
  if (!had_ended) out.end_reason = "killed by signal " + std::to_string(signal);
  out.end_ns = std::max(out.end_ns, crash.time_ns);
}

}  // namespace

std::string_view DroppedForText(uint32_t dropped_for) {
  constexpr auto kCapacity = static_cast<uint32_t>(DroppedFor::kCapacity);
  constexpr auto kLiveProcesses = static_cast<uint32_t>(DroppedFor::kLiveProcesses);
  if ((dropped_for & kLiveProcesses) == 0) return "the recording had reached its capacity";
  return (dropped_for & kCapacity) == 0
             ? "the recording had reached 64 KiB for each live process, which is more than its capacity"
             : "the recording had reached its capacity, and later 64 KiB for each live process, which is more";
}

std::string DroppedDataText(int64_t dropped_ns, uint32_t dropped_for) {
  const int64_t tenths = dropped_ns / (100 * kNsPerMs);
  return std::string(kDroppedDataProblem) + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " s was dropped, because " + std::string(DroppedForText(dropped_for));
}

uint64_t FillFromHeader(const SegmentHeader& header, ProcessProfile& out) {
  FieldCheck check;
  out.pid = header.pid;
  out.parent_pid = header.parent_pid;
  out.pid_namespace = header.pid_namespace;
  out.process_start_ticks = header.process_start_ticks;
  out.image = header.image;
  out.command_name.assign(header.command_name, strnlen(header.command_name, sizeof(header.command_name)));
  FillTimes(header, check, out);
  FillOpenPause(header, check, out);
  // No program can request other intervals, so the header is damaged.
  const bool can_be = check.Check(header.interval_ns >= kMinIntervalNs && header.interval_ns <= kMaxIntervalNs);
  out.interval_ns = can_be ? header.interval_ns : kDefaultIntervalNs;
  const bool has_asked = header.asked_interval_ns >= kMinIntervalNs && header.asked_interval_ns <= kMaxIntervalNs;
  if (check.Check(has_asked || header.asked_interval_ns == 0)) out.asked_interval_ns = header.asked_interval_ns;
  if (check.Check(header.overhead_limit <= kMaxOverheadLimit)) out.overhead_limit = header.overhead_limit;
  const uint32_t stop = header.stop_reason.load(std::memory_order_relaxed);
  out.end_reason = stop == 0 ? "alive" : stop < std::size(kStopNames) ? kStopNames[stop] : "unknown";
  FillArguments(header, check, out);
  out.sampler_cpu_ns = static_cast<int64_t>(check.Count(header.sampler_cpu_ns));
  out.handler_ns = static_cast<int64_t>(check.Count(header.handler_ns));
  FillExit(header, check, out);
  FillCrash(header, check, out);
  for (const Feature& feature : kFeatureList) {
    if ((header.features & feature.bit) != 0) out.features.emplace_back(feature.name);
  }
  out.samples_asked = check.Count(header.samples_asked);
  out.samples_taken = check.Count(header.samples_taken);
  out.segment_bytes_used = check.Count(header.sampler_bytes);
  FillClocks(header, check, out);
  FillLosses(header, check, out);
  FillStarvation(header, out);
  FillPauses(header, check, out);
  FillSeparations(header, out);
  FillStopDetail(header, out);
  FillShutdownFailure(header, out);
  FillCapacity(header, out);
  AddReleased(header, out);
  return check.implausible();
}

void MoveMissingFeatures(ProcessProfile& out) {
  static constexpr std::string_view kHooksLibrary = "libgeckoprofiler_hooks.so";
  const auto is_hooks = [](const LibraryRow& row) { return PathBaseName(row.path).starts_with(kHooksLibrary); };
  if (out.libraries.empty() || std::ranges::any_of(out.libraries, is_hooks)) return;
  std::string missing;
  std::erase_if(out.features, [&missing](const std::string& name) {
    if ((FeatureBit(name) & kHookFeatures) == 0) return false;
    missing += (missing.empty() ? "" : ", ") + name;
    return true;
  });
  if (!missing.empty()) out.problems.push_back(std::string(kMissingHooksProblem) + missing);
}

}  // namespace geckoprof
