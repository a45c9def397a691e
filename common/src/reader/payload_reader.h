#ifndef GECKOPROF_READER_PAYLOAD_READER_H_
#define GECKOPROF_READER_PAYLOAD_READER_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "marker_sites.h"
#include "recorded_times.h"
#include "segment_tables.h"

namespace geckoprof {

// PayloadReader makes the fields that a profile shows from the bytes of a marker's payload. The bytes may be damaged.
// Threads: one. Context: allocates.
class PayloadReader {
 public:
  PayloadReader(SegmentTables* tables, const CycleTimes* cycles) : tables_(*tables), cycles_(*cycles) {}

  // Appends the fields to `out`. Returns false at the first one that the bytes do not fit.
  bool Read(std::span<const MarkerSites::Field> fields, Leb128Reader& reader, std::vector<MarkerField>& out);

  // Appends a field. If there is a field with its key already, the new one replaces it, and that field is lost.
  void AddOnce(const MarkerField& field, std::vector<MarkerField>& out);

  // Makes the field of a flow. `key` is a row of `strings`.
  MarkerField FlowField(int32_t key, uint64_t id) const;

  // Counts the fields that were lost from markers of types that write themselves. Their keys are reserved
  // (IsReservedMarkerKey), came once more later, or belong to the marker's flow option.
  uint64_t lost_fields() const { return lost_fields_; }

  // Returns the time in ns on CLOCK_MONOTONIC.
  int64_t ToNs(uint64_t time) const;

 private:
  bool ReadField(const MarkerSites::Field& field, Leb128Reader& reader, std::vector<MarkerField>& out);
  bool ReadSpread(Leb128Reader& reader, std::vector<MarkerField>& out);
  void ReadTime(Leb128Reader& reader, MarkerField& field) const;
  bool ReadTagged(Leb128Reader& reader, MarkerField& field);
  bool ReadListOrObject(Leb128Reader& reader, MarkerField& field);

  SegmentTables& tables_;
  const CycleTimes& cycles_;
  uint64_t lost_fields_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_PAYLOAD_READER_H_
