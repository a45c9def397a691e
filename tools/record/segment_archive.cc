#include "tools/record/segment_archive.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "geckoprof/base/page_memory.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

constexpr int kLevel = 3;
constexpr size_t kMaxDictionaryBytes = size_t{112} << 10;
// A forged row may claim any size. Real data becomes about ten times smaller, or vanishes in the dictionary.
constexpr uint64_t kMaxRatio = 100, kFreeBytes = uint64_t{128} << 10;
constexpr uint64_t kMaxPackedBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxSegmentBytes = uint64_t{kMaxChunks} * (kLargestChunkBytes + sizeof(ChunkRow)) + 2 * kPageBytes;

absl::Status Damaged() { return absl::DataLossError("the archive of ended processes is damaged"); }

std::string_view Bytes(const auto& object) { return {reinterpret_cast<const char*>(&object), sizeof(object)}; }

bool ReadObject(const Fd& file, uint64_t offset, auto& object) {
  return file.ReadAt(offset, {reinterpret_cast<uint8_t*>(&object), sizeof(object)}) == sizeof(object);
}

absl::Status WriteAt(const Fd& file, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ErrnoStatus(errno, "cannot write the archive of ended processes");
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

// The parts of a segment that hold something.
struct UsedParts {
  std::string facts;  // the header
  std::string data;   // rows of the chunks that were taken, and their entries
  uint32_t chunk_count = 0;
  int64_t newest_ns = 0;
};

UsedParts CopyUsedParts(const SegmentView& view) {
  UsedParts parts;
  parts.facts = Bytes(view.header());
  std::string entries;
  view.DescribeChunks([&](uint32_t index, SegmentView::CopyResult, const SegmentView::ChunkCopy& described) {
    const bool is_used = described.state != ChunkState::kFree && described.state != ChunkState::kReleased;
    if (!is_used || described.state > ChunkState::kPinned) return;
    SegmentView::ChunkCopy chunk;
    // A reader counts the chunks that were taken, also those without entries.
    if (view.CopyChunk(index, chunk) != SegmentView::CopyResult::kCopied) {
      chunk = SegmentView::ChunkCopy();
      chunk.state = described.state;
    }
    ChunkRow row = {};
    row.word.store(MakeChunkWord(0, chunk.stream, chunk.state), std::memory_order_relaxed);
    row.tail.store(chunk.tail, std::memory_order_relaxed);
    row.block.store(chunk.block, std::memory_order_relaxed);
    row.begin_ns.store(chunk.begin_ns, std::memory_order_relaxed);
    row.last_ns.store(chunk.last_ns, std::memory_order_relaxed);
    parts.data += Bytes(row);
    entries.append(reinterpret_cast<const char*>(chunk.bytes.data()), chunk.bytes.size());
    parts.newest_ns = std::max(parts.newest_ns, chunk.last_ns);
    ++parts.chunk_count;
  });
  parts.data += entries;
  return parts;
}

// Makes a segment of the parts in `file`, which is empty. The chunks follow each other. The rest of the file is a hole.
bool WriteSegment(const ArchiveRow& row, std::string facts, std::string_view data, const Fd& file) {
  facts.resize(kPageBytes);  // another version of the header may be shorter
  auto& header = *reinterpret_cast<SegmentHeader*>(facts.data());
  header.pid = row.pid;
  header.image = row.image;
  const uint32_t chunk_bytes = header.chunk_bytes;
  const uint64_t rows_bytes = uint64_t{row.chunk_count} * sizeof(ChunkRow);
  const uint64_t segment_bytes = header.segment_bytes.load(std::memory_order_relaxed);
  const bool has_room = data.size() >= rows_bytes && chunk_bytes <= kLargestChunkBytes &&
                        header.chunks_offset >= kPageBytes + rows_bytes && segment_bytes <= kMaxSegmentBytes &&
                        header.chunks_offset + uint64_t{row.chunk_count} * chunk_bytes <= segment_bytes;
  if (!has_room || ftruncate(file.number(), static_cast<off_t>(segment_bytes)) != 0) return false;
  if (!WriteAt(file, facts, 0).ok() || !WriteAt(file, data.substr(0, rows_bytes), kPageBytes).ok()) return false;
  std::string_view entries = data.substr(rows_bytes);
  for (uint32_t i = 0; i < row.chunk_count; ++i) {
    ChunkRow chunk = {};
    memcpy(static_cast<void*>(&chunk), data.data() + i * sizeof(ChunkRow), sizeof(chunk));
    const uint32_t tail = chunk.tail.load(std::memory_order_relaxed);
    if (tail > chunk_bytes || tail > entries.size()) return false;
    if (!WriteAt(file, entries.substr(0, tail), header.chunks_offset + uint64_t{i} * chunk_bytes).ok()) return false;
    entries.remove_prefix(tail);
  }
  return true;
}

}  // namespace

std::string ArchiveName(uint32_t number) { return number == 0 ? kArchiveName : Concat(kArchiveName, "-", number); }

bool IsArchiveName(std::string_view file_name) {
  constexpr std::string_view kName = kArchiveName;
  if (!file_name.starts_with(kName)) return false;
  file_name.remove_prefix(kName.size());
  return file_name.empty() || (file_name.size() > 1 && file_name[0] == '-' &&
                               file_name.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool IsArchiveFile(std::string_view file_name) {
  constexpr std::string_view kSuffix = kArchiveDataSuffix;
  if (file_name.ends_with(kSuffix)) file_name.remove_suffix(kSuffix.size());
  return IsArchiveName(file_name);
}

// Packs bytes with the dictionary.
struct SegmentArchive::Packer {
  Packer() : context(ZSTD_createCCtx()) {}
  ~Packer() {
    ZSTD_freeCCtx(context);
    ZSTD_freeCDict(dictionary);
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  absl::StatusOr<std::string> Pack(std::string_view plain) {
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    const size_t size =
        ZSTD_compress_usingCDict(context, packed.data(), packed.size(), plain.data(), plain.size(), dictionary);
    if (ZSTD_isError(size)) return absl::InternalError(ZSTD_getErrorName(size));
    packed.resize(size);
    return packed;
  }

  ZSTD_CCtx* const context;
  ZSTD_CDict* dictionary = nullptr;
};

absl::StatusOr<std::unique_ptr<SegmentArchive>> SegmentArchive::Create(const std::string& session, uint32_t number) {
  const auto make = [&session](const std::string& name) {
    return Fd::Open(Concat(session, "/", name).c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  };
  const std::string name = ArchiveName(number);
  Fd facts = make(name), data = make(name + kArchiveDataSuffix);
  for (const Fd* const file : {&facts, &data}) {
    if (!file->ok()) return ErrnoStatus(file->error(), Concat("cannot make an archive in ", session));
    fchmod(file->number(), 0600);  // the umask may have taken rights away
  }
  return std::unique_ptr<SegmentArchive>(new SegmentArchive(session, number, std::move(facts), std::move(data)));
}

SegmentArchive::SegmentArchive(std::string session, uint32_t number, Fd facts, Fd data)
    : session_(std::move(session)),
      number_(number),
      facts_(std::move(facts)),
      data_file_(std::move(data)),
      packer_(std::make_unique<Packer>()) {}

SegmentArchive::~SegmentArchive() = default;

// The first segment is the dictionary, because segments of one session resemble each other.
absl::Status SegmentArchive::WriteDictionary(std::string_view plain) {
  plain = plain.substr(0, kMaxDictionaryBytes);
  packer_->dictionary = ZSTD_createCDict(plain.data(), plain.size(), kLevel);
  if (packer_->context == nullptr || packer_->dictionary == nullptr) {
    return absl::ResourceExhaustedError("no memory for the archive of ended processes");
  }
  ArchiveHeader header = {};
  memcpy(header.magic, kArchiveMagic, sizeof(kArchiveMagic));
  header.header_bytes = sizeof(header);
  header.version = kArchiveVersion;
  header.dictionary_bytes = static_cast<uint32_t>(plain.size());
  header.facts_bytes = sizeof(SegmentHeader);
  absl::Status written = WriteAt(facts_, Concat(Bytes(header), plain), 0);
  if (written.ok()) facts_end_ = sizeof(header) + plain.size();
  return written;
}

absl::Status SegmentArchive::Add(const std::string& name, int32_t pid, uint32_t image) {
  const std::string path = Concat(session_, "/", name);
  SegmentView view;
  if (view.OpenFile(path.c_str()) != SegmentView::OpenResult::kOk) {
    return absl::InvalidArgumentError(Concat(path, " cannot be read"));
  }
  const UsedParts parts = CopyUsedParts(view);
  if (packer_->dictionary == nullptr) {
    if (absl::Status written = WriteDictionary(Concat(parts.facts, parts.data)); !written.ok()) return written;
  }
  const absl::StatusOr<std::string> facts = packer_->Pack(parts.facts), data = packer_->Pack(parts.data);
  if (!facts.ok()) return facts.status();
  if (!data.ok()) return data.status();
  const ArchiveRow row = {static_cast<uint32_t>(sizeof(row) + facts->size()),
                          parts.chunk_count,
                          pid,
                          image,
                          data_end_,
                          data->size(),
                          parts.data.size(),
                          parts.newest_ns};
  absl::Status written = WriteAt(data_file_, *data, data_end_);
  if (written.ok()) written = WriteAt(facts_, Concat(Bytes(row), *facts), facts_end_);
  if (!written.ok()) {
    // A reader takes no row that is not whole.
    static_cast<void>(ftruncate(facts_.number(), static_cast<off_t>(facts_end_)));
    return written;
  }
  facts_end_ += row.row_bytes;
  data_end_ += data->size();
  data_.push_back({data_end_, parts.newest_ns});
  unlink(path.c_str());
  return absl::OkStatus();
}

uint64_t SegmentArchive::SizeBytes() const {
  uint64_t bytes = 0;
  for (const Fd* const file : {&facts_, &data_file_}) {
    struct stat info = {};
    if (fstat(file->number(), &info) == 0) bytes += static_cast<uint64_t>(info.st_blocks) * 512;
  }
  return bytes;
}

void SegmentArchive::DropOldest(DroppedFor reason) {
  const uint64_t end = data_.front().end;
  data_.pop_front();
  dropped_for_ |= static_cast<uint32_t>(reason);
  // A reader that sees the data in a hole also sees that it was dropped.
  static_assert(offsetof(ArchiveHeader, dropped_for) == offsetof(ArchiveHeader, dropped_bytes) + sizeof(end));
  const std::string bytes = Concat(Bytes(end), Bytes(dropped_for_));
  if (!WriteAt(facts_, bytes, offsetof(ArchiveHeader, dropped_bytes)).ok()) return;
  fallocate(data_file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(end));
}

void SegmentArchive::Remove() {
  const std::string path = Concat(session_, "/", ArchiveName(number_));
  unlink(path.c_str());
  unlink((path + kArchiveDataSuffix).c_str());
}

absl::StatusOr<ArchivedSegments> ArchivedSegments::Open(const std::string& session, const std::string& name) {
  const std::string path = Concat(session, "/", name);
  const auto open_file = [](const std::string& file) {
    return Fd::Open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  };
  ArchivedSegments archive(open_file(path), open_file(path + kArchiveDataSuffix));
  if (!archive.facts_.ok()) return ErrnoStatus(archive.facts_.error(), path);
  ArchiveHeader& header = archive.header_;
  struct stat info = {};
  if (fstat(archive.facts_.number(), &info) != 0 || !S_ISREG(info.st_mode)) return Damaged();
  if (!ReadObject(archive.facts_, 0, header) || memcmp(header.magic, kArchiveMagic, sizeof(kArchiveMagic)) != 0) {
    return Damaged();
  }
  if (header.header_bytes < sizeof(header)) header.dropped_for = 0;
  if (header.version > kArchiveVersion) {
    return absl::UnimplementedError("the archive of ended processes was written by a newer version of geckoprof");
  }
  const bool is_plausible = header.header_bytes >= kLeastArchiveHeaderBytes &&
                            header.dictionary_bytes <= kMaxDictionaryBytes && header.facts_bytes <= kPageBytes;
  if (!is_plausible) return Damaged();
  archive.dictionary_.resize(header.dictionary_bytes);
  const std::span<uint8_t> dictionary(reinterpret_cast<uint8_t*>(archive.dictionary_.data()), header.dictionary_bytes);
  if (archive.facts_.ReadAt(header.header_bytes, dictionary) != header.dictionary_bytes) return Damaged();
  return archive;
}

bool ArchivedSegments::ReadRow(uint64_t offset, ArchiveRow& row) const {
  return ReadObject(facts_, offset, row) && row.row_bytes > sizeof(row) && row.chunk_count <= kMaxChunks;
}

std::vector<ArchivedSegments::Found> ArchivedSegments::List() const {
  std::vector<Found> found;
  uint64_t offset = uint64_t{header_.header_bytes} + header_.dictionary_bytes;
  struct stat info = {};
  if (fstat(facts_.number(), &info) != 0) return found;
  uint64_t data_end = 0;
  for (ArchiveRow row = {}; ReadRow(offset, row); offset += row.row_bytes) {
    const bool is_whole = row.row_bytes <= static_cast<uint64_t>(info.st_size) - offset;
    // Data that many rows share would be unpacked many times.
    const bool is_own = row.data_offset >= data_end && row.packed_data_bytes <= kMaxPackedBytes;
    if (!is_whole || !is_own) break;
    data_end = row.data_offset + row.packed_data_bytes;
    found.push_back({offset, row.pid, row.image, row.data_offset >= header_.dropped_bytes});
  }
  return found;
}

absl::StatusOr<std::string> ArchivedSegments::ReadPacked(const Fd& file, uint64_t offset, uint64_t packed_bytes,
                                                         uint64_t plain_bytes) const {
  struct stat info = {};
  const bool is_there = file.ok() && fstat(file.number(), &info) == 0 && S_ISREG(info.st_mode) &&
                        packed_bytes <= static_cast<uint64_t>(info.st_size);
  if (!is_there || packed_bytes > kMaxPackedBytes || plain_bytes > packed_bytes * kMaxRatio + kFreeBytes) {
    return Damaged();
  }
  std::string packed(packed_bytes, '\0'), plain(plain_bytes, '\0');
  const std::span<uint8_t> bytes(reinterpret_cast<uint8_t*>(packed.data()), packed.size());
  if (file.ReadAt(offset, bytes) != static_cast<int64_t>(packed_bytes)) return Damaged();
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  const size_t size = ZSTD_decompress_usingDict(context, plain.data(), plain.size(), packed.data(), packed.size(),
                                                dictionary_.data(), dictionary_.size());
  ZSTD_freeDCtx(context);
  if (ZSTD_isError(size) || size != plain_bytes) return Damaged();
  return plain;
}

absl::StatusOr<Fd> ArchivedSegments::Unpack(uint64_t offset) const {
  ArchiveRow row = {};
  if (!ReadRow(offset, row)) return Damaged();
  absl::StatusOr<std::string> facts =
      ReadPacked(facts_, offset + sizeof(row), row.row_bytes - sizeof(row), header_.facts_bytes);
  if (!facts.ok()) return facts.status();
  std::string data;
  if (row.data_offset < header_.dropped_bytes) {
    row.chunk_count = 0;
    facts->resize(kPageBytes);
    auto& header = *reinterpret_cast<SegmentHeader*>(facts->data());
    header.released_until_ns.store(row.newest_ns, std::memory_order_relaxed);
    header.dropped_for.fetch_or(header_.dropped_for, std::memory_order_relaxed);
  } else {
    absl::StatusOr<std::string> plain = ReadPacked(data_, row.data_offset, row.packed_data_bytes, row.data_bytes);
    if (!plain.ok()) return plain.status();
    data = *std::move(plain);
  }
  Fd file(memfd_create("geckoprof-segment", MFD_CLOEXEC));
  if (!file.ok()) return ErrnoStatus(errno, "no memory for a segment");
  if (!WriteSegment(row, *std::move(facts), data, file)) return Damaged();
  return file;
}

}  // namespace geckoprof
