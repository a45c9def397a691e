#include "geckoprof/config/thread_filter.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "geckoprof/base/thread_name.h"
#include "geckoprof/config/start_number.h"

namespace geckoprof {
namespace {

constexpr std::string_view kPidPrefix = "pid:";

char ToLowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool ContainsIgnoringCase(std::string_view text, std::string_view wanted) {
  for (size_t start = 0; start + wanted.size() <= text.size(); ++start) {
    size_t same = 0;
    while (same < wanted.size() && ToLowerAscii(text[start + same]) == ToLowerAscii(wanted[same])) ++same;
    if (same == wanted.size()) return true;
  }
  return false;
}

// Returns the number after "pid:", if the item has that form.
std::optional<uint64_t> PidOf(std::string_view item) {
  if (!item.starts_with(kPidPrefix)) return std::nullopt;
  const std::string_view digits(item.data() + kPidPrefix.size(), item.size() - kPidPrefix.size());
  if (digits.starts_with('0')) return std::nullopt;
  return ParseDecimal(digits);
}

bool NamesProcess(std::string_view item, ProcessId pid) {
  const std::optional<uint64_t> number = PidOf(item);
  return number && pid.ToNumber() > 0 && *number == static_cast<uint64_t>(pid.ToNumber());
}

}  // namespace

bool ThreadFilter::IsWellFormed(std::string_view item) { return !item.starts_with(kPidPrefix) || PidOf(item); }

FilterAddResult ThreadFilter::Add(std::string_view item) {
  if (count_ == kMaxItems) return FilterAddResult::kFull;
  const size_t kept = std::min(item.size(), kItemBytes - 1);
  char* const slot = items_[count_++];
  if (kept != 0) std::memcpy(slot, item.data(), kept);
  slot[kept] = '\0';
  return kept == item.size() ? FilterAddResult::kAdded : FilterAddResult::kShortened;
}

bool ThreadFilter::Matches(std::string_view thread_name, ProcessId own_pid) const {
  if (count_ == 0) return true;
  for (size_t i = 0; i < count_; ++i) {
    const std::string_view wanted = item(i);
    if (wanted == "*" || ContainsIgnoringCase(thread_name, wanted) || NamesProcess(wanted, own_pid)) return true;
  }
  return false;
}

bool ThreadFilter::MatchesMain(std::string_view registered_name, ProcessId own_pid) const {
  if (Matches(registered_name, own_pid) || Matches(kMainThreadName, own_pid)) return true;
  char kernel_name[64];
  // The id of the main thread is the process id.
  ReadKernelThreadName(ThreadId::FromNumber(own_pid.ToNumber()), kernel_name);
  return Matches(kernel_name, own_pid);
}

bool ThreadFilter::ExcludesProcess(ProcessId own_pid) const {
  if (count_ == 0) return false;
  for (size_t i = 0; i < count_; ++i) {
    if (!item(i).starts_with(kPidPrefix) || NamesProcess(item(i), own_pid)) return false;
  }
  return true;
}

}  // namespace geckoprof
