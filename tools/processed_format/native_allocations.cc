#include "tools/processed_format/native_allocations.h"

#include <algorithm>
#include <string_view>

namespace geckoprof {
namespace {

std::string_view KeyOf(const ProcessProfile& process, const MarkerField& field) {
  const bool is_known = field.key >= 0 && static_cast<size_t>(field.key) < process.strings.size();
  return is_known ? process.strings[static_cast<size_t>(field.key)] : std::string_view();
}

}  // namespace

NativeAllocations::NativeAllocations(const ProcessProfile* process) : process_(*process) {
  for (size_t i = 0; i < process->marker_types.size(); ++i) {
    const MarkerTypeRow& type = process->marker_types[i];
    if (type.name == "Native allocation" && type.FindField("memoryAddress") != nullptr) type_ = static_cast<int32_t>(i);
  }
}

std::vector<NativeAllocation> NativeAllocations::List() const {
  std::vector<NativeAllocation> rows;
  for (const ThreadRow& thread : process_.threads) {
    if (type_ == kNone) break;
    for (const MarkerRow& marker : thread.markers) {
      if (!IsOne(marker)) continue;
      NativeAllocation row{.time_ns = marker.start_ns, .tid = thread.tid, .stack = marker.stack};
      for (const MarkerField& field : marker.fields) {
        const std::string_view key = KeyOf(process_, field);
        if (key == "size") row.weight = field.integer;
        if (key == "memoryAddress") row.address = static_cast<uint64_t>(field.integer);
      }
      rows.push_back(row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const NativeAllocation& a, const NativeAllocation& b) { return a.time_ns < b.time_ns; });
  return rows;
}

}  // namespace geckoprof
