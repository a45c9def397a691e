#include "tools/report/html/page_tables.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "tools/report/html/page_columns.h"
#include "tools/report/report_views.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;

std::string_view PageKind(Kind kind) {
  if (kind == Kind::kStack) return "stack";
  return kind == Kind::kText ? "text" : "number";
}

void WriteCell(const ReportTable::Cell& cell, Kind kind, JsonWriter& writer) {
  if (!cell.is_known) return writer.Null();
  if (kind != Kind::kStack) return writer.String(PageStrings::Shown(CellText(cell, kind)));
  writer.StartArray();
  for (const std::string_view name : ReportTable::FramesIn(cell.text)) writer.String(PageStrings::Shown(name));
  writer.EndArray();
}

bool HasMoreThanCounters(const ReportTable& table) {
  const auto source = std::ranges::find(table.columns, "source", &ReportTable::Column::key) - table.columns.begin();
  return std::ranges::any_of(table.rows, [source](const ReportTable::Row& row) {
    return static_cast<size_t>(source) >= row.size() || row[static_cast<size_t>(source)].text != "counter";
  });
}

void WriteTable(const ReportTable& table, ReportView view, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("view", ReportViewName(view));
  WriteShown(writer, "title", table.title);
  writer.StartArrayProperty("columns");
  for (const ReportTable::Column& column : table.columns) {
    writer.StartObject();
    writer.StringProperty("label", column.label);
    writer.StringProperty("kind", PageKind(column.kind));
    writer.EndObject();
  }
  writer.EndArray();
  writer.StartArrayProperty("rows");
  for (const ReportTable::Row& row : table.rows) {
    writer.StartArray();
    for (size_t i = 0; i < row.size(); ++i) WriteCell(row[i], table.columns[i].kind, writer);
    writer.EndArray();
  }
  writer.EndArray();
  writer.UintProperty("rowCount", table.all_rows);
  writer.StartArrayProperty("notes");
  for (const std::string& note : table.notes) writer.String(PageStrings::Shown(note));
  writer.EndArray();
  writer.EndObject();
}

}  // namespace

void WritePageTables(const ProfileModel& model, const ProfileSummary& summary, size_t top, JsonWriter& writer) {
  writer.StartArrayProperty("tables");
  for (const ReportView view : {ReportView::kLock, ReportView::kAllocation, ReportView::kIo}) {
    const ReportTable table = MakeReportTable(model, summary, view, top, /*with_idle=*/false);
    if (HasMoreThanCounters(table)) WriteTable(table, view, writer);
  }
  writer.EndArray();
}

}  // namespace geckoprof
