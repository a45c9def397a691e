#include "tools/report/html/page_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "tools/profile/system_pid.h"
#include "tools/report/cell_text.h"
#include "tools/report/html/page_columns.h"
#include "tools/report/html/page_markers.h"
#include "tools/report/html/page_samples.h"
#include "tools/report/html/page_tables.h"
#include "tools/report/html/page_tree.h"
#include "tools/report/section_totals.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool IsEarlierPoint(const CounterPoint& a, const CounterPoint& b) { return a.time_ms < b.time_ms; }
bool IsLess(const CounterPoint& a, const CounterPoint& b) { return a.value < b.value; }

// Appends the smallest and the largest of the points of one part of the time, in the order in which they came.
void AddExtremes(std::vector<CounterPoint>::const_iterator begin, std::vector<CounterPoint>::const_iterator end,
                 std::vector<CounterPoint>* out) {
  const auto [least, most] = std::minmax_element(begin, end, IsLess);
  out->push_back(*std::min(least, most));
  if (least != most) out->push_back(*std::max(least, most));
}

}  // namespace

std::vector<CounterPoint> CounterPoints(const ProfileCounter& counter, size_t most_points) {
  std::vector<CounterPoint> points;
  points.reserve(counter.rows.size());
  for (const ProfileCounter::Row& row : counter.rows) points.push_back({row.time_ms, row.count});
  std::stable_sort(points.begin(), points.end(), IsEarlierPoint);
  if (!counter.is_rate) {
    double sum = 0;
    for (CounterPoint& point : points) point.value = sum += point.value;
  }
  if (points.size() <= most_points || points.size() < 2) return points;
  const double first_ms = points.front().time_ms, span_ms = points.back().time_ms - first_ms;
  const double parts = static_cast<double>(std::max<size_t>(1, counter.is_rate ? most_points : most_points / 2));
  const auto part_of = [&](const CounterPoint& point) {
    return span_ms > 0 ? std::min(std::floor((point.time_ms - first_ms) / span_ms * parts), parts - 1) : 0;
  };
  std::vector<CounterPoint> fewer;
  for (auto begin = points.cbegin(), end = begin; begin != points.cend(); begin = end) {
    const double part = part_of(*begin);
    for (end = begin + 1; end != points.cend() && part_of(*end) == part;) ++end;
    if (!counter.is_rate) {
      AddExtremes(begin, end, &fewer);
      continue;
    }
    double sum = 0;
    for (auto point = begin; point != end; ++point) sum += point->value;
    fewer.push_back({begin->time_ms, sum});
  }
  return fewer;
}

namespace {

// The call tree and the samples of it. Where slots of time alone do not make them few enough, a smaller tree does:
// equal paths are then more frequent.
struct SampledTree {
  SampledTree(const ProfileModel& model, const std::vector<double>& importance, const PageLimits& limits) {
    constexpr size_t kFewestNodes = 1000, kStep = 4;
    for (size_t nodes = limits.nodes;; nodes /= kStep) {
      tree = std::make_unique<PageTree>(model, importance, nodes);
      samples = std::make_unique<PageSamples>(model, *tree, limits.entries);
      if (samples->entry_count() / 2 <= limits.entries || nodes < kFewestNodes) return;
    }
  }

  std::unique_ptr<PageTree> tree;
  std::unique_ptr<PageSamples> samples;
};

class PageDataWriter {
 public:
  PageDataWriter(const ProfileModel& model, const ProfileSummary& summary, const PageLimits& limits, JsonWriter& writer)
      : model_(model),
        summary_(summary),
        limits_(limits),
        strings_(model),
        markers_(model, limits.markers),
        sampled_(model, Importance(), limits),
        tree_(*sampled_.tree),
        samples_(*sampled_.samples),
        waits_(model, limits.waits),
        writer_(writer),
        marker_writer_(model, tree_, &strings_, writer) {}

  void Write(const PageOrigin& origin) {
    writer_.StartObject();
    WriteMeta(origin);
    WriteSections();
    WriteCategories();
    WriteFunctions();
    WriteNodes();
    WriteWaitRows();
    WriteProcesses();
    WriteThreads();
    marker_writer_.WriteSchemas();
    WriteCounters();
    if (!origin.comparison.has_value()) WritePageTables(model_, summary_, limits_.table_rows, writer_);
    WriteNotes();
    WriteStrings();
    writer_.EndObject();
  }

 private:
  std::vector<double> Importance() const;
  void WriteMeta(const PageOrigin& origin);
  void WriteTexts(std::string_view key, const std::vector<std::string>& texts);
  void WriteSections();
  void WriteSection(const ProfileSection& section);
  void WriteCategories();
  void WriteFunctions();
  void WriteNodes();
  void WriteWaitRows();
  void WriteWaits(const std::vector<PageWaits::Entry>& entries);
  void WriteProcesses();
  void WriteThreads();
  void WriteThread(size_t row, const ProfileSummary::Thread* sum);
  void WriteEntries(std::string_view key, const std::vector<PageSamples::Entry>& entries, bool with_cpu);
  void WriteCounters();
  void WriteNotes();
  void WriteStrings();
  int32_t FunctionNumber(int32_t function) const { return function_numbers_[static_cast<size_t>(function)]; }

  const ProfileModel& model_;
  const ProfileSummary& summary_;
  const PageLimits limits_;
  PageStrings strings_;
  const PageMarkers markers_;
  const SampledTree sampled_;
  const PageTree& tree_;
  const PageSamples& samples_;
  const PageWaits waits_;
  JsonWriter& writer_;
  PageMarkerWriter marker_writer_;
  std::vector<int32_t> function_numbers_;  // by row of model.functions, kNoRow: not on the page
  size_t counters_thinned_ = 0;
};

// Where markers were added is in the tree as well, but goes first where there is not room for all.
std::vector<double> PageDataWriter::Importance() const {
  constexpr double kMarkerStack = 1e-3;
  std::vector<double> weights = StackImportance(model_);
  for (size_t i = 0; i < markers_.threads.size(); ++i) {
    for (const MarkerTime& time : markers_.threads[i].shown) {
      const int32_t data = model_.threads[i].markers[static_cast<size_t>(time.marker)].data;
      const int32_t stack = data == kNoRow ? kNoRow : model_.marker_data[static_cast<size_t>(data)].stack;
      if (stack != kNoRow) weights[static_cast<size_t>(stack)] += kMarkerStack;
    }
  }
  return weights;
}

void PageDataWriter::WriteMeta(const PageOrigin& origin) {
  writer_.StartObjectProperty("meta");
  WriteShown(writer_, "file", origin.file);
  WriteShown(writer_, "product", model_.product);
  WriteShown(writer_, "command", model_.command_line);
  WriteShown(writer_, "machine", model_.machine);
  WriteShown(writer_, "end", RecordingText(model_, "End"));
  writer_.StringProperty("format", model_.format == ProfileFormat::kGecko ? "Gecko" : "processed");
  writer_.IntProperty("version", model_.version);
  writer_.DoubleProperty("startEpochMs", model_.start_epoch_ms);
  writer_.DoubleProperty("intervalMs", model_.interval_ms);
  writer_.DoubleProperty("durationMs", summary_.duration_ms);
  writer_.DoubleProperty("slotMs", samples_.slot_ms);
  writer_.DoubleProperty("samples", summary_.samples);
  writer_.DoubleProperty("idleSamples", summary_.idle_samples);
  WriteShown(writer_, "allocations", summary_.allocations.empty() ? "" : summary_.allocations.Text());
  writer_.UintProperty("markers", markers_.count);
  writer_.UintProperty("processes", summary_.processes);
  writer_.BoolProperty("hasStacks", summary_.has_stacks);
  writer_.BoolProperty("hasCpuTimes", model_.has_cpu_times);
  writer_.BoolProperty("withIdle", origin.with_idle);
  if (origin.comparison.has_value()) {
    WriteTexts("beforeFiles", origin.comparison->before_files);
    WriteTexts("afterFiles", origin.comparison->after_files);
  }
  writer_.EndObject();
  WriteTexts("filters", origin.filters);
}

void PageDataWriter::WriteTexts(std::string_view key, const std::vector<std::string>& texts) {
  writer_.StartArrayProperty(key);
  for (const std::string& text : texts) writer_.String(PageStrings::Shown(text));
  writer_.EndArray();
}

void PageDataWriter::WriteSection(const ProfileSection& section) {
  writer_.StartObject();
  WriteShown(writer_, "label", section.label);
  writer_.StartArrayProperty("entries");
  for (const ProfileSection::Entry& entry : section.entries) {
    writer_.StartArray();
    writer_.String(PageStrings::Shown(entry.label));
    writer_.String(PageStrings::Shown(SectionValueText(entry)));
    writer_.EndArray();
  }
  writer_.EndArray();
  writer_.EndObject();
}

// All of them added up go first, where there are several.
void PageDataWriter::WriteSections() {
  writer_.StartArrayProperty("sections");
  if (model_.sections.size() > 1) {
    ProfileSection sum = AddUpSections(model_.sections);
    sum.label = Concat("All ", model_.sections.size(), " together");
    WriteSection(sum);
  }
  for (const ProfileSection& section : model_.sections) WriteSection(section);
  writer_.EndArray();
}

void PageDataWriter::WriteCategories() {
  writer_.StartArrayProperty("categories");
  for (size_t i = 0; i < model_.categories.size(); ++i) {
    writer_.StartArray();
    writer_.String(PageStrings::Shown(model_.categories[i]));
    writer_.String(i < model_.category_colors.size() ? PageStrings::Shown(model_.category_colors[i]) : "grey");
    writer_.EndArray();
  }
  writer_.EndArray();
}

// Those of the tree, in its order.
void PageDataWriter::WriteFunctions() {
  std::vector<int32_t> used, sources(model_.functions.size(), kNoRow);
  function_numbers_.assign(model_.functions.size(), kNoRow);
  for (const PageTree::Node& node : tree_.nodes()) {
    int32_t& number = function_numbers_[static_cast<size_t>(node.function)];
    if (number != kNoRow) continue;
    number = static_cast<int32_t>(used.size());
    used.push_back(node.function);
  }
  for (const ProfileFrame& frame : model_.frames) {
    int32_t& source = sources[static_cast<size_t>(frame.function)];
    if (source == kNoRow) source = frame.source;
  }
  const auto write = [&](std::string_view key, auto row_of) {
    writer_.StartArrayProperty(key);
    for (const int32_t function : used) writer_.Int(strings_.OfRow(row_of(static_cast<size_t>(function))));
    writer_.EndArray();
  };
  writer_.StartObjectProperty("functions");
  write("name", [&](size_t function) { return model_.functions[function].name; });
  write("library", [&](size_t function) { return model_.functions[function].library; });
  write("source", [&](size_t function) { return sources[function]; });
  writer_.EndObject();
}

void PageDataWriter::WriteNodes() {
  const auto write = [&](std::string_view key, auto number_of) {
    writer_.StartArrayProperty(key);
    for (size_t i = 0; i < tree_.nodes().size(); ++i) writer_.Int(number_of(static_cast<int32_t>(i), tree_.nodes()[i]));
    writer_.EndArray();
  };
  writer_.StartObjectProperty("nodes");
  write("parent", [](int32_t i, const PageTree::Node& node) { return node.parent == kNoRow ? 0 : i - node.parent; });
  write("function", [&](int32_t, const PageTree::Node& node) { return FunctionNumber(node.function); });
  write("category", [](int32_t, const PageTree::Node& node) { return node.category; });
  writer_.EndObject();
}

void PageDataWriter::WriteWaitRows() {
  const auto lock_of = [this](const WaitSums::Row& row) {
    return row.lock_wait == kNoRow ? nullptr : &model_.lock_waits[static_cast<size_t>(row.lock_wait)];
  };
  const auto write = [&](std::string_view key, auto write_cell) {
    writer_.StartArrayProperty(key);
    for (const WaitSums::Row& row : waits_.rows) write_cell(row);
    writer_.EndArray();
  };
  writer_.StartObjectProperty("waits");
  write("cause", [&](const WaitSums::Row& row) { writer_.String(NameOf(row.cause)); });
  write("lock", [&](const WaitSums::Row& row) { writer_.String(AddressText(row.lock_address)); });
  write("holder", [&](const WaitSums::Row& row) {
    const ProfileLockWait* const lock = lock_of(row);
    writer_.String(lock == nullptr ? "" : PageStrings::Shown(HolderText(model_, *lock)));
  });
  write("node", [&](const WaitSums::Row& row) { writer_.Int(tree_.NodeOf(row.stack) + 1); });
  write("holderNode", [&](const WaitSums::Row& row) {
    const ProfileLockWait* const lock = lock_of(row);
    writer_.Int(lock == nullptr ? 0 : tree_.NodeOf(lock->holder_stack) + 1);
  });
  writer_.EndObject();
}

// t: begins. d: durations in µs. r: rows of the page's waits. c and m, the number of waits and the longest of an entry,
// are left out if each entry is one wait.
void PageDataWriter::WriteWaits(const std::vector<PageWaits::Entry>& entries) {
  const auto us = [](int64_t ns) { return ns / 1000 + (ns % 1000 >= 500 ? 1 : 0); };
  const auto write = [&](std::string_view key, auto number_of) {
    writer_.StartArrayProperty(key);
    for (const PageWaits::Entry& entry : entries) writer_.Int(number_of(entry));
    writer_.EndArray();
  };
  writer_.StartObjectProperty("waits");
  {
    PageColumn times(writer_, "t");
    for (const PageWaits::Entry& entry : entries) times.Add(entry.begin_ms);
  }
  write("d", [&](const PageWaits::Entry& entry) { return us(entry.ns); });
  write("r", [](const PageWaits::Entry& entry) { return static_cast<int64_t>(entry.row); });
  if (waits_.slot_ms > 0) {
    write("c", [](const PageWaits::Entry& entry) { return entry.waits; });
    write("m", [&](const PageWaits::Entry& entry) { return us(entry.longest_ns); });
  }
  writer_.EndObject();
}

void PageDataWriter::WriteProcesses() {
  writer_.StartArrayProperty("processes");
  for (const ProfileProcess& process : model_.processes) {
    writer_.StartObject();
    WriteShown(writer_, "pid", process.pid);
    WriteShown(writer_, "systemPid", SystemPid(process.pid));
    WriteShown(writer_, "name", process.name);
    WriteShown(writer_, "parentPid", SystemPid(process.parent_pid));
    writer_.EndObject();
  }
  writer_.EndArray();
}

void PageDataWriter::WriteThreads() {
  std::vector<const ProfileSummary::Thread*> sums(model_.threads.size(), nullptr);
  for (const ProfileSummary::Thread& sum : summary_.threads) sums[static_cast<size_t>(sum.row)] = &sum;
  writer_.StartArrayProperty("threads");
  for (size_t i = 0; i < model_.threads.size(); ++i) WriteThread(i, sums[i]);
  writer_.EndArray();
}

void PageDataWriter::WriteThread(size_t row, const ProfileSummary::Thread* sum) {
  const ProfileThread& thread = model_.threads[row];
  const auto optional_ms = [&](std::string_view key, const std::optional<double>& time_ms) {
    if (time_ms.has_value()) writer_.DoubleProperty(key, static_cast<double>(Microseconds(*time_ms)) / 1000);
  };
  const bool has_cpu = sum != nullptr && sum->cpu_ns.has_value();
  writer_.StartObject();
  writer_.IntProperty("process", thread.process);
  writer_.IntProperty("tid", thread.tid);
  WriteShown(writer_, "name", thread.name);
  writer_.BoolProperty("isMain", thread.is_main);
  writer_.StringProperty("unit", thread.weight_unit == ProfileWeightUnit::kBytes ? "bytes"
                                 : thread.weight_unit == ProfileWeightUnit::kMs  ? "ms"
                                                                                 : "samples");
  optional_ms("startMs", thread.register_ms);
  optional_ms("endMs", thread.unregister_ms);
  if (has_cpu) writer_.DoubleProperty("cpuMs", static_cast<double>(*sum->cpu_ns) / 1e6);
  if (sum != nullptr && sum->wait_ns.has_value()) {
    writer_.DoubleProperty("coreWaitMs", static_cast<double>(*sum->ready_ns) / 1e6);
    writer_.DoubleProperty("waitMs", static_cast<double>(*sum->wait_ns) / 1e6);
  }
  WriteEntries("active", samples_.threads[row].active, has_cpu);
  WriteEntries("idle", samples_.threads[row].idle, false);
  marker_writer_.WriteMarkers(thread, markers_.threads[row]);
  WriteWaits(waits_.threads[row]);
  writer_.EndObject();
}

// n: node + 1, 0: none. w: left out where all are 1. c: CPU time in µs.
void PageDataWriter::WriteEntries(std::string_view key, const std::vector<PageSamples::Entry>& entries, bool with_cpu) {
  writer_.StartObjectProperty(key);
  {
    PageColumn times(writer_, "t");
    for (const PageSamples::Entry& entry : entries) times.Add(entry.time_ms);
  }
  writer_.StartArrayProperty("n");
  for (const PageSamples::Entry& entry : entries) writer_.Int(entry.node + 1);
  writer_.EndArray();
  if (std::any_of(entries.begin(), entries.end(), [](const PageSamples::Entry& entry) { return entry.weight != 1; })) {
    writer_.StartArrayProperty("w");
    for (const PageSamples::Entry& entry : entries) WriteNumber(writer_, entry.weight);
    writer_.EndArray();
  }
  if (with_cpu) {
    writer_.StartArrayProperty("c");
    for (const PageSamples::Entry& entry : entries)
      writer_.Int(entry.cpu_ns / 1000 + (entry.cpu_ns % 1000 >= 500 ? 1 : 0));
    writer_.EndArray();
  }
  writer_.EndObject();
}

void PageDataWriter::WriteCounters() {
  writer_.StartArrayProperty("counters");
  for (const ProfileCounter& counter : model_.counters) {
    const std::vector<CounterPoint> points = CounterPoints(counter, limits_.counter_points);
    if (points.size() < counter.rows.size()) ++counters_thinned_;
    const bool is_energy = counter.unit == kEnergyUnit;
    const double scale = is_energy ? kJoulesPerPwh : 1;
    writer_.StartObject();
    writer_.IntProperty("process", counter.process);
    WriteShown(writer_, "name", counter.name);
    WriteShown(writer_, "category", counter.category);
    WriteShown(writer_, "description", counter.description);
    WriteShown(writer_, "unit", is_energy ? "J" : counter.unit);
    WriteShown(writer_, "color", counter.color);
    writer_.BoolProperty("isRate", counter.is_rate);
    writer_.DoubleProperty("total", counter.total * scale);
    if (counter.peak.has_value()) writer_.DoubleProperty("peak", *counter.peak * scale);
    if (counter.has_operations) writer_.DoubleProperty("operations", counter.operations);
    writer_.UintProperty("rows", counter.rows.size());
    {
      PageColumn times(writer_, "t");
      for (const CounterPoint& point : points) times.Add(point.time_ms);
    }
    writer_.StartArrayProperty("v");
    for (const CounterPoint& point : points) WriteNumber(writer_, point.value * scale);
    writer_.EndArray();
    writer_.EndObject();
  }
  writer_.EndArray();
}

// What the recording has no samples of, and what the page does not show, or not as it was.
void PageDataWriter::WriteNotes() {
  writer_.StartArrayProperty("notes");
  const auto text_of = [](size_t number) { return GroupedText(static_cast<double>(number)); };
  if (summary_.gaps.has_value() && summary_.gaps->count > 0) {
    writer_.String(Concat(summary_.gaps->Text(summary_.cpu_ns.value_or(0)), ". ", kGapCause, " ", kGapRemedy));
  }
  if (samples_.slot_ms > 0) {
    writer_.String(Concat(text_of(samples_.rows), " samples were put together by call path in slots of ",
                          DurationText(samples_.slot_ms), "; sums are exact, times within a slot are not"));
  }
  if (waits_.slot_ms > 0) {
    writer_.String(Concat(text_of(waits_.waits), " waits were put together by stack in slots of ",
                          DurationText(waits_.slot_ms), "; sums are exact, times within a slot are not"));
  }
  if (tree_.folded_nodes() > 0) {
    writer_.String(Concat("of the call tree the ", text_of(tree_.nodes().size()), " heaviest nodes are here; ",
                          text_of(tree_.folded_nodes()), " lighter ones count as their callers"));
  }
  if (markers_.left_out > 0) {
    writer_.String(
        Concat(text_of(markers_.left_out), " of ", text_of(markers_.count),
               " markers are left out, the shortest of the most frequent names; the marker chart says of which"));
  }
  if (counters_thinned_ > 0) {
    writer_.String(Concat("graphs of ", text_of(counters_thinned_), " counters have at most ",
                          text_of(limits_.counter_points),
                          " points: the least and the greatest value of each part of the time"));
  }
  if (strings_.cut() > 0) {
    writer_.String(Concat("names and texts of more than ", PageStrings::kMostBytes, " bytes are cut"));
  }
  writer_.EndArray();
}

void PageDataWriter::WriteStrings() {
  writer_.StartArrayProperty("strings");
  for (const std::string& text : strings_.texts()) writer_.String(text);
  writer_.EndArray();
}

}  // namespace

std::string WritePageData(const ProfileModel& model, const ProfileSummary& summary, const PageOrigin& origin,
                          const PageLimits& limits) {
  std::string text;
  JsonWriter writer(StringSink(&text));
  PageDataWriter(model, summary, limits, writer).Write(origin);
  return writer.Finish() ? text : std::string();
}

}  // namespace geckoprof
