#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_WRITER_H_

#include "geckoprof/json/json_writer.h"
#include "tools/convert/recorded_session.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

// The oldest version with all tables in "shared", string pids, descriptions of marker types and weights, and counters
// that say how they are drawn and what their tooltip has: what we need. Older fronts read it, newer ones upgrade it.
inline constexpr int kProcessedFormatVersion = 63;

// Writes a whole session as one profile in the viewer's own format, symbolicated.
// Linear in the size of the session but for sorting its symbols. Failures of the sink are in the writer's latch.
void WriteProcessedProfile(const RecordedSession& session, Symbolizer& symbolizer, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_WRITER_H_
