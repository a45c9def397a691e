#include "tools/symbolicate/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "absl/cleanup/cleanup.h"
#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

constexpr off_t kMaxBytes = off_t{1} << 30;

int OpenMap(const std::string& path, int flags) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
}

// Takes a hexadecimal number and the blank behind it off the line.
std::optional<uint64_t> TakeNumber(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return std::nullopt;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return number;
}

}  // namespace

absl::StatusOr<std::unique_ptr<JitMap>> JitMap::Load(const std::string& path) {
  const int fd = OpenMap(path, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, Concat("cannot open ", path));
  const auto close_file = absl::MakeCleanup([fd] { close(fd); });
  std::unique_ptr<JitMap> map = Read(fd);
  if (map == nullptr) return absl::InvalidArgumentError(Concat(path, " cannot be read as a map of functions"));
  if (map->functions_.empty()) {
    return absl::InvalidArgumentError(Concat(path, " has no line \"START SIZE NAME\" with hexadecimal numbers"));
  }
  return map;
}

std::unique_ptr<JitMap> JitMap::OfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder) {
  const int fd = OpenMap(Concat(folder, "/perf-", pid, ".map"), O_NOFOLLOW);
  if (fd < 0) return nullptr;
  const auto close_file = absl::MakeCleanup([fd] { close(fd); });
  struct stat status;
  if (fstat(fd, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0) ||
      status.st_mtime + 1 < start_epoch_s) {
    return nullptr;
  }
  std::unique_ptr<JitMap> map = Read(fd);
  return map != nullptr && !map->functions_.empty() ? std::move(map) : nullptr;
}

std::unique_ptr<JitMap> JitMap::Read(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxBytes) return nullptr;
  std::unique_ptr<JitMap> map(new JitMap());
  map->text_.resize(static_cast<size_t>(status.st_size));
  size_t length = 0;
  while (length < map->text_.size()) {
    const ssize_t got = read(fd, map->text_.data() + length, map->text_.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  map->text_.resize(length);
  for (std::string_view rest = map->text_; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    // A last line without its end was being written.
    if (end < rest.size()) map->AddLine(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return map;
}

void JitMap::AddLine(std::string_view line) {
  const std::optional<uint64_t> start = TakeNumber(line);
  if (!start.has_value()) return;
  const std::optional<uint64_t> size = TakeNumber(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!size.has_value() || *size == 0 || *start + *size < *start || line.empty()) return;
  functions_.push_back({line, *start, *size});
  Insert(*start, *start + *size, static_cast<uint32_t>(functions_.size() - 1));
}

void JitMap::Insert(uint64_t start, uint64_t end, uint32_t line) {
  auto next = pieces_.lower_bound(start);
  if (next != pieces_.begin()) {
    const auto before = std::prev(next);
    const Piece piece = before->second;
    if (piece.end > start) {
      before->second.end = start;
      if (piece.end > end) pieces_.emplace(end, piece);
    }
  }
  while (next != pieces_.end() && next->first < end) {
    if (next->second.end > end) pieces_.emplace(end, next->second);
    next = pieces_.erase(next);
  }
  pieces_[start] = {end, line};
}

JitMap::Function JitMap::Find(uint64_t avma) const {
  const auto after = pieces_.upper_bound(avma);
  if (after == pieces_.begin()) return {};
  const auto& [start, piece] = *std::prev(after);
  return avma < piece.end ? functions_[piece.line] : Function{};
}

}  // namespace geckoprof
