#ifndef GECKOPROF_READER_MARKER_SITES_H_
#define GECKOPROF_READER_MARKER_SITES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/reader/process_profile.h"
#include "geckoprof/segment/leb128.h"
#include "index_map.h"
#include "segment_tables.h"

namespace geckoprof {

// ImpliedTypes adds the marker types that no site names to `marker_types`, when the first marker needs them. It also
// adds the fields of markers that their types do not declare. Threads: one. Context: allocates.
class ImpliedTypes {
 public:
  explicit ImpliedTypes(ProcessProfile* profile) : types_(profile->marker_types) {}

  // Firefox's type of a marker that has a stack and nothing else.
  int32_t StackOnly();

  // A marker has a flow beside its payload. Returns the key of its field. `type` is the marker's. kNone becomes
  // Firefox's FlowMarker or TerminatingFlowMarker, and any other type gets the field in its schema.
  std::string_view Flow(bool ends, int32_t& type);

 private:
  int32_t Add(MarkerTypeRow type);
  int32_t FlowOnly(bool ends);
  void AddFlowField(bool ends, int32_t type);

  std::vector<MarkerTypeRow>& types_;
  int32_t stack_only_ = kNone;
  int32_t flow_[2] = {kNone, kNone};     // [1]: where it ends
  std::vector<bool> has_flow_field_[2];  // by row
};

// MarkerSites holds the sites of the metadata and their types. A kTimedMarker names its site by number.
//
// Threads: one. Context: allocates.
class MarkerSites {
 public:
  MarkerSites(ProcessProfile* profile, SegmentTables* tables) : profile_(*profile), tables_(*tables) {}

  // A field of a payload.
  struct Field {
    int32_t key = kNone;  // row of `strings`
    MarkerFieldWire wire = MarkerFieldWire::kInt64;
    uint64_t flags = 0;
  };
  struct Site {
    int32_t name = kNone;        // row of `strings`; kNone: each marker has its own
    uint64_t category_pair = 0;  // which may be one that comes later in the metadata
    int32_t type = kNone;        // row of `marker_types`
    size_t first_field = 0;
    size_t field_count = 0;
  };

  // Reads the fields of kMarkerType and kMarkerSite. Returns false and changes nothing if they make no sense. A later
  // version may know more kinds of fields. Types with such a field, and their sites, are skipped, and their markers are
  // unreadable.
  bool ReadType(Leb128Reader& reader);
  bool ReadSite(Leb128Reader& reader);

  const Site* Find(uint64_t id) const;
  std::span<const Field> SiteFields(const Site& site) const {
    return std::span(fields_).subspan(site.first_field, site.field_count);
  }

 private:
  struct Type {
    int32_t row;
    size_t first_field;
    size_t field_count;
  };

  ProcessProfile& profile_;
  SegmentTables& tables_;
  IndexMap types_by_id_, sites_by_id_;
  std::vector<Type> types_;
  std::vector<Site> sites_;
  std::vector<Field> fields_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_SITES_H_
