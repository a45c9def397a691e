// Tables of what happened when: markers, allocations, input and output.
#ifndef GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_
#define GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/profile/profile_model.h"
#include "tools/report/marker_times.h"
#include "tools/report/report_table.h"

namespace geckoprof {

// EventFigures has the allocations of a profile, or its input and output. Markers and counters tell of them, by name.
//
//             markers whose name or type has                              counters of category   samples that weigh
//             bytes
//   allocation  "alloc", "garbage", or begins with "GC"                   Memory                  yes
//   io          "FileIO", "I/O", "Network", "Socket", "Read", "Write"     IO, I/O, Network,       no
//               as words of it ("DiskRead", "read file", not "thread")    Bandwidth
//
// Read and Write alone are of markers with a duration. A counter that counted no operation and no byte is left out. In
// any case, but for where a word begins, which is a capital letter or no letter before it.
enum class EventTopic : uint8_t { kAllocation, kIo };

struct EventFigures {
  enum class Source : uint8_t { kMarker, kCounter, kSamples };

  Source source = Source::kMarker;
  std::string
      name;  // of markers the type if that tells, else the name; with their field "operation" where they have one
  DurationFigures durations;  // of markers
  double count = 0;           // operations, where the source tells
  bool has_count = false;
  std::optional<double> bytes;  // added up: fields that the schema gives in bytes, or the counter
};

// The model has ProfileDetail::kFull. Those with the most bytes first, then with the longest time.
std::vector<EventFigures> EventFiguresOf(const ProfileModel& model, EventTopic topic);

// At most `top` rows each. Markers by name, or by type (of a model with ProfileDetail::kFull): the longest in total
// first, then the most frequent.
ReportTable MarkerTable(const ProfileModel& model, size_t top, bool by_type);
ReportTable EventTable(const ProfileModel& model, EventTopic topic, size_t top);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_EVENT_TABLES_H_
