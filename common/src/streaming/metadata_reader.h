#ifndef GECKOPROF_STREAMING_METADATA_READER_H_
#define GECKOPROF_STREAMING_METADATA_READER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "geckoprof/segment/leb128.h"
#include "geckoprof/streaming/process_profile.h"
#include "segment_tables.h"

namespace geckoprof {

// MetadataReader: takes in the entries of the metadata stream: threads, modules, the process, interned strings.
// Indices in the segment are numbers that a hostile file may choose freely, so they are looked up, never used as sizes.
// Threads: one. Context: allocates.
class MetadataReader {
 public:
  MetadataReader(ProcessProfile* profile, SegmentTables* tables) : profile_(*profile), tables_(*tables) {}

  // One entry, kind byte included. False: it makes no sense.
  bool Read(std::span<const uint8_t> entry);

  // Row of `profile.threads`, or kNone.
  int32_t ThreadByIndex(uint64_t index) const;
  // The thread with this tid that lived at the time; a new row if there is none.
  int32_t ThreadByTid(int32_t tid, int64_t time_ns);
  // Row of `profile.strings` of an interned string, or kNone.
  int32_t InternedString(uint64_t id) const;

 private:
  bool ReadThread(Leb128Reader& reader);
  bool ReadModule(Leb128Reader& reader);
  bool ReadProcess(Leb128Reader& reader);
  bool ReadPause(Leb128Reader& reader);

  ProcessProfile& profile_;
  SegmentTables& tables_;
  struct Numbered {
    uint64_t id;
    int32_t row;
  };
  static int32_t Lookup(const std::vector<Numbered>& table, uint64_t id);
  std::vector<Numbered> threads_, modules_, strings_;
};

// A text field: length and bytes.
inline std::string_view ReadText(Leb128Reader& reader) {
  const std::span<const uint8_t> bytes = reader.Bytes(reader.Uleb());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace geckoprof

#endif  // GECKOPROF_STREAMING_METADATA_READER_H_
