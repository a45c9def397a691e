#include "process/process_title.h"

#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>

#include <algorithm>
#include <string_view>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/base/hash_mix.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/utf8.h"
#include "geckoprof/entries/entry_builder.h"
#include "process/process_control.h"

namespace geckoprof {
namespace {

constinit ProcessTitle g_title;

constexpr size_t kMaxArguments = 256;

uint64_t HashName(const char* name, size_t most_bytes) { return HashText({name, strnlen(name, most_bytes)}) | 1; }

std::string_view ReadInto(const char* path, char* room, size_t room_bytes) {
  const Fd file = Fd::Open(path, O_RDONLY);
  const long bytes = RawSyscall(SYS_read, file.number(), room, room_bytes);
  return {room, bytes > 0 ? static_cast<size_t>(bytes) : 0};
}

// The kernel reads the bytes, because the program may have unmapped that memory. Returns how many bytes were read.
size_t ReadOwnMemory(const char* from, std::span<char> out) {
  const iovec local = {out.data(), out.size()};
  const iovec remote = {const_cast<char*>(from), out.size()};
  const long bytes = RawSyscall(SYS_process_vm_readv, CurrentProcess().ToNumber(), &local, 1, &remote, 1, 0);
  return bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

}  // namespace

ProcessTitle& ProcessTitle::Get() { return g_title; }

void ProcessTitle::Write(MetadataWriter& metadata, int64_t now_ns) {
  pause_ns_ = kFirstPauseNs;
  usual_pause_ns_ = kPauseNs;
  Update(metadata, now_ns, true);
}

void ProcessTitle::Refresh(MetadataWriter& metadata, int64_t now_ns) { Update(metadata, now_ns, false); }

void ProcessTitle::Update(MetadataWriter& metadata, int64_t now_ns, bool writes_anyway) {
  // This comes first. A change during the rest of this function is then seen the next time.
  first_argument_seen_.store(FirstArgumentNow(), std::memory_order_relaxed);
  if (!writes_anyway) CheckMainName();

  // The arguments come from the kernel, each with its terminating zero. The program may change its own pointers during
  // the read (git and nginx clear them). It can change only the contents of these bytes. Like /proc/self/maps
  // (ModuleRecorder), /proc/self/cmdline needs a live main thread. Otherwise the sampler's own folder is read.
  char command_line[4096];
  std::string_view rest;
  if (!leaves_out_) {
    rest = ReadInto("/proc/self/cmdline", command_line, sizeof(command_line));
    if (rest.empty()) rest = ReadInto("/proc/thread-self/cmdline", command_line, sizeof(command_line));
  }
  const uint64_t hash = HashText(rest) | 1;
  const bool is_new = hash != written_ && !rest.empty();
  pause_ns_ = std::min(2 * pause_ns_, usual_pause_ns_);
  if (is_new && !writes_anyway) pause_ns_ = usual_pause_ns_ = std::min(2 * usual_pause_ns_, kLongestPauseNs);
  next_check_ns_ = now_ns + (writes_anyway ? kFirstPauseNs : pause_ns_);
  if (!is_new && !writes_anyway) return;
  written_ = hash;
  std::string_view arguments[kMaxArguments];
  size_t count = 0;
  while (!rest.empty() && count < kMaxArguments) {
    arguments[count] = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(rest.size(), arguments[count].size() + 1));
    ++count;
  }
  char path[1024];
  long length = RawSyscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path));
  if (length <= 0) length = RawSyscall(SYS_readlinkat, AT_FDCWD, "/proc/thread-self/exe", path, sizeof(path));
  metadata.Process({path, length > 0 ? static_cast<size_t>(length) : 0}, {arguments, count});
}

void ProcessTitle::SetMainName(const char (&name)[16]) {
  main_name_seen_.store(HashName(name, sizeof(name)), std::memory_order_relaxed);
}

void ProcessTitle::CheckMainName() {
  char name[16] = {};
  std::string_view main_name = ReadInto("/proc/self/comm", name, sizeof(name));
  if (main_name.ends_with('\n')) main_name.remove_suffix(1);
  main_name_seen_.store(main_name.empty() ? kUnknown : HashText(main_name) | 1, std::memory_order_relaxed);
}

bool ProcessTitle::HasChanged() const {
  const uint64_t seen = first_argument_seen_.load(std::memory_order_relaxed);
  const uint64_t argument = seen != kUnknown ? FirstArgumentNow() : kUnknown;
  if (argument != kUnknown && argument != seen) return true;
  const uint64_t name = main_name_seen_.load(std::memory_order_relaxed);
  if (name == kUnknown || CurrentThread().ToNumber() != CurrentProcess().ToNumber()) return false;
  char now[16] = {};
  CopyCommandName(now);
  return HashName(now, sizeof(now)) != name;
}

uint64_t ProcessTitle::FirstArgumentNow() const {
  if (first_argument_ == nullptr) return kUnknown;
  char text[64] = {};
  return ReadOwnMemory(first_argument_, text) > 0 ? HashName(text, sizeof(text)) : kUnknown;
}

size_t ProcessTitle::CopyArguments(std::span<char> out) const {
  if (first_argument_ == nullptr) return 0;
  return ReadOwnMemory(first_argument_, out.first(std::min(out.size(), argument_bytes_)));
}

namespace {

constinit ProcessNameOverride g_name;

}  // namespace

ProcessNameOverride& ProcessNameOverride::Get() { return g_name; }

void ProcessNameOverride::Set(const char* name) {
  const size_t bytes = name != nullptr ? Utf8Cut({name, strnlen(name, kMaxBytes + 1)}, kMaxBytes).size() : 0;
  const TableLock::Holder holder(lock_);
  if (bytes > 0) memcpy(name_, name, bytes);
  memset(name_ + bytes, 0, sizeof(name_) - bytes);
  was_set_ = was_set_ || bytes > 0;
  is_written_ = false;
  if (was_set_) NotePersistent(PersistentState::kProcessName);
}

void ProcessNameOverride::WriteTo(const Segment& segment) {
  const TableLock::Holder holder(lock_);
  if (segment.serial() < serial_) return;  // a newer recording has begun
  if (!was_set_ || (is_written_ && serial_ == segment.serial())) return;
  is_written_ = true;
  if (serial_ != segment.serial()) {
    stream_ = StreamWriter(&segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
    serial_ = segment.serial();
  }
  uint8_t bytes[kMaxBytes + 64];
  const int64_t now_ns = MonotonicNs();
  EntryBuilder entry(EntryType::kProcessName, bytes);
  (void)stream_.Append(entry.U(static_cast<uint64_t>(now_ns)).T(name_).bytes(), now_ns);
}

void ProcessNameOverride::AfterForkInChild() {
  lock_.ResetInForkedChild();
  serial_ = 0;
}

}  // namespace geckoprof
