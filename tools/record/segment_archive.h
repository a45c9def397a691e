#ifndef GECKOPROF_TOOLS_RECORD_SEGMENT_ARCHIVE_H_
#define GECKOPROF_TOOLS_RECORD_SEGMENT_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/segment/segment_format.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

// The bytes of an archive (docs/formats/archive.md). It has the segments of processes that have ended. A segment there
// takes about 2 KiB, instead of 300 KiB for a file with whole chunks.
//
//   <session>/ended        | ArchiveHeader | dictionary | ArchiveRow, facts | ArchiveRow, facts | ...
//   <session>/ended-data   | data | data | ...                     the oldest data may be a hole
//   <session>/ended-1, ended-1-data, ended-2, ...                  further archives of a flight recorder
//
//   facts   the header of the segment                                        packed by zstd, with the dictionary
//   data    the rows of the chunks that have entries, and their entries      likewise
inline constexpr char kArchiveMagic[8] = {'G', 'P', 'R', 'O', 'F', 'E', 'N', 'D'};
inline constexpr uint32_t kArchiveVersion = 1;
inline constexpr char kArchiveName[] = "ended", kArchiveDataSuffix[] = "-data";

// A session has one archive, or several with numbers from 1. ArchiveName returns the name of the file with the facts.
std::string ArchiveName(uint32_t number);
bool IsArchiveName(std::string_view file_name);
// Returns whether the name is that of either file of an archive.
bool IsArchiveFile(std::string_view file_name);

struct ArchiveHeader {
  char magic[8];
  uint32_t header_bytes;
  uint32_t version;
  uint32_t dictionary_bytes;  // right after the header
  uint32_t facts_bytes;       // of each segment, before they were packed
  uint64_t dropped_bytes;     // the data before this offset was dropped
  uint32_t dropped_for;       // the limits for which it was dropped: bits of DroppedFor
  uint32_t reserved;
};
static_assert(sizeof(ArchiveHeader) == 40);
// An archive may have been written before the last members existed. They are 0 then.
inline constexpr uint32_t kLeastArchiveHeaderBytes = offsetof(ArchiveHeader, dropped_for);

struct ArchiveRow {
  uint32_t row_bytes;  // with the packed facts
  uint32_t chunk_count;
  int32_t pid;
  uint32_t image;
  uint64_t data_offset;  // in the other file
  uint64_t packed_data_bytes;
  uint64_t data_bytes;
  int64_t newest_ns;  // time of the newest entry, on CLOCK_MONOTONIC
};
static_assert(sizeof(ArchiveRow) == 48);

// SegmentArchive packs the segments of ended processes, and drops the oldest data at a limit.
//
//   4711-0.segment --Add--> facts and data --DropOldest--> facts
//
// Invariant: a segment is in the archive before its file is removed. If the recorder is killed between, both exist.
//
// Threads: one.
class SegmentArchive {
 public:
  static absl::StatusOr<std::unique_ptr<SegmentArchive>> Create(const std::string& session, uint32_t number = 0);
  ~SegmentArchive();
  SegmentArchive(const SegmentArchive&) = delete;
  SegmentArchive& operator=(const SegmentArchive&) = delete;

  // Packs the segment `name` of the session, and removes its file. REQUIRES: its process writes no more. If there is no
  // room, or the file cannot be read as a segment, it stays.
  absl::Status Add(const std::string& name, int32_t pid, uint32_t image);

  // Returns the bytes that both files take.
  uint64_t SizeBytes() const;
  // Returns the time of the newest entry of the data that was added first. Returns INT64_MAX if there is no data.
  int64_t OldestNs() const { return data_.empty() ? INT64_MAX : data_.front().newest_ns; }
  // Drops the data that was added first. REQUIRES: there is some. Whole pages are released.
  void DropOldest(DroppedFor reason);
  // Removes the files. Nothing else may be called afterwards.
  void Remove();

 private:
  struct Packer;
  struct Data {
    uint64_t end;  // in the file
    int64_t newest_ns;
  };

  SegmentArchive(std::string session, uint32_t number, Fd facts, Fd data);
  absl::Status WriteDictionary(std::string_view plain);

  const std::string session_;
  const uint32_t number_;
  const Fd facts_, data_file_;
  const std::unique_ptr<Packer> packer_;
  uint64_t facts_end_ = 0, data_end_ = 0;
  std::deque<Data> data_;  // in the order of Add
  uint32_t dropped_for_ = 0;
};

// ArchivedSegments reads an archive. The files may be of any origin, and may grow meanwhile.
//
// Threads: one.
class ArchivedSegments {
 public:
  // Returns an error if there is no archive, or if it cannot be read.
  static absl::StatusOr<ArchivedSegments> Open(const std::string& session, const std::string& name = kArchiveName);

  struct Found {
    uint64_t offset;  // of the row
    int32_t pid;
    uint32_t image;
    bool has_data;
  };
  // Lists the rows, as far as they are whole.
  std::vector<Found> List() const;
  // Returns bits of DroppedFor. They are 0 if it is unknown.
  uint32_t dropped_for() const { return header_.dropped_for; }

  // Returns a file in memory that is a segment. Its chunks are those that have entries. If the data was dropped it has
  // none, and says that all was released.
  absl::StatusOr<Fd> Unpack(uint64_t offset) const;

 private:
  ArchivedSegments(Fd facts, Fd data) : facts_(std::move(facts)), data_(std::move(data)) {}
  absl::StatusOr<std::string> ReadPacked(const Fd& file, uint64_t offset, uint64_t packed_bytes,
                                         uint64_t plain_bytes) const;
  bool ReadRow(uint64_t offset, ArchiveRow& row) const;

  Fd facts_, data_;
  ArchiveHeader header_ = {};
  std::string dictionary_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SEGMENT_ARCHIVE_H_
