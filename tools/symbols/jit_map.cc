#include "tools/symbols/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/support/regular_file.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

struct FileHeader {
  uint32_t magic;
  uint32_t version;
  uint32_t size_bytes;
  uint32_t machine;
  uint32_t padding;
  uint32_t pid;
  uint64_t time_ns;
  uint64_t flags;
};
static_assert(sizeof(FileHeader) == 40);

struct RecordHeader {
  uint32_t id;
  uint32_t size_bytes;  // of the whole record
  uint64_t time_ns;
};
static_assert(sizeof(RecordHeader) == 16);

// The name and the machine code follow.
struct LoadRecord {
  RecordHeader header;
  uint32_t pid, tid;
  uint64_t svma;
  uint64_t avma;
  uint64_t code_bytes;
  uint64_t number;
};
static_assert(sizeof(LoadRecord) == 56);

struct MoveRecord {
  RecordHeader header;
  uint32_t pid, tid;
  uint64_t svma;
  uint64_t old_avma;
  uint64_t new_avma;
  uint64_t code_bytes;
  uint64_t number;
};
static_assert(sizeof(MoveRecord) == 64);

constexpr uint32_t kMagic = 0x4a695444, kLoad = 0, kMove = 1;
constexpr uint64_t kOwnClockFlag = 1;
constexpr uint32_t kMaxHeaderBytes = 4096;

// WindowedFile reads a file forwards in large pieces. Machine code, which is most of a file, is read only where it
// lies between two records of one piece.
class WindowedFile {
 public:
  explicit WindowedFile(const Fd& file) : file_(file) {}

  // Returns `size_bytes` from `offset` on, or fewer at the end of the file.
  std::string_view Bytes(uint64_t offset, size_t size_bytes) {
    const bool is_there = offset >= offset_ && offset - offset_ <= bytes_.size() &&
                          (bytes_.size() - (offset - offset_) >= size_bytes || at_end_);
    if (!is_there) Load(offset, std::max(size_bytes, kWindowBytes));
    return std::string_view(bytes_).substr(offset - offset_, size_bytes);
  }

  // Copies a struct. Returns false where the file ends before its end.
  template <typename T>
  bool Read(uint64_t offset, T* out) {
    const std::string_view bytes = Bytes(offset, sizeof(T));
    if (bytes.size() != sizeof(T)) return false;
    std::memcpy(out, bytes.data(), sizeof(T));
    return true;
  }

 private:
  static constexpr size_t kWindowBytes = size_t{256} << 10;

  void Load(uint64_t offset, size_t size_bytes) {
    bytes_.resize(size_bytes);
    const int64_t got = file_.ReadAt(offset, {reinterpret_cast<uint8_t*>(bytes_.data()), bytes_.size()});
    bytes_.resize(static_cast<size_t>(std::max<int64_t>(got, 0)));
    at_end_ = bytes_.size() < size_bytes;
    offset_ = offset;
  }

  const Fd& file_;
  std::string bytes_;
  uint64_t offset_ = 0;
  bool at_end_ = false;
};

// A record that says where code lies from a time on.
struct CodeEvent {
  int64_t time_ns;
  bool is_move;
  uint64_t old_avma, avma, code_bytes, number;
  uint64_t name_offset;
  uint32_t name_bytes;
};

// CodeEvents are the records of a file, replayed in the order of time. A move has the name of the code that has its
// number by then.
class CodeEvents {
 public:
  void Read(WindowedFile& file, uint64_t offset, bool has_times) {
    constexpr int kMostRecords = 1 << 26;
    RecordHeader header;
    for (int record = 0; record < kMostRecords && file.Read(offset, &header); ++record) {
      if (events_.size() >= CodeTimeline::kMaxCodes / 2) return;  // a move takes two of them
      if (header.size_bytes < sizeof(RecordHeader)) return;
      const int64_t time_ns =
          has_times ? static_cast<int64_t>(std::min<uint64_t>(header.time_ns, INT64_MAX)) : CodeTimeline::kAlwaysNs;
      if (header.id == kLoad) AddLoad(file, offset, header.size_bytes, time_ns);
      if (header.id == kMove) AddMove(file, offset, header.size_bytes, time_ns);
      offset += header.size_bytes;
    }
  }

  void Replay(CodeTimeline* code) {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const CodeEvent& a, const CodeEvent& b) { return a.time_ns < b.time_ns; });
    absl::flat_hash_map<uint64_t, std::string_view> by_number, by_address;
    for (const CodeEvent& event : events_) {
      std::string_view name = std::string_view(names_).substr(event.name_offset, event.name_bytes);
      if (event.is_move) {
        const auto known = by_number.find(event.number);
        const auto there = by_address.find(event.old_avma);
        name = known != by_number.end() ? known->second : there != by_address.end() ? there->second : "";
        code->Add(event.old_avma, event.code_bytes, "", event.time_ns);
      }
      by_number[event.number] = name;
      by_address[event.avma] = name;
      code->Add(event.avma, event.code_bytes, name, event.time_ns);
    }
  }

 private:
  void AddLoad(WindowedFile& file, uint64_t offset, uint32_t size_bytes, int64_t time_ns) {
    constexpr size_t kMostNamesBytes = size_t{32} << 20;
    LoadRecord record;
    if (size_bytes <= sizeof(record) || !file.Read(offset, &record)) return;
    const size_t most = std::min<size_t>(size_bytes - sizeof(record), CodeTimeline::kMaxNameBytes);
    std::string_view name = file.Bytes(offset + sizeof(record), most);
    const size_t end = name.find('\0');
    // A name without its end is longer than a timeline keeps, or the file is cut there.
    if (end == std::string_view::npos && name.size() < CodeTimeline::kMaxNameBytes) return;
    name = name.substr(0, end);
    if (name.size() > kMostNamesBytes - names_.size()) return;
    events_.push_back({time_ns, false, 0, record.avma, record.code_bytes, record.number, names_.size(),
                       static_cast<uint32_t>(name.size())});
    names_.append(name);
  }

  void AddMove(WindowedFile& file, uint64_t offset, uint32_t size_bytes, int64_t time_ns) {
    MoveRecord record;
    if (size_bytes < sizeof(record) || !file.Read(offset, &record)) return;
    events_.push_back({time_ns, true, record.old_avma, record.new_avma, record.code_bytes, record.number, 0, 0});
  }

  std::vector<CodeEvent> events_;
  std::string names_;
};

}  // namespace

bool IsJitdump(const Fd& file) {
  uint32_t magic = 0;
  uint8_t bytes[sizeof(magic)];
  if (file.ReadAt(0, bytes) != sizeof(bytes)) return false;
  std::memcpy(&magic, bytes, sizeof(magic));
  return magic == kMagic;
}

void ReadJitdump(const Fd& file, CodeTimeline* code) {
  WindowedFile bytes(file);
  FileHeader header;
  if (!bytes.Read(0, &header) || header.version != 1 || header.size_bytes < sizeof(header) ||
      header.size_bytes > kMaxHeaderBytes) {
    return;
  }
  CodeEvents events;
  events.Read(bytes, header.size_bytes, (header.flags & kOwnClockFlag) == 0);
  events.Replay(code);
}

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
