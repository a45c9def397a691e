#include "tools/machine/machine_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "geckoprof/base/clock.h"
#include "geckoprof/config/start_number.h"
#include "tools/machine/machine_source.h"

namespace geckoprof {

MachineFile::MachineFile(std::string path)
    : path_(std::move(path)), file_(Fd::Open(path_.c_str(), O_RDONLY | O_NONBLOCK)), error_(file_.error()) {}

size_t MachineFile::ReadAt(int64_t now_ns, size_t offset, std::span<char> room) {
  constexpr int64_t kPauseNs = kNsPerSecond;
  if (!file_.ok()) {
    if (now_ns < due_ns_) return 0;
    due_ns_ = now_ns + kPauseNs;
    file_ = Fd::Open(path_.c_str(), O_RDONLY | O_NONBLOCK);
    error_ = file_.error();
    if (!file_.ok()) return 0;
  }
  const ssize_t size = pread(file_.number(), room.data(), room.size(), static_cast<off_t>(offset));
  error_ = size < 0 ? errno : 0;
  if (size >= 0) return static_cast<size_t>(size);
  file_.Close();
  due_ns_ = now_ns + kPauseNs;
  return 0;
}

std::string_view MachineFile::ReadText(int64_t now_ns, std::span<char> room) {
  return {room.data(), ReadAt(now_ns, 0, room)};
}

std::string_view MachineFile::ReadLongText(int64_t now_ns, std::span<char> room) {
  size_t size = 0;
  while (size < room.size()) {
    const size_t more = ReadAt(now_ns, size, room.subspan(size));
    if (more == 0) break;
    size += more;
  }
  return {room.data(), error_ == 0 ? size : 0};
}

uint64_t MachineFile::ReadNumber(int64_t now_ns) {
  char room[64];
  const size_t size = ReadAt(now_ns, 0, room);
  if (error_ != 0 || !file_.ok()) return kNoReading;
  const uint64_t number = NumberOfLine({room, size});
  if (number == kNoReading) error_ = EBADMSG;
  return number;
}

uint64_t NumberOfLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return ParseDecimal(text).value_or(kNoReading);
}

std::string FirstLineOf(const std::string& path) {
  char room[4096];
  MachineFile file(path);
  const std::string_view text = file.ReadText(0, room);
  return std::string(text.substr(0, text.find('\n')));
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const entries = opendir(folder.c_str());
  while (const dirent* const entry = entries != nullptr ? readdir(entries) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  if (entries != nullptr) closedir(entries);
  std::ranges::sort(names,
                    [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) < 0; });
  return names;
}

}  // namespace geckoprof
