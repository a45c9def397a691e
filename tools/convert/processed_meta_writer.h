// The head of a processed profile.
#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_META_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_META_WRITER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "geckoprof/gecko_json/gecko_categories.h"
#include "geckoprof/json/json_writer.h"
#include "tools/convert/recorded_session.h"
#include "tools/symbolicate/symbolizer.h"

namespace geckoprof {

// The instant that all times of the file are relative to: the first exec or start of any process.
int64_t SessionZeroNs(const RecordedSession& session);

// Numbers of threads, counted over all processes in order.
struct InitialThreads {
  // The main thread of the first pid's busiest image, and those that used at least 5 % of the busiest one's CPU time;
  // at most 15, the busiest. A thread without samples and markers is there only if there is no other: the list is empty
  // only if there are no threads.
  std::vector<uint32_t> visible;
  // The first of them with so much CPU time, since a main thread may only wait; else the first.
  std::optional<uint32_t> selected;
};
InitialThreads InitialThreadsOf(const RecordedSession& session);

// The whole "meta" object. The symbolizer tells which libraries had no symbols.
void WriteProcessedMeta(const RecordedSession& session, const GeckoCategories& categories, const Symbolizer& symbolizer,
                        JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_META_WRITER_H_
