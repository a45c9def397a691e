#include "tools/record/new_marker.h"

#include <algorithm>

namespace geckoprof {

NewMarker::NewMarker(ProcessProfile& process, std::string_view name, const MarkerTypeRow& type, int64_t time_ns)
    : process_(process) {
  row_.name = AddString(name);
  row_.start_ns = time_ns;
  const auto known = std::ranges::find(process.marker_types, type.name, &MarkerTypeRow::name);
  row_.type = static_cast<int32_t>(known - process.marker_types.begin());
  if (known == process.marker_types.end()) process.marker_types.push_back(type);
  const auto category = std::ranges::find(process.categories, "Other", &CategoryRow::name);
  row_.category =
      category == process.categories.end() ? kNone : static_cast<int32_t>(category - process.categories.begin());
}

void NewMarker::Text(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  row_.fields.push_back({.key = AddString(key), .kind = MarkerFieldKind::kText, .text = AddString(text)});
}

void NewMarker::Number(std::string_view key, MarkerFieldKind kind, int64_t value) {
  row_.fields.push_back({.key = AddString(key), .kind = kind, .integer = value});
}

void NewMarker::Number(std::string_view key, double value) {
  row_.fields.push_back({.key = AddString(key), .kind = MarkerFieldKind::kNumber, .number = value});
}

void NewMarker::BecomeInterval(int64_t start_ns, int64_t end_ns, double value) {
  row_.phase = MarkerPhase::kInterval;
  row_.start_ns = start_ns;
  row_.end_ns = end_ns;
  row_.fields.back().number = value;
}

int32_t NewMarker::AddString(std::string_view text) {
  process_.strings.push_back(text);
  return static_cast<int32_t>(process_.strings.size() - 1);
}

ThreadRow& MainThread(ProcessProfile& process) {
  const auto main = std::ranges::find_if(process.threads, &ThreadRow::is_main);
  return main != process.threads.end() ? *main : process.threads.front();
}

}  // namespace geckoprof
