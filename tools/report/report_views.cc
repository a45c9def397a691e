#include "tools/report/report_views.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "geckoprof/reader/process_profile.h"
#include "geckoprof/reader/profile_facts.h"
#include "tools/report/event_tables.h"
#include "tools/report/heap_sums.h"
#include "tools/report/io_sums.h"
#include "tools/report/lock_table.h"
#include "tools/report/loop_table.h"
#include "tools/report/overhead_table.h"
#include "tools/report/sample_tables.h"
#include "tools/report/startup_table.h"
#include "tools/report/wait_sums.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

// In the order of the enum.
constexpr std::array<std::pair<std::string_view, ReportView>, 15> kViews = {{
    {"function", ReportView::kFunction},
    {"file", ReportView::kFile},
    {"library", ReportView::kLibrary},
    {"category", ReportView::kCategory},
    {"thread", ReportView::kThread},
    {"process", ReportView::kProcess},
    {"marker", ReportView::kMarker},
    {"marker-type", ReportView::kMarkerType},
    {"startup", ReportView::kStartup},
    {"allocation", ReportView::kAllocation},
    {"io", ReportView::kIo},
    {"wait", ReportView::kWait},
    {"lock", ReportView::kLock},
    {"loop", ReportView::kLoop},
    {"overhead", ReportView::kOverhead},
}};

}  // namespace

std::optional<ReportView> ReportViewNamed(std::string_view name) {
  for (const auto& [view_name, view] : kViews) {
    if (view_name == name) return view;
  }
  return std::nullopt;
}

std::string_view ReportViewName(ReportView view) { return kViews[static_cast<size_t>(view)].first; }

std::string ReportViewNames() {
  std::string names;
  for (const auto& [name, view] : kViews) {
    if (!names.empty()) names += '|';
    names += name;
  }
  return names;
}

std::vector<std::string> ListReportViews() {
  std::vector<std::string> names;
  names.reserve(kViews.size());
  for (const auto& [name, view] : kViews) names.emplace_back(name);
  return names;
}

bool NeedsDetail(ReportView view) {
  return view == ReportView::kFile || view == ReportView::kMarkerType || view == ReportView::kAllocation ||
         view == ReportView::kStartup || view == ReportView::kIo || view == ReportView::kWait ||
         view == ReportView::kLock;
}

namespace {

// Returns whether a view adds up markers of the hooks library.
bool AddsUpEvents(ReportView view) {
  return view == ReportView::kAllocation || view == ReportView::kIo || view == ReportView::kLock ||
         view == ReportView::kLoop;
}

bool HasDroppedData(const ProfileModel& model) {
  const auto is_loss = [label = LossLabel("recycled-chunk")](const ProfileSection::Entry& entry) {
    return entry.label == label || entry.value.starts_with(kDroppedDataProblem);
  };
  return model.FindEntry(is_loss) != nullptr;
}

// Says which features of events a process could not record.
void AddMissingHooks(const ProfileModel& model, ReportTable* table) {
  const auto is_missing = [](const ProfileSection::Entry& entry) {
    return entry.value.starts_with(kMissingHooksProblem);
  };
  const ProfileSection::Entry* const entry = model.FindEntry(is_missing);
  if (entry != nullptr) table->notes.push_back(Concat(entry->value, "."));
}

ReportTable TableWithoutAllocations(const ProfileModel& model, size_t top) {
  ReportTable table = EventTable(model, EventTopic::kAllocation, top);
  if (std::ranges::find(model.strings, "Allocations are not recorded") != model.strings.end()) {
    table.notes.emplace_back(
        "Another malloc comes before the hooks, such as one in the program itself, so allocations are not recorded. "
        "Those of an allocator in a shared library are.");
  }
  return table;
}

ReportTable PlainTable(const ProfileModel& model, const ProfileSummary& summary, ReportView view, size_t top,
                       bool with_idle) {
  switch (view) {
    case ReportView::kFunction:
      return FunctionTable(model, top, with_idle);
    case ReportView::kFile:
      return FileTable(model, top, with_idle);
    case ReportView::kLibrary:
      return LibraryTable(model, top, with_idle);
    case ReportView::kCategory:
      return CategoryTable(model, top, with_idle);
    case ReportView::kThread:
      return ThreadTable(model, summary, top);
    case ReportView::kProcess:
      return ProcessTable(model, summary, top);
    case ReportView::kMarker:
      return MarkerTable(model, top, /*by_type=*/false);
    case ReportView::kMarkerType:
      return MarkerTable(model, top, /*by_type=*/true);
    case ReportView::kStartup:
      return StartupTable(model, top);
    case ReportView::kAllocation:
      if (HasAllocations(model)) return AllocationTable(model, top);
      return TableWithoutAllocations(model, top);
    case ReportView::kIo:
      return IoTable(model, top);
    case ReportView::kWait:
      return WaitTable(model, top);
    case ReportView::kLock:
      return LockTable(model, top);
    case ReportView::kLoop:
      return LoopTable(model, top);
    case ReportView::kOverhead:
      return OverheadTable(model, top);
  }
  return {};
}

}  // namespace

ReportTable MakeReportTable(const ProfileModel& model, const ProfileSummary& summary, ReportView view, size_t top,
                            bool with_idle) {
  ReportTable table = PlainTable(model, summary, view, top, with_idle);
  if (AddsUpEvents(view) && HasDroppedData(model)) {
    table.notes.emplace_back("Old data was dropped at the capacity (--capacity), and is not in this table.");
    if (view == ReportView::kAllocation) table.notes.back() += " Blocks of that time may still be in use.";
  }
  if (AddsUpEvents(view)) AddMissingHooks(model, &table);
  if (summary.rows_without_weight > 0) {
    table.notes.push_back(Concat(summary.rows_without_weight, summary.rows_without_weight == 1 ? " row" : " rows",
                                 " left out: weights that are 0, negative or too large to be counted."));
  }
  return table;
}

}  // namespace geckoprof
