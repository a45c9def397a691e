#ifndef GECKOPROF_READER_METADATA_READER_H_
#define GECKOPROF_READER_METADATA_READER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "counter_reader.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "index_map.h"
#include "marker_sites.h"
#include "segment_tables.h"

namespace geckoprof {

// MetadataReader reads the entries of the metadata stream. These describe threads, modules, the process and interned
// strings. A hostile file may choose any numbers as indices. They are therefore looked up and never used as sizes.
//
// Threads: one. Context: allocates.
class MetadataReader {
 public:
  // `counters` receives the entries about counters. It may be null.
  MetadataReader(ProcessProfile* profile, SegmentTables* tables, CounterReader* counters = nullptr)
      : profile_(*profile), tables_(*tables), counters_(counters), sites_(profile, tables) {}

  // Reads one entry, kind byte included. Returns false and changes nothing if it makes no sense.
  bool Read(std::span<const uint8_t> entry);

  // Returns the row of `profile.threads`, or kNone.
  int32_t ThreadByIndex(uint64_t index) const;
  const MarkerSites& sites() const { return sites_; }
  // Returns the row of `profile.strings` of an interned string, or kNone.
  int32_t InternedString(uint64_t id) const;
  // Counts the times after the last sign of life. They were replaced by its time.
  uint64_t implausible() const { return implausible_; }

 private:
  int64_t Time(Leb128Reader& reader);
  bool ReadString(Leb128Reader& reader);
  bool ReadThread(Leb128Reader& reader);
  bool ReadThreadName(Leb128Reader& reader);
  bool ReadThreadEnd(Leb128Reader& reader);
  bool ReadModule(Leb128Reader& reader);
  bool ReadModuleEnd(Leb128Reader& reader);
  bool ReadProcess(Leb128Reader& reader);
  bool ReadProcessName(Leb128Reader& reader);
  bool ReadFilters(Leb128Reader& reader);
  bool ReadPause(Leb128Reader& reader);
  bool ReadInterval(Leb128Reader& reader);
  bool ReadProblem(Leb128Reader& reader);

  ProcessProfile& profile_;
  SegmentTables& tables_;
  CounterReader* const counters_;
  MarkerSites sites_;
  IndexMap threads_, modules_, strings_;  // by number
  uint64_t implausible_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_METADATA_READER_H_
