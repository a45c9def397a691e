#include "control/received_request.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <cstddef>
#include <utility>

#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "runtime/large_storage.h"

namespace geckoprof {
namespace {

// The control thread owns it.
constinit GECKOPROF_LARGE_STORAGE ControlRequest g_copy{};

// Returns true if another user can neither have made the file nor write to it.
bool IsOwn(const Fd& file) {
  struct stat info = {};
  const long user = RawSyscall(SYS_geteuid);
  return !IsSyscallError(user) && RawSyscall(SYS_fstat, file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == static_cast<uid_t>(user) && (info.st_mode & 0077) == 0 && info.st_nlink == 1;
}

Fd OpenOwn(uint64_t number) {
  for (const char* const folder : kControlFolders) {
    char path[64];
    TextBuilder(path).Text(folder).Text("/").Text(kControlFilePrefix).Number(static_cast<int64_t>(number));
    Fd file = Fd::Open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (file.ok() && IsOwn(file)) return file;
  }
  return Fd();
}

}  // namespace

bool ReceivedRequest::Open(uint64_t number) {
  file_ = OpenOwn(number);
  if (!file_.ok()) return false;
  const int64_t bytes = file_.ReadAt(0, {reinterpret_cast<uint8_t*>(&g_copy), sizeof(g_copy)});
  g_copy.settings[ControlRequest::kSettingsBytes - 1] = '\0';
  return bytes == sizeof(g_copy) && memcmp(g_copy.magic, ControlRequest::kMagic, sizeof(g_copy.magic)) == 0 &&
         g_copy.number == number && g_copy.answer == static_cast<uint32_t>(ControlAnswer::kUnseen);
}

bool ReceivedRequest::IsOfThisVersion() const {
  return g_copy.version == ControlRequest::kVersion && g_copy.size_bytes == sizeof(ControlRequest);
}

ControlCommand ReceivedRequest::command() const { return static_cast<ControlCommand>(g_copy.command); }

void ReceivedRequest::GetSettings(std::span<const char*> lines) const {
  const char* const end = g_copy.settings + ControlRequest::kSettingsBytes;
  size_t count = 0;
  for (const char* line = g_copy.settings; count + 1 < lines.size() && line < end && *line != '\0';) {
    lines[count++] = line;
    line += strlen(line) + 1;
  }
  lines[count] = nullptr;
}

void ReceivedRequest::Answer(ControlAnswer answer) const {
  RawSyscall(SYS_pwrite64, file_.number(), &answer, sizeof(answer), offsetof(ControlRequest, answer));
}

}  // namespace geckoprof
