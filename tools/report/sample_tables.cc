#include "tools/report/sample_tables.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/profile/counted_samples.h"
#include "tools/report/cell_text.h"
#include "tools/report/process_tree.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

struct Weight {
  double samples = 0, cpu_ms = 0;
  bool is_zero() const { return samples == 0 && cpu_ms == 0; }
};

std::vector<Weight> OwnWeights(const ProfileModel& model, bool with_idle, SampleGroups* sums) {
  const IdleRule idle_rule(model);
  const MainMeasure measure(model);
  sums->in_bytes = measure.in_bytes();
  std::vector<Weight> weights(model.stacks.size());
  for (const ProfileThread& thread : model.threads) {
    if (!measure.Has(thread)) continue;
    bool first = !thread.starts_later;
    for (const ProfileSample& sample : thread.samples) {
      const bool counts_cpu = !first && sample.cpu_ns > 0;
      first = false;
      if (sample.stack == kNoRow || (!with_idle && !sums->in_bytes && idle_rule.IsIdle(sample))) continue;
      const double cpu_ms = counts_cpu ? static_cast<double>(sample.cpu_ns) / 1e6 : 0;
      Weight& weight = weights[static_cast<size_t>(sample.stack)];
      weight.samples += sample.weight;
      weight.cpu_ms += cpu_ms;
      sums->samples += sample.weight;
      sums->cpu_ms += cpu_ms;
    }
  }
  return weights;
}

}  // namespace

SampleGroups SampleGroups::Of(const ProfileModel& model, const std::vector<int32_t>& group_of_stack, size_t groups,
                              bool with_idle) {
  SampleGroups result;
  result.groups.resize(groups);
  const std::vector<Weight> own = OwnWeights(model, with_idle, &result);
  const size_t rows = own.size();
  std::vector<Weight> below = own;  // of the row and all that it is a prefix of
  // Children of each row are a linked list. The children of the outside stand behind all rows.
  std::vector<int32_t> first_child(rows + 1, kNoRow), sibling(rows, kNoRow);
  for (size_t row = rows; row-- > 0;) {
    if (below[row].is_zero()) continue;
    const int32_t prefix = model.stacks[row].prefix;
    const size_t parent = prefix == kNoRow ? rows : static_cast<size_t>(prefix);
    if (prefix != kNoRow) {
      below[parent].samples += below[row].samples;
      below[parent].cpu_ms += below[row].cpu_ms;
    }
    sibling[row] = first_child[parent];
    first_child[parent] = static_cast<int32_t>(row);
  }
  std::vector<int32_t> on_path(groups, 0);
  std::vector<int32_t> pending;  // rows to enter; ~row: to leave
  const auto push_children = [&](size_t parent) {
    for (int32_t child = first_child[parent]; child != kNoRow; child = sibling[static_cast<size_t>(child)]) {
      pending.push_back(child);
    }
  };
  push_children(rows);
  while (!pending.empty()) {
    const int32_t next = pending.back();
    pending.pop_back();
    const size_t row = static_cast<size_t>(next < 0 ? ~next : next);
    const int32_t group = group_of_stack[row];
    if (next < 0) {
      if (group >= 0) --on_path[static_cast<size_t>(group)];
      continue;
    }
    if (group >= 0) {
      Group& sum = result.groups[static_cast<size_t>(group)];
      sum.self_samples += own[row].samples;
      sum.self_cpu_ms += own[row].cpu_ms;
      if (on_path[static_cast<size_t>(group)]++ == 0) {
        sum.total_samples += below[row].samples;
        sum.total_cpu_ms += below[row].cpu_ms;
      }
    }
    pending.push_back(~next);
    push_children(row);
  }
  return result;
}

namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;
using Group = SampleGroups::Group;

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Samples by a row of some table of the model; those of none stand in a group of their own behind all others.
struct Grouping {
  std::vector<int32_t> group_of_stack;
  size_t groups = 0;

  void Add(int32_t row) { group_of_stack.push_back(row == kNoRow ? static_cast<int32_t>(groups - 1) : row); }
};

template <typename RowOf>
Grouping GroupStacks(const ProfileModel& model, size_t rows, RowOf row_of) {
  Grouping grouping;
  grouping.groups = rows + 1;
  grouping.group_of_stack.reserve(model.stacks.size());
  for (const ProfileStack& stack : model.stacks) {
    if (IsRootFunction(model, stack.function)) {
      grouping.group_of_stack.push_back(SampleGroups::kLeftOut);
    } else {
      grouping.Add(row_of(stack));
    }
  }
  return grouping;
}

std::vector<std::pair<size_t, const Group*>> Sorted(const SampleGroups& sums) {
  std::vector<std::pair<size_t, const Group*>> rows;
  for (size_t i = 0; i < sums.groups.size(); ++i) {
    if (sums.groups[i].total_samples > 0) rows.emplace_back(i, &sums.groups[i]);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second->self_samples, a.second->total_samples) >
           std::tie(b.second->self_samples, b.second->total_samples);
  });
  return rows;
}

std::vector<ReportTable::Column> FigureColumns(bool in_bytes) {
  const char* const unit = in_bytes ? "bytes" : "samples";
  return {{"selfShare", "self", Kind::kShare},   {"self", unit, Kind::kCount},  {"selfCpuMs", "self CPU", Kind::kMs},
          {"totalShare", "total", Kind::kShare}, {"total", unit, Kind::kCount}, {"totalCpuMs", "total CPU", Kind::kMs}};
}

// `name_cells(row)`: the cells of one group behind the figures; of the group of none std::nullopt.
template <typename NameCells>
ReportTable GroupTable(const ProfileModel& model, const Grouping& grouping, std::string_view title, size_t top,
                       bool with_idle, NameCells name_cells) {
  const SampleGroups sums = SampleGroups::Of(model, grouping.group_of_stack, grouping.groups, with_idle);
  ReportTable table;
  const bool has_cpu = model.has_cpu_times && !sums.in_bytes;
  const std::string cpu_text = has_cpu ? Concat(", ", DurationText(sums.cpu_ms), " of CPU time") : "";
  table.title = Concat(title, " (", GroupedText(sums.samples), sums.in_bytes ? " byte" : " sample",
                       sums.samples == 1 ? "" : "s", cpu_text, ")");
  table.columns = FigureColumns(sums.in_bytes);
  const auto rows = Sorted(sums);
  table.all_rows = rows.size();
  for (size_t i = 0; i < std::min(top, rows.size()); ++i) {
    const auto& [group, sum] = rows[i];
    const auto cpu = [has_cpu](double cpu_ms) { return has_cpu ? Cell(cpu_ms) : Cell(); };
    ReportTable::Row row = {Share(sum->self_samples, sums.samples),  sum->self_samples,  cpu(sum->self_cpu_ms),
                            Share(sum->total_samples, sums.samples), sum->total_samples, cpu(sum->total_cpu_ms)};
    const bool is_of_none = group + 1 == grouping.groups;
    for (Cell& cell : name_cells(is_of_none ? std::nullopt : std::optional<size_t>(group))) {
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const std::string& Text(const ProfileModel& model, int32_t row) { return model.strings[static_cast<size_t>(row)]; }

}  // namespace

ReportTable FunctionTable(const ProfileModel& model, size_t top, bool with_idle) {
  const Grouping grouping =
      GroupStacks(model, model.functions.size(), [](const ProfileStack& stack) { return stack.function; });
  ReportTable table = GroupTable(model, grouping, "Functions", top, with_idle, [&](std::optional<size_t> row) {
    const ProfileFunction& function = model.functions[row.value_or(0)];
    return ReportTable::Row{Text(model, function.name),
                            function.library == kNoRow ? Cell() : Cell(Text(model, function.library))};
  });
  table.columns.push_back({"name", "function", Kind::kFunction});
  table.columns.push_back({"library", "library", Kind::kLibrary});
  return table;
}

ReportTable FileTable(const ProfileModel& model, size_t top, bool with_idle) {
  const Grouping grouping = GroupStacks(model, model.strings.size(), [&model](const ProfileStack& stack) {
    return stack.frame == kNoRow ? kNoRow : model.frames[static_cast<size_t>(stack.frame)].source;
  });
  ReportTable table = GroupTable(model, grouping, "Source files", top, with_idle, [&](std::optional<size_t> row) {
    return ReportTable::Row{row.has_value() ? Cell(model.strings[*row]) : Cell("(unknown source file)")};
  });
  table.columns.push_back({"name", "file", Kind::kText});
  return table;
}

ReportTable LibraryTable(const ProfileModel& model, size_t top, bool with_idle) {
  const Grouping grouping = GroupStacks(model, model.strings.size(), [&model](const ProfileStack& stack) {
    return model.functions[static_cast<size_t>(stack.function)].library;
  });
  ReportTable table = GroupTable(model, grouping, "Libraries", top, with_idle, [&](std::optional<size_t> row) {
    return ReportTable::Row{row.has_value() ? Cell(model.strings[*row]) : Cell("(no library)")};
  });
  table.columns.push_back({"name", "library", Kind::kText});
  return table;
}

ReportTable CategoryTable(const ProfileModel& model, size_t top, bool with_idle) {
  const Grouping grouping =
      GroupStacks(model, model.categories.size(), [](const ProfileStack& stack) { return stack.category; });
  ReportTable table = GroupTable(model, grouping, "Categories", top, with_idle, [&](std::optional<size_t> row) {
    return ReportTable::Row{row.has_value() ? Cell(model.categories[*row]) : Cell("(no category)")};
  });
  table.columns.push_back({"name", "category", Kind::kText});
  return table;
}

namespace {

// A sum of times that may be unknown.
void AddMs(std::optional<int64_t> ns, std::optional<double>* sum_ms) {
  if (ns.has_value()) *sum_ms = sum_ms->value_or(0) + static_cast<double>(*ns) / 1e6;
}

Cell MsCell(std::optional<double> ms) { return ms.has_value() ? Cell(*ms) : Cell(); }

// These columns are there if a thread has something for them.
struct OwnerParts {
  explicit OwnerParts(const ProfileSummary& summary)
      : has_bytes(!summary.allocations.empty()),
        has_waits(summary.has_wait_times),
        has_gaps(summary.gaps.has_value() && summary.gaps->count > 0) {}
  bool has_bytes, has_waits, has_gaps;
};

struct OwnerSum {
  std::optional<double> cpu_ms, gap_ms, core_wait_ms, wait_ms;
  double samples = 0, idle_samples = 0, bytes = 0;
  size_t threads = 0, markers = 0;

  void Add(const ProfileSummary::Thread& thread) {
    AddMs(thread.cpu_ns, &cpu_ms);
    if (thread.gaps.has_value()) AddMs(thread.gaps->cpu_ns, &gap_ms);
    AddMs(thread.ready_ns, &core_wait_ms);
    AddMs(thread.wait_ns, &wait_ms);
    samples += thread.samples;
    idle_samples += thread.idle_samples;
    ++threads;
    bytes += thread.allocations.bytes;
    markers += thread.markers;
  }
  ReportTable::Row Cells(const OwnerParts& parts) const {
    const double rows = samples + idle_samples;
    ReportTable::Row cells = {MsCell(cpu_ms)};
    if (parts.has_gaps) cells.push_back(MsCell(gap_ms));
    if (parts.has_waits) cells.insert(cells.end(), {MsCell(core_wait_ms), MsCell(wait_ms)});
    cells.insert(cells.end(), {samples, rows > 0 ? Cell(idle_samples / rows) : Cell()});
    if (parts.has_bytes) cells.emplace_back(bytes);
    cells.emplace_back(static_cast<double>(markers));
    return cells;
  }
};

std::vector<ReportTable::Column> OwnerColumns(const OwnerParts& parts) {
  std::vector<ReportTable::Column> columns = {{"cpuMs", "CPU time", Kind::kMs}};
  if (parts.has_gaps) columns.push_back({"gapMs", "in gaps", Kind::kMs});
  if (parts.has_waits) {
    columns.push_back({"coreWaitMs", "for a core", Kind::kMs});
    columns.push_back({"waitMs", "waiting", Kind::kMs});
  }
  columns.push_back({"samples", "samples", Kind::kCount});
  columns.push_back({"idleShare", "idle", Kind::kShare});
  if (parts.has_bytes) columns.push_back({"bytes", "allocated", Kind::kBytes});
  columns.push_back({"markers", "markers", Kind::kCount});
  return columns;
}

}  // namespace

ReportTable ThreadTable(const ProfileModel& model, const ProfileSummary& summary, size_t top) {
  const OwnerParts parts(summary);
  ReportTable table;
  table.title = "Threads";
  table.columns = OwnerColumns(parts);
  table.columns.push_back({"pid", "pid", Kind::kText});
  table.columns.push_back({"tid", "tid", Kind::kText});
  table.columns.push_back({"processName", "process", Kind::kText});
  table.columns.push_back({"name", "thread", Kind::kText});
  table.all_rows = summary.threads.size();
  for (size_t i = 0; i < std::min(top, summary.threads.size()); ++i) {
    OwnerSum sum;
    sum.Add(summary.threads[i]);
    const ProfileThread& thread = model.threads[static_cast<size_t>(summary.threads[i].row)];
    const ProfileProcess& process = model.processes[static_cast<size_t>(thread.process)];
    ReportTable::Row row = sum.Cells(parts);
    row.insert(row.end(), {process.pid, std::to_string(thread.tid), process.name, thread.name});
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable ProcessTable(const ProfileModel& model, const ProfileSummary& summary, size_t top) {
  std::vector<OwnerSum> sums(model.processes.size());
  for (const ProfileSummary::Thread& thread : summary.threads) {
    const ProfileThread& row = model.threads[static_cast<size_t>(thread.row)];
    sums[static_cast<size_t>(row.process)].Add(thread);
  }
  std::vector<ProcessTree::Weight> weights;
  for (const OwnerSum& sum : sums) weights.emplace_back(sum.cpu_ms.value_or(0), sum.samples);
  const ProcessTree tree(model, weights);
  const OwnerParts parts(summary);
  ReportTable table;
  table.title = "Processes";
  table.columns = OwnerColumns(parts);
  table.columns.push_back({"threads", "threads", Kind::kCount});
  if (tree.has_children()) table.columns.push_back({"treeMs", "with children", Kind::kMs});
  table.columns.push_back({"pid", "pid", Kind::kText});
  table.columns.push_back({"name", "process", Kind::kTree});
  for (const ProcessTree::Node& node : tree.nodes()) {
    const OwnerSum& sum = sums[node.row];
    if (sum.threads == 0) continue;  // the filters exclude it
    ++table.all_rows;
    if (table.rows.size() >= top) continue;
    const ProfileProcess& process = model.processes[node.row];
    ReportTable::Row row = sum.Cells(parts);
    row.emplace_back(static_cast<double>(sum.threads));
    const bool is_known = sum.cpu_ms.has_value() || node.with_children.first > 0;
    if (tree.has_children()) row.push_back(is_known ? Cell(node.with_children.first) : Cell());
    row.insert(row.end(), {process.pid, process.name});
    row.back().number = static_cast<double>(node.depth);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace geckoprof
