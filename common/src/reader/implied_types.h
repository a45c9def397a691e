#ifndef GECKOPROF_READER_IMPLIED_TYPES_H_
#define GECKOPROF_READER_IMPLIED_TYPES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// ImpliedTypes: the marker types that no site names, each a row of `marker_types` from the first marker on that needs
// it; and fields of markers that their types do not declare. Threads: one. Context: allocates.
class ImpliedTypes {
 public:
  explicit ImpliedTypes(ProcessProfile* profile) : types_(profile->marker_types) {}

  // The one that the original calls Text, with its labels (gecko-profile-format, schema entries).
  int32_t Text();
  // What the original calls a marker with a stack and nothing else.
  int32_t StackOnly();

  // A marker's flow beside its payload. `type`: the marker's; kNone becomes the original's FlowMarker or
  // TerminatingFlowMarker, any other gets the field in its schema. Returns the field's key.
  std::string_view Flow(bool ends, int32_t& type);

 private:
  int32_t Add(MarkerTypeRow type);
  int32_t FlowOnly(bool ends);
  void AddFlowField(bool ends, int32_t type);

  std::vector<MarkerTypeRow>& types_;
  int32_t text_ = kNone;
  int32_t stack_only_ = kNone;
  int32_t flow_[2] = {kNone, kNone};     // [1]: where it ends
  std::vector<bool> has_flow_field_[2];  // by row
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_IMPLIED_TYPES_H_
