#include "sampler/blocked_thread_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include <new>
#include <optional>
#include <string_view>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"

namespace geckoprof {
namespace {

// Removes the last word of `line` and returns its value. The kernel prints such words as "0x...".
std::optional<uint64_t> NextHexFromEnd(std::string_view& line) {
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return std::nullopt;
  std::string_view word = line.substr(space + 1);
  line = line.substr(0, space);
  if (word.size() < 3 || word.size() > 18 || word.substr(0, 2) != "0x") return std::nullopt;
  uint64_t value = 0;
  for (const char c : word.substr(2)) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return value;
}

// Returns kNone if `word` is no decimal number.
int64_t NumberIn(std::string_view word) {
  int64_t number = 0;
  for (const char c : word) {
    if (c < '0' || c > '9' || number > INT32_MAX) return SystemCall::kNone;
    number = number * 10 + (c - '0');
  }
  return word.empty() ? SystemCall::kNone : number;
}

}  // namespace

bool BlockedThreadReader::Place::operator==(const Place& other) const {
  return text_bytes == other.text_bytes && memcmp(text, other.text, text_bytes) == 0;
}

Registers BlockedThreadReader::Place::KnownRegisters() const {
  Registers known = Registers::FromPcAndSp(pc, sp);
  if (call.number == SystemCall::kNone) return known;
  for (size_t i = 0; i < call.arguments.size(); ++i) known.Set(kDwarfSyscallArguments[i], call.arguments[i]);
  return known;
}

BlockedThreadReader::BlockedThreadReader() : memory_for_copies_(PageMemory::Map(kMemoryBytes)) {}

Fd BlockedThreadReader::Open(ThreadId tid) {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid.ToNumber()).Text("/syscall");
  return Fd::Open(path, O_RDONLY);
}

BlockedThreadReader::State BlockedThreadReader::ReadPlace(const Fd& file, Place& out) {
  const long got = RawSyscall(SYS_pread64, file.number(), out.text, sizeof(out.text), 0);
  if (got == -ESRCH) return State::kGone;
  if (got <= 0) return State::kNoAccess;
  out.text_bytes = static_cast<uint32_t>(got);
  std::string_view line(out.text, static_cast<size_t>(got));
  if (line.back() == '\n') line.remove_suffix(1);
  if (line == "running") return State::kRunning;
  const auto pc = NextHexFromEnd(line);
  const auto sp = NextHexFromEnd(line);
  if (!pc || !sp) return State::kNoAccess;
  out.pc = *pc;
  out.sp = *sp;
  // The line ends with the arguments, then sp and pc, so it is read from its end. A thread that waits for a page has
  // the number -1 and no arguments.
  out.call = {};
  size_t found = 0;
  for (size_t i = out.call.arguments.size(); i-- > 0;) {
    const auto argument = NextHexFromEnd(line);
    out.call.arguments[i] = argument.value_or(0);
    found += argument.has_value() ? 1 : 0;
  }
  if (found == out.call.arguments.size()) out.call.number = NumberIn(line);
  return *sp == 0 ? State::kGone : State::kBlocked;  // an exiting thread and a zombie have no sp
}

char BlockedThreadReader::StateLetter(ThreadId tid) {
  char path[64];
  TextBuilder(path).Text("/proc/self/task/").Number(tid.ToNumber()).Text("/stat");
  const Fd file = Fd::Open(path, O_RDONLY);
  if (file.error() == ENOENT || file.error() == ESRCH) return 'X';
  if (!file.ok()) return '?';
  char text[128] = {};
  if (RawSyscall(SYS_read, file.number(), text, sizeof(text) - 1) <= 0) return 'X';
  // The line is "PID (NAME) STATE ...". The name may hold any character, so the state follows the last parenthesis.
  const char* const close = strrchr(text, ')');
  return close != nullptr && close[1] == ' ' ? close[2] : '?';
}

bool BlockedThreadReader::CopyStack(const Place& place, uint64_t stack_end) {
  if (stack_end <= place.sp) return false;
  const uint64_t wanted = stack_end - place.sp;
  const size_t bytes = wanted < RoomBytes() ? static_cast<size_t>(wanted) : RoomBytes();
  copy_ = {Next(), bytes, bytes == wanted};
  if (!memory_.Read(place.sp, {Next(), bytes})) return false;
  Use(bytes);
  return true;
}

bool BlockedThreadReader::CopyReadable(const Place& place) {
  copy_ = {Next(), memory_.ReadPrefix(place.sp, {Next(), kUnknownBytes}), false};
  Use(copy_.size_bytes);
  return copy_.size_bytes > 0;
}

const LabelCopy* BlockedThreadReader::CopyLabels(const ProfilingStack& labels, StackRange stale) {
  LabelCopy* const copy = new (Next()) LabelCopy;
  Use(sizeof(LabelCopy));
  copy->ReadFrom(labels, stale);
  return copy;
}

void BlockedThreadReader::Clear() {
  if (used_bytes_ > kKeptBytes) {
    RawSyscall(SYS_madvise, memory_for_copies_.data() + kKeptBytes, used_bytes_ - kKeptBytes, MADV_DONTNEED);
  }
  used_bytes_ = 0;
}

bool BlockedThreadReader::IsStillAt(const Fd& file, const Place& place) {
  Place now;
  return ReadPlace(file, now) == State::kBlocked && now == place;
}

}  // namespace geckoprof
