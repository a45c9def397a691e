#include "tools/symbolicate/gecko_frames.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/numbers.h"
#include "tools/processed_format/missing_names.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/system_pid.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int32_t kUnknown = -2;
constexpr int32_t kChanging = -3;  // of a stack: it depends on the time

std::optional<uint64_t> ParseNumber(std::string_view digits, int base) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// Takes ":12" off the end.
std::optional<int64_t> TakeNumber(std::string_view& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::optional<uint64_t> number = ParseNumber(text.substr(colon + 1), 10);
  if (!number.has_value() || *number > INT32_MAX) return std::nullopt;
  text = text.substr(0, colon);
  return static_cast<int64_t>(*number);
}

}  // namespace

GeckoProcessTables GeckoProcessTables::Read(JsonView process, SharedTables& tables) {
  GeckoProcessTables read;
  const JsonView libs = process["libs"];
  for (size_t i = 0; i < libs.size(); ++i) {
    const JsonView lib = libs.At(i);
    const auto start = lib["start"].AsInteger(), end = lib["end"].AsInteger(), offset = lib["offset"].AsInteger();
    if (!start.has_value() || !end.has_value() || *start < 0 || *end <= *start) continue;
    read.libs.push_back({static_cast<uint64_t>(*start), static_cast<uint64_t>(*end),
                         static_cast<uint64_t>(offset.value_or(0)), ReadLib(lib)});
  }
  std::sort(read.libs.begin(), read.libs.end(), [](const Lib& a, const Lib& b) { return a.start_avma < b.start_avma; });
  const GeckoTable table(process["sources"]);
  const auto id = table.Column("id"), filename = table.Column("filename"), start_line = table.Column("startLine"),
             start_column = table.Column("startColumn"), map = table.Column("sourceMapURL");
  for (size_t i = 0; i < table.rows(); ++i) {
    const JsonView row = table.Row(i);
    SharedTables::Source source{tables.String(GeckoTable::Cell(row, filename).AsString()),
                                std::string(GeckoTable::Cell(row, id).AsString()),
                                1,
                                1,
                                kNoTableRow,
                                ""};
    source.start_line = GeckoTable::Cell(row, start_line).AsInteger().value_or(1);
    source.start_column = GeckoTable::Cell(row, start_column).AsInteger().value_or(1);
    const std::string_view map_url = GeckoTable::Cell(row, map).AsString();
    if (!map_url.empty()) source.source_map_url = static_cast<int32_t>(tables.String(map_url));
    read.sources.push_back(tables.AddSource(source));
  }
  read.start_epoch_ms = process["meta"]["startTime"].NumberOr(0);
  const std::string pid = SystemPid(ProcessedPidOfGecko(TextOf(process["threads"].At(0)["pid"])));
  if (!absl::SimpleAtoi(pid, &read.pid)) read.pid = 0;  // of another namespace
  read.name = process["threads"].At(0)["processName"].AsString();
  if (read.name.empty()) read.name = process["meta"]["product"].AsString();
  const auto zero_ns = process["meta"]["startTimeAsClockMonotonicNanosecondsSinceBoot"].AsInteger();
  if (zero_ns.has_value() && *zero_ns >= 0) read.zero_ns = *zero_ns;
  return read;
}

int64_t GeckoProcessTables::MonotonicNs(JsonView time_ms) const {
  constexpr double kNsPerMs = 1e6, kMostNs = 4e18;
  if (zero_ns == kUnknownNs || !time_ms.IsNumber()) return CodeTimeline::kLatestNs;
  const double time_ns = static_cast<double>(zero_ns) + time_ms.NumberOr(0) * kNsPerMs;
  return time_ns >= -kMostNs && time_ns <= kMostNs ? static_cast<int64_t>(time_ns) : CodeTimeline::kLatestNs;
}

GeckoFrames::GeckoFrames(JsonView thread, GeckoProcessTables& process, SharedTables& tables, LibrarySymbols& symbols)
    : process_(process),
      tables_(tables),
      symbols_(symbols),
      strings_(thread["stringTable"]),
      frame_table_(thread["frameTable"]),
      stack_table_(thread["stackTable"]),
      location_(frame_table_.Column("location")),
      relevant_(frame_table_.Column("relevantForJS")),
      window_(frame_table_.Column("innerWindowID")),
      line_(frame_table_.Column("line")),
      column_(frame_table_.Column("column")),
      category_(frame_table_.Column("category")),
      subcategory_(frame_table_.Column("subcategory")),
      prefix_(stack_table_.Column("prefix")),
      frame_(stack_table_.Column("frame")) {
  sample_frames_.resize(frame_table_.rows());
  caller_frames_.resize(frame_table_.rows());
  sample_stacks_.assign(stack_table_.rows(), kUnknown);
  caller_stacks_.assign(stack_table_.rows(), kUnknown);
}

absl::Status GeckoFrames::Check(const JsonPath& path) const {
  if (!strings_.IsArray()) return FaultAt(path / "stringTable", "is missing or not an array");
  if (!frame_table_.IsTable()) return FaultAt(path / "frameTable", "is no table {\"schema\":{},\"data\":[]}");
  if (!stack_table_.IsTable()) return FaultAt(path / "stackTable", "is no table {\"schema\":{},\"data\":[]}");
  const JsonPath table_path = path / "stackTable", data_path = table_path / "data";
  for (size_t i = 0; i < stack_table_.rows(); ++i) {
    const JsonView row = stack_table_.Row(i);
    // Only earlier rows are callers, so no chain comes back to where it started.
    if (const auto caller = ReadIndex(GeckoTable::Cell(row, prefix_), i, data_path / i); !caller.ok()) {
      return caller.status();
    }
    const auto frame = ReadIndex(GeckoTable::Cell(row, frame_), frame_table_.rows(), data_path / i);
    if (!frame.ok()) return frame.status();
    if (*frame < 0) return FaultAt(data_path / i, "has no frame");
  }
  return absl::OkStatus();
}

uint32_t GeckoFrames::String(JsonView number) const {
  const int64_t row = NumberOrNone(number);
  return tables_.String(row >= 0 ? strings_.At(static_cast<size_t>(row)).AsString() : std::string_view());
}

int32_t GeckoFrames::PrefixOf(int32_t row) const {
  return static_cast<int32_t>(NumberOrNone(GeckoTable::Cell(stack_table_.Row(static_cast<size_t>(row)), prefix_)));
}

int32_t GeckoFrames::Stack(JsonView stack, bool is_sample, int64_t time_ns) {
  const int64_t number = NumberOrNone(stack);
  if (number < 0 || static_cast<size_t>(number) >= sample_stacks_.size()) return kNoTableRow;
  const auto leaf = static_cast<int32_t>(number);
  std::vector<int32_t>& known = is_sample ? sample_stacks_ : caller_stacks_;
  if (known[static_cast<size_t>(leaf)] > kUnknown) return known[static_cast<size_t>(leaf)];
  // The callers whose row is not known, or depends on the time, innermost first.
  path_.clear();
  int32_t row = is_sample ? PrefixOf(leaf) : leaf;
  while (row != kNoTableRow && caller_stacks_[static_cast<size_t>(row)] <= kUnknown) {
    path_.push_back(row);
    row = PrefixOf(row);
  }
  int32_t prefix = row == kNoTableRow ? kNoTableRow : caller_stacks_[static_cast<size_t>(row)];
  bool is_changing = false;  // one of the frames so far
  for (size_t i = path_.size(); i > 0; --i) {
    prefix = AddStack(prefix, FramesOf(path_[i - 1], /*is_sample=*/false, time_ns, &is_changing));
    caller_stacks_[static_cast<size_t>(path_[i - 1])] = is_changing ? kChanging : prefix;
  }
  if (!is_sample) return prefix;
  prefix = AddStack(prefix, FramesOf(leaf, /*is_sample=*/true, time_ns, &is_changing));
  known[static_cast<size_t>(leaf)] = is_changing ? kChanging : prefix;
  return prefix;
}

int32_t GeckoFrames::AddStack(int32_t prefix, const Rows& frames) {
  for (const int32_t frame : frames) prefix = tables_.AddStack(prefix, frame);
  return prefix;
}

const GeckoFrames::Rows& GeckoFrames::FramesOf(int32_t stack_row, bool is_sample, int64_t time_ns, bool* is_changing) {
  const JsonView row = stack_table_.Row(static_cast<size_t>(stack_row));
  const auto frame = static_cast<size_t>(NumberOrNone(GeckoTable::Cell(row, frame_)));
  Rows& rows = (is_sample ? sample_frames_ : caller_frames_)[frame];
  if (!rows.empty()) return rows;
  changing_frames_.clear();
  if (AddFrames(frame_table_.Row(frame), is_sample, time_ns, &changing_frames_)) {
    *is_changing = true;
    return changing_frames_;
  }
  rows = changing_frames_;
  return rows;
}

bool GeckoFrames::AddFrames(JsonView row, bool is_sample, int64_t time_ns, Rows* rows) {
  SharedTables::Frame frame;
  frame.category = static_cast<int32_t>(NumberOrNone(GeckoTable::Cell(row, category_)));
  frame.subcategory = static_cast<int32_t>(GeckoTable::Cell(row, subcategory_).AsInteger().value_or(0));
  frame.inner_window_id = NumberOrNone(GeckoTable::Cell(row, window_));
  const int64_t string = NumberOrNone(GeckoTable::Cell(row, location_));
  const std::string_view location = string >= 0 ? strings_.At(static_cast<size_t>(string)).AsString() : "(no text)";
  if (location.starts_with("0x")) {
    if (const std::optional<uint64_t> avma = ParseNumber(location.substr(2), 16)) {
      return AddAddress(*avma - (is_sample || *avma == 0 ? 0 : 1), time_ns, frame, rows);
    }
  }
  const bool is_relevant = GeckoTable::Cell(row, relevant_).IsTrue();
  frame.line = NumberOrNone(GeckoTable::Cell(row, line_));
  frame.column = NumberOrNone(GeckoTable::Cell(row, column_));
  if (!AddNamed(location, &frame)) AddScript(location, is_relevant, &frame);
  rows->push_back(tables_.AddFrame(frame));
  return false;
}

bool GeckoFrames::AddAddress(uint64_t avma, int64_t time_ns, SharedTables::Frame frame, Rows* rows) {
  auto after =
      std::upper_bound(process_.libs.begin(), process_.libs.end(), avma,
                       [](uint64_t address, const GeckoProcessTables::Lib& lib) { return address < lib.start_avma; });
  if (after == process_.libs.begin() || avma >= (after - 1)->end_avma) {
    const LibrarySymbols::MadeCode code = symbols_.FindMadeCode(process_.pid, process_.start_epoch_ms, avma, time_ns);
    std::string name(code.name);
    if (name.empty()) {
      const bool is_one = symbols_.looks_up() && !process_.name.empty();
      name = is_one ? UnnamedCode(process_.name, avma) : Concat("0x", HexText(avma));
      frame.address = AddressOfUnnamedCode(avma);
    }
    frame.func = tables_.AddFunc({tables_.String(name)});
    rows->push_back(tables_.AddFrame(frame));
    return code.may_change;
  }
  GeckoProcessTables::Lib& lib = *(after - 1);
  if (lib.row == kNoTableRow) lib.row = tables_.AddLib(lib.names);
  frame.lib = lib.row;
  frame.address = static_cast<int64_t>(avma - lib.start_avma + lib.offset);
  if (symbols_.Append(frame, rows)) return false;
  frame.func = tables_.AddFunc(
      {tables_.String(Concat("0x", HexText(static_cast<uint64_t>(frame.address)))), tables_.LibResource(lib.row)});
  rows->push_back(tables_.AddFrame(frame));
  return false;
}

// "run() (in libdemo.so)", and " + 4" or " (a:b)" behind it.
bool GeckoFrames::AddNamed(std::string_view location, SharedTables::Frame* frame) {
  constexpr std::string_view kIn = " (in ";
  const size_t in = location.rfind(kIn);
  if (in == std::string_view::npos) return false;
  const size_t begin = in + kIn.size(), close = location.find(')', begin);
  if (close == std::string_view::npos || close == begin) return false;
  const std::string_view rest = location.substr(close + 1), name = location.substr(begin, close - begin);
  if (!rest.empty() && !rest.starts_with(" + ") && !rest.starts_with(" (")) return false;
  for (GeckoProcessTables::Lib& lib : process_.libs) {
    if (lib.names.name != name) continue;
    if (lib.row == kNoTableRow) lib.row = tables_.AddLib(lib.names);
    frame->func = tables_.AddFunc({tables_.String(location.substr(0, in)), tables_.LibResource(lib.row)});
    return true;
  }
  frame->func = tables_.AddFunc({tables_.String(location.substr(0, in))});
  return true;
}

// Takes "[7]" off the end, the number of a source.
int32_t GeckoFrames::TakeSource(std::string_view* location) const {
  const size_t open = location->rfind('[');
  if (!location->ends_with(']') || open == std::string_view::npos) return kNoTableRow;
  const auto number = ParseNumber(location->substr(open + 1, location->size() - open - 2), 10);
  if (!number.has_value()) return kNoTableRow;
  *location = location->substr(0, open);
  return *number < process_.sources.size() ? process_.sources[static_cast<size_t>(*number)] : kNoTableRow;
}

// "name (url:line:column)[source]", "name (url:line)", "url:line:column": the viewer takes these for scripts, and
// anything else for a name.
void GeckoFrames::AddScript(std::string_view location, bool is_relevant, SharedTables::Frame* frame) {
  const int32_t source = TakeSource(&location);
  std::string name;
  std::string_view url = location;
  if (const size_t open = location.rfind(" ("); location.ends_with(')') && open != std::string_view::npos) {
    name = location.substr(0, open);
    url = location.substr(open + 2, location.size() - open - 3);
  }
  const std::optional<int64_t> last = TakeNumber(url);
  if (!last.has_value()) {
    SharedTables::Func func{tables_.String(location)};
    func.relevant_for_js = is_relevant;
    frame->func = tables_.AddFunc(func);
    return;
  }
  const std::optional<int64_t> line = TakeNumber(url);
  if (name.empty()) name = Concat("(root scope) ", url);
  SharedTables::Func func{tables_.String(name), ScriptResource(url)};
  func.source = source != kNoTableRow ? source : tables_.AddSource({tables_.String(url), "", 1, 1, kNoTableRow, ""});
  func.line = line.has_value() ? *line : *last;
  func.column = line.has_value() ? *last : kNoTableRow;
  func.is_js = true;
  func.relevant_for_js = is_relevant;
  frame->func = tables_.AddFunc(func);
}

int32_t GeckoFrames::ScriptResource(std::string_view url) {
  const size_t scheme = url.find("://");
  if (!url.starts_with("http") || scheme == std::string_view::npos) {
    return tables_.AddResource({tables_.String(url), kNoTableRow, kNoTableRow, SharedTables::kUrlResource});
  }
  const std::string_view origin = url.substr(0, url.find('/', scheme + 3));
  return tables_.AddResource({tables_.String(origin.substr(scheme + 3)), kNoTableRow,
                              static_cast<int32_t>(tables_.String(origin)), SharedTables::kHostResource});
}

}  // namespace geckoprof
