// Counters in a processed profile.
#ifndef GECKOPROF_TOOLS_CONVERT_PROCESSED_COUNTER_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_PROCESSED_COUNTER_WRITER_H_

#include <cstdint>

#include "geckoprof/json/json_writer.h"
#include "tools/convert/recorded_session.h"

namespace geckoprof {

// "counters" of all processes, with how they are drawn; nothing if there are none. A counter is shown below its
// process's main thread, whose number is that of the threads of all processes in order.
void WriteProcessedCounters(const RecordedSession& session, int64_t zero_ns, JsonWriter& writer);

// "display" of one counter: how it is drawn, and what its tooltip has.
void WriteCounterDisplay(const CounterRow& counter, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROCESSED_COUNTER_WRITER_H_
