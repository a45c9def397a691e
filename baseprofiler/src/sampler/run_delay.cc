#include "sampler/run_delay.h"

#include <fcntl.h>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

// Removes a number and the character behind it from the begin of `text`.
bool NextNumber(std::string_view& text, int64_t& out) {
  uint64_t value = 0;
  size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    constexpr size_t kMostDigits = 18;  // so that it fits
    if (digits == kMostDigits) return false;
    value = value * 10 + static_cast<uint64_t>(text[digits] - '0');
  }
  if (digits == 0) return false;
  text.remove_prefix(std::min(digits + 1, text.size()));
  out = static_cast<int64_t>(value);
  return true;
}

}  // namespace

bool RunDelay::Parse(std::string_view line, RunDelay& out) {
  return NextNumber(line, out.ran_ns) && NextNumber(line, out.ready_ns) && NextNumber(line, out.slices) && line.empty();
}

Fd Schedstat::Open(ThreadId tid) {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid.ToNumber()).Text("/schedstat");
  return Fd::Open(path, O_RDONLY);
}

Schedstat::Schedstat() : is_counted_(Fd::Open("/proc/thread-self/schedstat", O_RDONLY).ok()) {}

bool Schedstat::Read(const Fd& file, bool has_run, RunDelay& out) {
  char line[64];
  const long bytes = RawSyscall(SYS_pread64, file.number(), line, sizeof(line), 0);
  if (bytes <= 0 || !RunDelay::Parse({line, static_cast<size_t>(bytes)}, out)) return false;
  if (has_run && out.slices == 0 && out.ran_ns == 0 && out.ready_ns == 0) is_counted_ = false;
  return is_counted_;
}

}  // namespace geckoprof
