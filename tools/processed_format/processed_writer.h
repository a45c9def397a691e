#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_WRITER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_WRITER_H_

#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/missing_names.h"
#include "tools/processed_format/recorded_session.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// Writes a whole session as one profile in the viewer's own format, symbolicated, and tells which names its samples
// lack. Linear in the size of the session but for sorting its symbols. Each process is asked for once, in order.
// Failures of the sink are in the writer's latch. Returns false if a temporary file failed, so that the profile is not
// whole.
[[nodiscard]] bool WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer,
                                         MissingNames* missing_names);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_PROCESSED_WRITER_H_
