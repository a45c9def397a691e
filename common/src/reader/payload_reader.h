#ifndef GECKOPROF_READER_PAYLOAD_READER_H_
#define GECKOPROF_READER_PAYLOAD_READER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cycle_times.h"
#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "marker_sites.h"
#include "segment_tables.h"

namespace geckoprof {

// PayloadReader: from the bytes of a marker's payload to the fields that a profile shows. Nobody vouches for the bytes.
// Threads: one. Context: allocates.
class PayloadReader {
 public:
  PayloadReader(SegmentTables* tables, const CycleTimes* cycles) : tables_(*tables), cycles_(*cycles) {}

  // False: the bytes do not fit the fields; those before were appended.
  bool Read(std::span<const MarkerSites::Field> fields, Leb128Reader& reader, std::vector<MarkerField>& out);

  // In the place of one with its key, if there is one already: that is lost, then.
  void AddOnce(const MarkerField& field, std::vector<MarkerField>& out);

  // `key`: row of `strings`.
  MarkerField FlowField(int32_t key, uint64_t id) const;

  // Fields of a marker whose type writes itself that are not there: their keys are every marker's
  // (IsReservedMarkerKey), or came once more later, or are those of its flow option.
  uint64_t lost_fields() const { return lost_fields_; }

  // ns on CLOCK_MONOTONIC.
  int64_t ToNs(uint64_t time) const;

 private:
  static constexpr int kDeepest = 32;  // of lists in lists

  bool ReadField(const MarkerSites::Field& field, Leb128Reader& reader, std::vector<MarkerField>& out);
  bool ReadSpread(Leb128Reader& reader, std::vector<MarkerField>& out);
  void ReadTime(Leb128Reader& reader, MarkerField& field) const;
  bool ReadTagged(Leb128Reader& reader, MarkerField& field);
  bool WriteTagged(Leb128Reader& reader, JsonWriter& writer, int depth) const;

  SegmentTables& tables_;
  const CycleTimes& cycles_;
  uint64_t lost_fields_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PAYLOAD_READER_H_
