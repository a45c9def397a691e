#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_

#include <cstdint>
#include <vector>

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"
#include "tools/convert/location_table.h"
#include "tools/convert/proto_strings.h"
#include "tools/convert/proto_writer.h"

namespace geckoprof {

// ProtoProfileWriter: what the writers of pprof and of OTLP, its offspring, have in common: where they write, the
// tables of locations and strings that samples refer to, and that a reference of 0 stands for none.
class ProtoProfileWriter {
 protected:
  ProtoProfileWriter(ExportedProfile& profile, FormatOutput* output)
      : profile_(profile), model_(profile.model()), output_(output), writer_(&output->buffer()), table_(profile) {}
  ~ProtoProfileWriter() = default;

  // The locations of a stack, the innermost first, counted from 1.
  void LocationsFromOne(int32_t stack, std::vector<uint64_t>* rows) {
    table_.LocationsOf(stack, rows);
    for (uint64_t& row : *rows) ++row;
  }

  ExportedProfile& profile_;
  const ProfileModel& model_;
  FormatOutput* output_;
  ProtoWriter writer_;
  LocationTable table_;
  ProtoStrings strings_;
  const ExportedUnit unit_ = UnitOfWeights(model_);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_PROFILE_WRITER_H_
