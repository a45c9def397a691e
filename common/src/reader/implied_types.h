#ifndef GECKOPROF_READER_IMPLIED_TYPES_H_
#define GECKOPROF_READER_IMPLIED_TYPES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

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

}  // namespace geckoprof

#endif  // GECKOPROF_READER_IMPLIED_TYPES_H_
