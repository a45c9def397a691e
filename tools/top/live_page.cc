#include "tools/top/live_page.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "geckoprof/reader/profile_facts.h"
#include "tools/report/cell_text.h"
#include "tools/report/report_table.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;

constexpr size_t kAllThreads = 10, kAllFunctions = 20;  // of a page without an end
constexpr size_t kLeastRows = 3;

std::string Rate(double count, double seconds) { return GroupedText(seconds > 0 ? count / seconds : 0); }

std::string OneDecimal(double number) {
  char buffer[400];
  snprintf(buffer, sizeof buffer, "%.1f", number);
  return buffer;
}

std::string TotalsText(const LiveFigures& figures) {
  const double seconds = figures.seconds();
  const double rate = seconds > 0 ? static_cast<double>(figures.cpu_ns) / 1e9 / seconds : 0;
  return Concat("CPU ", PercentText(rate, 1), "   ", figures.all_threads,
                figures.all_threads == 1 ? " thread" : " threads", " in ", figures.processes,
                figures.processes == 1 ? " process" : " processes", "   last ", OneDecimal(seconds),
                " s: ", Rate(static_cast<double>(figures.samples), seconds), " samples/s, ",
                Rate(static_cast<double>(figures.markers), seconds), " markers/s");
}

std::string LossText(const std::string& what, uint64_t count, const std::map<std::string, uint64_t>* before) {
  std::string text = Concat(CleanText(what), " ", GroupedText(static_cast<double>(count)));
  if (before == nullptr) return text;
  const auto known = before->find(what);
  const uint64_t then = known == before->end() ? 0 : known->second;
  if (count > then) text += Concat(" (+", GroupedText(static_cast<double>(count - then)), ")");
  return text;
}

// What is lost always, the other kinds where there are any.
std::string LossesText(const LiveFigures& figures, const std::map<std::string, uint64_t>* before) {
  std::string text;
  for (const LossKind kind : kLossKinds) {
    std::string of_kind;
    for (const auto& [what, count] : figures.losses) {
      if (count == 0 || KindOfLoss(what) != kind) continue;
      of_kind += Concat(of_kind.empty() ? "" : ", ", LossText(what, count, before));
    }
    if (of_kind.empty() && kind != LossKind::kLost) continue;
    text += Concat(text.empty() ? "" : "   ", LossPrefix(kind), of_kind.empty() ? "nothing" : of_kind);
  }
  return text;
}

ReportTable ThreadTable(const LiveFigures& figures, size_t top) {
  ReportTable table;
  table.title = "Threads";
  table.columns = {{"cpu", "CPU", Kind::kShare},
                   {"samples", "samples", Kind::kCount},
                   {"markers", "markers", Kind::kCount},
                   {"ids", "pid/tid", Kind::kText},
                   {"name", "thread", Kind::kText}};
  table.all_rows = figures.threads.size();
  for (size_t i = 0; i < std::min(top, figures.threads.size()); ++i) {
    const LiveFigures::Thread& thread = figures.threads[i];
    const double share = figures.seconds() > 0 ? static_cast<double>(thread.cpu_ns) / 1e9 / figures.seconds() : 0;
    const std::string name = thread.name.empty() ? std::string("(no name)") : thread.name;
    table.rows.push_back({share, static_cast<double>(thread.samples), static_cast<double>(thread.markers),
                          Concat(thread.pid, "/", thread.tid), Concat(name, "  (", thread.program, ")")});
  }
  if (table.rows.empty()) table.notes.push_back("no thread ran");
  return table;
}

ReportTable FunctionTable(const LiveFigures& figures, size_t top) {
  ReportTable table;
  table.title = "Functions";
  table.columns = {{"self", "self", Kind::kShare},
                   {"total", "total", Kind::kShare},
                   {"name", "function", Kind::kFunction},
                   {"library", "library", Kind::kLibrary}};
  table.all_rows = figures.functions.size();
  const double all = static_cast<double>(std::max<uint64_t>(figures.samples, 1));
  for (size_t i = 0; i < std::min(top, figures.functions.size()); ++i) {
    const LiveFigures::Function& function = figures.functions[i];
    table.rows.push_back({static_cast<double>(function.self) / all, static_cast<double>(function.total) / all,
                          function.name.function,
                          function.name.library.empty() ? ReportTable::Cell() : function.name.library});
  }
  return table;
}

std::string FirstLines(const std::string& text, size_t lines) {
  size_t end = 0;
  for (size_t i = 0; i < lines && end < text.size(); ++i) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

}  // namespace

std::string LivePage::Text(const LiveFigures& figures) const {
  std::string text;
  for (const std::string& line : {CleanText(title), TotalsText(figures), LossesText(figures, losses_before)}) {
    text += Concat(CutText(line, style.width), "\n");
  }
  size_t threads = kAllThreads, functions = kAllFunctions;
  if (lines > 0) {
    // Three lines above, and each table has an empty line, a title, labels, and a line that says how many more.
    const size_t room = lines > 11 ? lines - 11 : 0;
    threads = std::max(std::min(figures.threads.size(), room / 3), kLeastRows);
    functions = std::max(room > threads ? room - threads : 0, kLeastRows);
  }
  text += WriteTableText(ThreadTable(figures, threads), style);
  text += WriteTableText(FunctionTable(figures, functions), style);
  return lines > 0 ? FirstLines(text, lines) : text;
}

}  // namespace geckoprof
