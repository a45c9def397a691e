#include "tools/compare/compare_report.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/cell_text.h"
#include "tools/report/json_text.h"
#include "tools/report/report_table.h"
#include "tools/text/concat.h"

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

namespace {

using Kind = ReportTable::Kind;

// The columns of those keys only.
ReportTable WithColumns(const ReportTable& table, const std::vector<std::string>& keys) {
  ReportTable chosen = table;
  chosen.columns.clear();
  for (ReportTable::Row& row : chosen.rows) row.clear();
  for (const std::string& key : keys) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key != key) continue;
      chosen.columns.push_back(table.columns[i]);
      for (size_t row = 0; row < table.rows.size(); ++row) chosen.rows[row].push_back(table.rows[row][i]);
    }
  }
  return chosen;
}

// Leaves out rows in which none of the columns of these keys differs from 0.
void LeaveOutUnchanged(const std::vector<std::string>& keys, ReportTable* table) {
  const size_t before = table->rows.size();
  std::erase_if(table->rows, [&](const ReportTable::Row& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_asked = std::find(keys.begin(), keys.end(), table->columns[i].key) != keys.end();
      if (is_asked && row[i].is_known && row[i].number != 0) return false;
    }
    return true;
  });
  if (table->rows.size() < before) table->all_rows = table->rows.size();
}

std::string FixedP(double p) {
  char buffer[40];
  snprintf(buffer, sizeof buffer, "%.3f", p);
  return buffer;
}

std::string SideText(const std::vector<std::string>& files, const std::vector<RunFigures>& runs) {
  double samples = 0, bytes = 0, cpu_ms = 0;
  bool has_cpu_times = false;
  for (const RunFigures& run : runs) {
    samples += run.samples;
    bytes += run.bytes;
    cpu_ms += run.cpu_ms;
    has_cpu_times = has_cpu_times || run.has_cpu_times;
  }
  const std::string what = files.size() == 1 ? files[0] : Concat(files.size(), " runs, ", files[0], " ...");
  const bool in_bytes = bytes > 0 && samples == 0;
  const double count = in_bytes ? bytes : samples;
  return Concat(CleanText(what), "  (", GroupedText(count), in_bytes ? " byte" : " sample", count == 1 ? "" : "s",
                has_cpu_times && !in_bytes ? Concat(", ", DurationText(cpu_ms), " of CPU time") : "", ")");
}

std::string AboutTest(const CompareSubject& subject, const PermutationTest& test) {
  if (!test.is_possible()) {
    return "One run a side: what is chance and what is not cannot be told (--before A1 A2 ... --after B1 B2 ...).";
  }
  std::string text = Concat("p: how often chance alone makes means of ", subject.before.size(), " and ",
                            subject.after.size(), " runs differ as much (permutation test).");
  if (test.least_p() > subject.alpha) {
    text += Concat(" So few runs never give less than ", FixedP(test.least_p()), ".");
  }
  return text;
}

ReportTable BudgetTable(const CompareSubject& subject, const Comparison& comparison) {
  ReportTable table;
  table.title = "Budgets";
  table.columns = {{"state", "state", Kind::kText},
                   {"before", "before", Kind::kText},
                   {"after", "after", Kind::kText},
                   {"p", "p", Kind::kProbability},
                   {"budget", "budget", Kind::kText}};
  for (const Budget& budget : subject.budgets) {
    const Budget::Result result = budget.Check(comparison, subject.alpha);
    const auto text = [&budget](double value) {
      switch (budget.metric()) {
        case Budget::Metric::kSelf:
        case Budget::Metric::kTotal:
          return PercentText(value, 1);
        case Budget::Metric::kMarkerCount:
          return GroupedText(value);
        default:
          return DurationText(value);
      }
    };
    ReportTable::Cell state = !result.is_measured  ? "NOT MEASURED"
                              : result.is_exceeded ? "EXCEEDED"
                              : result.is_known    ? "kept"
                                                   : "unknown name";
    state.tone = result.is_exceeded || !result.is_measured ? ReportTable::Tone::kBad : ReportTable::Tone::kPlain;
    const auto cell = [&](double value) {
      return result.is_measured ? ReportTable::Cell(text(value)) : ReportTable::Cell();
    };
    table.rows.push_back({state, cell(result.change.before), cell(result.change.after),
                          result.change.p.has_value() ? ReportTable::Cell(*result.change.p) : ReportTable::Cell(),
                          budget.text()});
  }
  table.all_rows = table.rows.size();
  return table;
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, JsonText* json) {
  json->Key(key);
  json->BeginArray();
  for (const std::string& text : texts) json->String(CleanText(text));
  json->EndArray();
}

// null: not known.
void WriteNumber(std::string_view key, bool is_known, double number, JsonText* json) {
  json->Key(key);
  is_known ? json->Number(number) : json->Null();
}

bool HaveCpuTimes(const std::vector<RunFigures>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const RunFigures& run) { return run.has_cpu_times; });
}

// The figures of the runs themselves: ...Before, ...After, ...P.
void WriteRunFigures(const CompareSubject& subject, const Comparison& comparison, JsonText* json) {
  const struct {
    std::string_view key;
    double RunFigures::*figure;
  } figures[] = {{"cpuMs", &RunFigures::cpu_ms}, {"samples", &RunFigures::samples}, {"bytes", &RunFigures::bytes}};
  for (const auto& [key, figure] : figures) {
    const Change change = comparison.OfRun(figure);
    const bool is_cpu = figure == &RunFigures::cpu_ms;
    const bool is_known_before = !is_cpu || HaveCpuTimes(subject.before);
    const bool is_known_after = !is_cpu || HaveCpuTimes(subject.after);
    WriteNumber(Concat(key, "Before"), is_known_before, change.before, json);
    WriteNumber(Concat(key, "After"), is_known_after, change.after, json);
    WriteNumber(Concat(key, "P"), is_known_before && is_known_after && change.p.has_value(), change.p.value_or(0),
                json);
  }
}

void WriteBudgets(const CompareSubject& subject, const Comparison& comparison, JsonText* json) {
  json->Key("budgets");
  json->BeginArray();
  for (const Budget& budget : subject.budgets) {
    const Budget::Result result = budget.Check(comparison, subject.alpha);
    json->BeginObject();
    json->Key("budget");
    json->String(CleanText(budget.text()));
    json->Key("isKnown");
    json->Bool(result.is_known);
    json->Key("isExceeded");
    json->Bool(result.is_exceeded);
    WriteNumber("before", result.is_measured, result.change.before, json);
    WriteNumber("after", result.is_measured, result.change.after, json);
    WriteNumber("p", result.change.p.has_value(), result.change.p.value_or(0), json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

std::string WriteCompareText(const CompareSubject& subject, const TerminalStyle& style) {
  const Comparison comparison(subject.before, subject.after);
  std::string text;
  for (const std::string& line :
       {Concat("Before  ", SideText(subject.before_files, subject.before)),
        Concat("After   ", SideText(subject.after_files, subject.after)), AboutTest(subject, comparison.test())}) {
    text += Concat(CutText(line, style.width), "\n");
  }
  const bool with_p = comparison.test().is_possible();
  const auto keys = [with_p](std::vector<std::string> all) {
    if (!with_p) std::erase_if(all, [](const std::string& key) { return key.ends_with('P'); });
    return all;
  };
  ReportTable functions = ChangedFunctions(comparison, subject.top, subject.alpha);
  LeaveOutUnchanged({"selfChange", "totalChange", "selfCpuMsChange"}, &functions);
  text += WriteTableText(WithColumns(functions, keys({"selfBefore", "selfAfter", "selfChange", "selfP", "totalChange",
                                                      "selfCpuMsChange", "name", "library"})),
                         style);
  ReportTable markers = ChangedMarkers(comparison, subject.top, subject.alpha);
  LeaveOutUnchanged({"totalMsChange", "countChange", "medianMsChange"}, &markers);
  if (!markers.rows.empty()) {
    text += WriteTableText(WithColumns(markers, keys({"totalMsBefore", "totalMsAfter", "totalMsChange", "totalMsP",
                                                      "countBefore", "countAfter", "medianMsChange", "name"})),
                           style);
  }
  if (!subject.budgets.empty()) text += WriteTableText(BudgetTable(subject, comparison), style);
  return text;
}

std::string WriteCompareJson(const CompareSubject& subject) {
  const Comparison comparison(subject.before, subject.after);
  JsonText json;
  json.BeginObject();
  WriteTexts("before", subject.before_files, &json);
  WriteTexts("after", subject.after_files, &json);
  json.Key("leastP");
  comparison.test().is_possible() ? json.Number(comparison.test().least_p()) : json.Null();
  WriteRunFigures(subject, comparison, &json);
  for (const ReportTable& table : {ChangedFunctions(comparison, subject.top, subject.alpha),
                                   ChangedMarkers(comparison, subject.top, subject.alpha)}) {
    json.Key(table.key);
    json.BeginObject();
    WriteTableJson(table, &json);
    json.EndObject();
  }
  WriteBudgets(subject, comparison, &json);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace geckoprof
