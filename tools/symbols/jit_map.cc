#include "tools/symbols/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tools/support/regular_file.h"
#include "tools/symbols/jitdump_reader.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

constexpr off_t kMaxMapBytes = off_t{1} << 30;  // of a perf map
constexpr uint64_t kPortionBytes = uint64_t{1} << 20;

// Takes a hexadecimal number and the blank behind it off the line.
std::optional<uint64_t> TakeNumber(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return std::nullopt;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return number;
}

// LineTimes estimates when the line that ends at an offset was written. The offsets must be asked for in order.
class LineTimes {
 public:
  explicit LineTimes(std::span<const FileGrowth> growth) : growth_(growth) {}

  int64_t At(uint64_t end_offset) {
    while (next_ < growth_.size() && growth_[next_].size_bytes < end_offset) ++next_;
    // At the first look the file had the line.
    if (next_ == 0) return CodeTimeline::kAlwaysNs;
    const FileGrowth& before = growth_[next_ - 1];
    if (next_ == growth_.size()) return before.time_ns;
    const FileGrowth& after = growth_[next_];
    // The file may have shrunk in between.
    if (after.size_bytes <= before.size_bytes || after.time_ns <= before.time_ns) return before.time_ns;
    const double share = static_cast<double>(end_offset - std::min(end_offset, before.size_bytes)) /
                         static_cast<double>(after.size_bytes - before.size_bytes);
    return before.time_ns + static_cast<int64_t>(static_cast<double>(after.time_ns - before.time_ns) * share);
  }

 private:
  const std::span<const FileGrowth> growth_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<JitMap>> JitMap::Load(const std::string& path) {
  const Fd file = OpenRegularFile(path);
  if (!file.ok()) return ErrnoStatus(file.error(), Concat("cannot open ", path));
  std::unique_ptr<JitMap> map = OfFile(file);
  if (map != nullptr) return map;
  return absl::InvalidArgumentError(
      Concat(path, " is no jitdump with a function, and has no line \"START SIZE NAME\" with hexadecimal numbers"));
}

std::unique_ptr<JitMap> JitMap::OfFile(const Fd& file, std::span<const FileGrowth> growth) {
  struct stat status;
  if (!file.ok() || fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  std::unique_ptr<JitMap> map(new JitMap());
  if (IsJitdump(file)) {
    ReadJitdump(file, &map->code_);
  } else if (status.st_size > kMaxMapBytes || !map->ReadPerfMap(file, growth)) {
    return nullptr;
  }
  if (map->code_.named_count() == 0) return nullptr;
  map->code_.Build();
  return map;
}

Fd JitMap::OpenOfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder,
                         std::optional<uid_t> process_user) {
  Fd file = OpenRegularFile(Concat(folder, "/perf-", pid, ".map"), O_NOFOLLOW);
  struct stat status;
  if (!file.ok() || fstat(file.number(), &status) != 0) return Fd();
  const bool has_owner = status.st_uid == geteuid() || status.st_uid == 0 || status.st_uid == process_user;
  const bool is_believed = has_owner && status.st_mtime + 1 >= start_epoch_s;
  return is_believed ? std::move(file) : Fd();
}

std::unique_ptr<JitMap> JitMap::OfProcess(int32_t pid, int64_t start_epoch_s, const std::string& folder) {
  return OfFile(OpenOfProcess(pid, start_epoch_s, folder));
}

bool JitMap::ReadPerfMap(const Fd& file, std::span<const FileGrowth> growth) {
  struct stat status;
  if (fstat(file.number(), &status) != 0) return false;
  LineTimes times(growth);
  std::string text;  // a portion of the file, from the begin of a line on
  const auto size_bytes = static_cast<uint64_t>(status.st_size);
  for (uint64_t offset = 0; offset < size_bytes;) {
    text.resize(static_cast<size_t>(std::min(kPortionBytes, size_bytes - offset)));
    const int64_t got = file.ReadAt(offset, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
    if (got < 0) return false;
    // A zero byte ends the text. The rest is a hole, or was not written yet.
    const std::string_view read = std::string_view(text).substr(0, static_cast<size_t>(got));
    const std::string_view lines = read.substr(0, read.find('\0'));
    size_t start = 0;
    for (size_t end = 0; (end = lines.find('\n', start)) != std::string_view::npos; start = end + 1) {
      AddLine(lines.substr(start, end - start), times.At(offset + end + 1));
    }
    if (start == 0 || lines.size() < read.size()) break;  // a line without its end was being written, or is no line
    offset += start;
  }
  return true;
}

void JitMap::AddLine(std::string_view line, int64_t from_ns) {
  const std::optional<uint64_t> start = TakeNumber(line);
  if (!start.has_value()) return;
  const std::optional<uint64_t> size = TakeNumber(line);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!size.has_value() || line.empty()) return;
  code_.Add(*start, *size, line, from_ns);
}

}  // namespace geckoprof
