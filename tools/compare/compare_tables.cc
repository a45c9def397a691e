#include "tools/compare/compare_tables.h"

#include <algorithm>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;
using Tone = ReportTable::Tone;
using Function = RunFigures::Function;
using Marker = RunFigures::Marker;

Cell DifferenceCell(const Change& change, double alpha) {
  const bool is_significant = change.p.has_value() && *change.p <= alpha && change.difference() != 0;
  if (!is_significant) return change.difference();
  return {change.difference(), change.difference() > 0 ? Tone::kBad : Tone::kGood};
}

// Before, after, the difference and p: four cells.
void AddChange(const Change& change, double alpha, ReportTable::Row* row) {
  row->insert(row->end(), {change.before, change.after, DifferenceCell(change, alpha),
                           change.p.has_value() ? Cell(*change.p) : Cell()});
}

void AddColumns(const std::string& key, const std::string& label, Kind kind, Kind changed,
                std::vector<ReportTable::Column>* columns) {
  // The first figure of a table needs no name for its two values: the title says it.
  const std::string of = columns->empty() ? "" : label + " ";
  columns->push_back({key + "Before", of + "before", kind});
  columns->push_back({key + "After", of + "after", kind});
  columns->push_back({key + "Change", label + " +/-", changed});
  columns->push_back({key + "P", "p", Kind::kProbability});
}

}  // namespace

ReportTable ChangedFunctions(const Comparison& comparison, size_t top, double alpha) {
  ReportTable table;
  table.key = "functions";
  table.title = "Functions, by the change of their own share";
  AddColumns("self", "self", Kind::kShare, Kind::kChangedShare, &table.columns);
  AddColumns("total", "total", Kind::kShare, Kind::kChangedShare, &table.columns);
  AddColumns("selfCpuMs", "CPU", Kind::kMs, Kind::kChangedMs, &table.columns);
  AddColumns("totalCpuMs", "total CPU", Kind::kMs, Kind::kChangedMs, &table.columns);
  table.columns.push_back({"name", "function", Kind::kFunction});
  table.columns.push_back({"library", "library", Kind::kLibrary});
  const std::vector<Comparison::FunctionKey> keys = comparison.Functions();
  table.all_rows = keys.size();
  const bool has_cpu = comparison.has_cpu_times();
  for (size_t i = 0; i < std::min(top, keys.size()); ++i) {
    ReportTable::Row row;
    AddChange(comparison.OfFunction(keys[i], &Function::self_share), alpha, &row);
    AddChange(comparison.OfFunction(keys[i], &Function::total_share), alpha, &row);
    if (has_cpu) {
      AddChange(comparison.OfFunction(keys[i], &Function::self_cpu_ms), alpha, &row);
      AddChange(comparison.OfFunction(keys[i], &Function::total_cpu_ms), alpha, &row);
    } else {
      row.resize(row.size() + 8);
    }
    row.emplace_back(keys[i].first);
    row.emplace_back(keys[i].second.empty() ? Cell() : Cell(keys[i].second));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable ChangedMarkers(const Comparison& comparison, size_t top, double alpha) {
  ReportTable table;
  table.key = "markers";
  table.title = "Markers, by the change of their total time";
  AddColumns("totalMs", "time", Kind::kMs, Kind::kChangedMs, &table.columns);
  AddColumns("count", "count", Kind::kCount, Kind::kChangedCount, &table.columns);
  AddColumns("medianMs", "median", Kind::kMs, Kind::kChangedMs, &table.columns);
  table.columns.push_back({"name", "marker", Kind::kText});
  const std::vector<std::string> names = comparison.Markers();
  table.all_rows = names.size();
  for (size_t i = 0; i < std::min(top, names.size()); ++i) {
    ReportTable::Row row;
    AddChange(comparison.OfMarker(names[i], &Marker::total_ms), alpha, &row);
    AddChange(comparison.OfMarker(names[i], &Marker::count), alpha, &row);
    AddChange(comparison.OfMarker(names[i], &Marker::median_ms), alpha, &row);
    row.emplace_back(names[i]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace geckoprof
