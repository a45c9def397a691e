#include "tools/record/missing_stacks.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/profile_facts.h"
#include "geckoprof/reader/stack_reason.h"
#include "geckoprof/unwind/unwind_end.h"
#include "tools/record/unrecorded_processes.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr std::string_view kNoStack = "(no stack)";

struct Remedy {
  uint64_t reason;  // a StackProblem or an UnwindEnd
  std::string_view text;
};
constexpr Remedy kRemedies[] = {
    {static_cast<uint64_t>(StackProblem::kSignalBlocked), "Unblock SIGURG or SIGWINCH in such threads."},
    {static_cast<uint64_t>(StackProblem::kSignalInUse),
     "Do not ignore both SIGURG and SIGWINCH, and set handlers of them with SA_RESTART."},
    {static_cast<uint64_t>(StackProblem::kInSignalHandler),
     "Give each alternate signal stack 32 KiB more than sysconf(_SC_SIGSTKSZ)."},
    {static_cast<uint64_t>(StackProblem::kTraced), "Record the program without its tracer."},
    {static_cast<uint64_t>(UnwindEnd::kNoModule),
     "Let runtimes with generated code keep frame pointers (java -XX:+PreserveFramePointer)."},
    {static_cast<uint64_t>(UnwindEnd::kNoRule),
     "Compile such code with -fasynchronous-unwind-tables or -fno-omit-frame-pointer."},
};

std::string_view RemedyFor(std::string_view reason) {
  const auto found = std::ranges::find_if(
      kRemedies, [reason](const Remedy& remedy) { return StackReasonText(remedy.reason) == reason; });
  return found == std::end(kRemedies) ? "" : found->text;
}

// Stacks with labels alone need no reason.
bool HasNativeStacks(const ProcessProfile& process) {
  return std::ranges::find(process.features, "stackwalk") != process.features.end();
}

// Returns the row of the text of each stack's reason, or kNone if the stack is complete.
std::vector<int32_t> ReasonsOf(const ProcessProfile& process) {
  // These say something about one frame.
  const std::string_view unloaded = StackReasonText(static_cast<uint64_t>(StackProblem::kCodeUnloaded));
  const std::string_view scanned = StackReasonText(static_cast<uint64_t>(StackProblem::kFoundByScan));
  std::vector<int32_t> reasons(process.stacks.size(), kNone);
  for (size_t i = 0; i < process.stacks.size(); ++i) {
    const StackRow& stack = process.stacks[i];
    if (stack.prefix != kNone) reasons[i] = reasons[static_cast<size_t>(stack.prefix)];
    const FrameRow& frame = process.frames[static_cast<size_t>(stack.frame)];
    if (frame.kind != FrameKind::kReason || frame.text == kNone) continue;
    const std::string_view text = process.strings[static_cast<size_t>(frame.text)];
    if (text != unloaded && text != scanned) reasons[i] = frame.text;
  }
  return reasons;
}

std::string Percent(uint64_t part, uint64_t whole) {
  return Concat(static_cast<uint64_t>(100.0 * static_cast<double>(part) / static_cast<double>(whole) + 0.5), " %");
}

}  // namespace

void MissingStacks::AddProcess(const ProcessProfile& process) {
  const bool has_native = HasNativeStacks(process);
  const std::vector<int32_t> reasons = has_native ? ReasonsOf(process) : std::vector<int32_t>();
  std::vector<uint64_t> counts(process.strings.size());
  for (const ThreadRow& thread : process.threads) {
    for (const SampleRow& sample : thread.samples) {
      if (!IsSample(sample)) continue;
      ++samples_;
      if (!has_native) continue;
      ++with_native_;
      if (sample.stack <= 0) {  // the root alone is no stack either
        ++by_reason_[std::string(kNoStack)];
      } else if (const int32_t reason = reasons[static_cast<size_t>(sample.stack)]; reason != kNone) {
        ++counts[static_cast<size_t>(reason)];
      }
    }
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) by_reason_[std::string(process.strings[i])] += counts[i];
  }
}

std::string MissingStacks::Note() const {
  constexpr uint64_t kFewest = 20;
  constexpr uint64_t kSmallShare = 10;  // a tenth
  constexpr size_t kMostReasons = 3;
  std::vector<std::pair<std::string_view, uint64_t>> reasons(by_reason_.begin(), by_reason_.end());
  std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.second > b.second; });
  uint64_t missing = 0;
  for (const auto& [reason, count] : reasons) missing += count;
  if (missing < kFewest || missing * kSmallShare <= with_native_) return "";
  std::string note = Concat(Percent(missing, with_native_), " of the samples lack their stack or its outer frames: ");
  std::string remedies;
  uint64_t shown = 0;
  for (size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
    const auto& [reason, count] = reasons[i];
    note += Concat(i == 0 ? "" : ", ", Percent(count, with_native_), " ", reason);
    shown += count;
    if (const std::string_view remedy = RemedyFor(reason); !remedy.empty()) remedies += Concat(" ", remedy);
  }
  if (shown < missing) note += Concat(", ", Percent(missing - shown, with_native_), " for other reasons");
  return remedies.empty() ? note : Concat(note, ".", remedies);
}

namespace {

// Below these, a recording is as good as one without gaps.
constexpr int64_t kLeastNs = 20 * kNsPerMs;
constexpr int64_t kLeastShare = 100;  // one per cent

void AddNs(int64_t ns, int64_t& sum_ns) { sum_ns += std::clamp<int64_t>(ns, 0, INT64_MAX - sum_ns); }

std::string Ms(int64_t ns) { return Concat((ns + kNsPerMs / 2) / kNsPerMs, " ms"); }

}  // namespace

void RecordedGaps::AddProcess(const ProcessProfile& process) {
  if (IsUnrecorded(process)) return;  // it says so
  for (const ThreadRow& thread : process.threads) {
    for (const SampleRow& sample : thread.samples) {
      AddNs(sample.cpu_delta_ns, cpu_ns_);
      if (!IsGap(sample)) continue;
      ++count_;
      AddNs(sample.cpu_delta_ns, gaps_ns_);
      longest_ns_ = std::max(longest_ns_, sample.cpu_delta_ns);
    }
  }
}

std::string RecordedGaps::Note() const {
  if (gaps_ns_ < kLeastNs || gaps_ns_ < cpu_ns_ / kLeastShare) return "";
  const auto percent = static_cast<int64_t>(100.0 * static_cast<double>(gaps_ns_) / static_cast<double>(cpu_ns_) + 0.5);
  return Concat("running threads had no samples for ", Ms(gaps_ns_), " (", percent, " % of the CPU time), in ", count_,
                count_ == 1 ? " gap" : Concat(" gaps, the longest ", Ms(longest_ns_)),
                ". The sampler was late, or it had no buffer left. A less busy machine or a longer --interval helps.");
}

}  // namespace geckoprof
