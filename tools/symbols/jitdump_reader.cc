#include "tools/symbols/jitdump_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

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
    constexpr size_t kMostNamesBytes = size_t{1} << 30;
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

}  // namespace geckoprof
