#include "tools/record/counter_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// The begin of the file.
struct FileHeader {
  char magic[8] = {'g', 'p', 'c', 'o', 'u', 'n', 't', 's'};
  uint32_t version = 2;
  uint32_t row_bytes = kCounterRowBytes;

  bool operator==(const FileHeader&) const = default;
};
static_assert(sizeof(FileHeader) == 16);

template <typename Value>
std::span<uint8_t> BytesOf(Value& value) {
  return {reinterpret_cast<uint8_t*>(&value), sizeof(value)};
}

uint64_t OffsetOf(uint64_t row) { return sizeof(FileHeader) + row * kCounterRowBytes; }

bool WriteAll(const Fd& file, std::span<const uint8_t> bytes, uint64_t offset) {
  return pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace

CounterFile::CounterFile(std::string folder, uint64_t limit_bytes)
    : folder_(std::move(folder)), most_rows_(std::min(limit_bytes / 16 / kCounterRowBytes, kMostCounterRows)) {}

bool CounterFile::MakeFile() {
  if (file_.ok()) return true;
  file_ = Fd::Open(Concat(folder_, "/", kCounterFileName).c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  FileHeader header;
  return file_.ok() && WriteAll(file_, BytesOf(header), 0);
}

void CounterFile::AppendKept(const MachineTextRow& row) {
  if (kept_.size() < most_rows_ / 4) kept_.push_back(row);
  Append(std::span(&row, 1));
}

void CounterFile::AppendBytes(std::span<const uint8_t> rows) {
  const uint64_t count = rows.size() / kCounterRowBytes;
  if (!MakeFile() || (row_count_ + count > most_rows_ && !Halve())) return;
  const uint64_t taken = std::min(count, most_rows_ - row_count_);
  if (WriteAll(file_, rows.first(taken * kCounterRowBytes), OffsetOf(row_count_))) row_count_ += taken;
}

// Keeps the newer half of the rows. The file has either all of them or that half at any time.
bool CounterFile::Halve() {
  const std::string name = Concat(folder_, "/", kCounterFileName);
  const std::string next_name = Concat(folder_, "/", kCounterFileNextName);
  const uint64_t count = std::min(row_count_ / 2, most_rows_ - kept_.size());
  std::vector<CounterRowBytes> rows(kept_.size() + count);
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(rows.data()), rows.size() * kCounterRowBytes);
  const std::span<uint8_t> newer = bytes.subspan(kept_.size() * kCounterRowBytes);
  std::ranges::copy(std::as_bytes(std::span(kept_)), std::as_writable_bytes(bytes).begin());
  if (file_.ReadAt(OffsetOf(row_count_ - count), newer) != static_cast<int64_t>(newer.size())) return false;
  unlink(next_name.c_str());
  Fd next = Fd::Open(next_name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  FileHeader header;
  if (!next.ok() || !WriteAll(next, BytesOf(header), 0) || !WriteAll(next, bytes, OffsetOf(0)) ||
      rename(next_name.c_str(), name.c_str()) != 0) {
    unlink(next_name.c_str());
    return false;
  }
  file_ = std::move(next);
  row_count_ = rows.size();
  return true;
}

void VisitCounterRows(const std::string& session, const std::function<void(const CounterRowBytes&)>& visit) {
  const Fd file = Fd::Open(Concat(session, "/", kCounterFileName).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info = {};
  FileHeader header;
  if (!file.ok() || fstat(file.number(), &info) != 0 || !S_ISREG(info.st_mode) ||
      file.ReadAt(0, BytesOf(header)) != sizeof(header) || header != FileHeader()) {
    return;
  }
  std::vector<CounterRowBytes> rows(size_t{1} << 12);
  for (uint64_t at = 0; at < kMostCounterRows; at += rows.size()) {
    const int64_t size_bytes =
        file.ReadAt(OffsetOf(at), {reinterpret_cast<uint8_t*>(rows.data()), rows.size() * kCounterRowBytes});
    if (size_bytes <= 0) break;
    const size_t count = static_cast<size_t>(size_bytes) / kCounterRowBytes;
    for (const CounterRowBytes& row : std::span(rows).first(count)) visit(row);
    if (count < rows.size()) break;
  }
}

}  // namespace geckoprof
