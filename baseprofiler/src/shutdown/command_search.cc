#include "shutdown/command_search.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {
namespace {

constexpr std::string_view kName = "geckoprof";
constexpr std::string_view kLibraryName = "libbaseprofiler.so";
constexpr uint32_t kMaxFoldersUp = 2;

// Returns the path without its last component. The result for the root is empty.
std::string_view FolderAbove(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool IsWorldWritable(const char* folder) {
  struct stat info = {};
  const long result = RawSyscall(SYS_newfstatat, AT_FDCWD, folder, &info, 0);
  return IsSyscallError(result) || (info.st_mode & S_IWOTH) != 0;
}

// Returns whether the line's range holds the address.
bool Contains(const MapsLine& line, uintptr_t address) { return line.start_avma <= address && address < line.end_avma; }

}  // namespace

bool CommandSearch::Next(std::span<char> path) {
  if (!sources_.given.empty()) {
    if (std::exchange(is_past_first_, true)) return false;
    return TextBuilder(path).Text(sources_.given).complete();
  }
  if (!is_past_first_ && NextBesideLibrary(path)) return true;
  is_past_first_ = true;
  return NextInPath(path);
}

bool CommandSearch::NextBesideLibrary(std::span<char> path) {
  const std::string_view name = sources_.library.substr(sources_.library.rfind('/') + 1);  // npos + 1 is 0
  if (!sources_.library.starts_with('/') || !name.starts_with(kLibraryName)) return false;
  while (folders_up_ < kMaxFoldersUp) {
    std::string_view prefix = FolderAbove(sources_.library);
    for (uint32_t i = 0; i <= folders_up_; ++i) prefix = FolderAbove(prefix);
    ++folders_up_;
    if (!TextBuilder(path).Text(prefix).Text("/").complete() || IsWorldWritable(path.data())) continue;
    if (TextBuilder(path).Text(prefix).Text("/bin/").Text(kName).complete()) return true;
  }
  return false;
}

bool CommandSearch::NextInPath(std::span<char> path) {
  std::string_view& rest = sources_.path_list;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    // A relative name means another folder wherever the program goes.
    if (folder.starts_with('/') && TextBuilder(path).Text(folder).Text("/").Text(kName).complete()) return true;
  }
  return false;
}

std::string_view PathOfCode(const void* address, std::span<char> room, std::span<char> path) {
  const Fd file = Fd::Open("/proc/self/maps", O_RDONLY);
  size_t used = 0;
  while (file.ok()) {
    const long got = RawSyscall(SYS_read, file.number(), room.data() + used, room.size() - used);
    if (got == -EINTR) continue;
    if (got <= 0) break;
    used += static_cast<size_t>(got);
    const std::string_view whole(room.data(), used);
    std::string_view lines = whole.substr(0, whole.rfind('\n') + 1);  // npos + 1 is 0
    const size_t taken = lines.size();
    while (!lines.empty()) {
      MapsLine line;
      if (!NextMapsLine(lines, line) || !Contains(line, reinterpret_cast<uintptr_t>(address))) continue;
      TextBuilder text(path);
      return text.Text(line.path).complete() ? text.view() : std::string_view();
    }
    used -= taken;
    memmove(room.data(), room.data() + taken, used);
  }
  return {};
}

bool HasChangedIds() {
  if (getauxval(AT_SECURE) != 0) return true;
  const auto differs = [](long now, unsigned long before) { return static_cast<unsigned long>(now) != before; };
  return differs(RawSyscall(SYS_getuid), getauxval(AT_UID)) || differs(RawSyscall(SYS_geteuid), getauxval(AT_UID)) ||
         differs(RawSyscall(SYS_getgid), getauxval(AT_GID)) || differs(RawSyscall(SYS_getegid), getauxval(AT_GID));
}

}  // namespace geckoprof
