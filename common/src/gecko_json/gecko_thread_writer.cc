#include "geckoprof/gecko_json/gecko_thread_writer.h"

#include <algorithm>
#include <iterator>

#include "geckoprof/gecko_json/gecko_text.h"
#include "geckoprof/gecko_json/marker_field_writer.h"
#include "geckoprof/reader/profile_facts.h"

namespace geckoprof {
namespace {

// Column positions, as Firefox writes them. Other readers ignore what comes after threadCPUDelta.
constexpr std::string_view kSampleSchema =
    R"({"stack":0,"time":1,"eventDelay":2,"argumentValues":3,"threadCPUDelta":4,"state":5,"waitCause":6,)"
    R"("threadReadyDelta":7,"lock":8,"lockHolder":9})";
constexpr std::string_view kMarkerSchema = R"({"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5})";
constexpr std::string_view kStackSchema = R"({"prefix":0,"frame":1})";
constexpr std::string_view kFrameSchema = R"({"location":0,"relevantForJS":1,"innerWindowID":2,"implementation":3,)"
                                          R"("line":4,"column":5,"category":6,"subcategory":7})";

}  // namespace

uint32_t GeckoThreadWriter::Renumbering::Add(size_t row, uint32_t current_turn) {
  plain.turn[row] = current_turn;
  plain.number[row] = static_cast<uint32_t>(rows.size());
  rows.push_back({static_cast<int32_t>(row)});
  return plain.number[row];
}

uint32_t GeckoThreadWriter::Renumbering::Find(const ShownRow& shown, uint32_t current_turn) {
  Numbers& numbers = waiting[shown.look.number()];
  if (numbers.turn.empty()) numbers = Numbers(plain.turn.size() + 1);
  const auto at = static_cast<size_t>(int64_t{shown.row} + 1);
  if (numbers.turn[at] != current_turn) {
    numbers.turn[at] = current_turn;
    numbers.number[at] = static_cast<uint32_t>(rows.size());
    rows.push_back(shown);
  }
  return numbers.number[at];
}

GeckoThreadWriter::GeckoThreadWriter(const ProcessProfile& process, const GeckoLibraryMap& libraries,
                                     const GeckoCategories& categories, const std::vector<int32_t>& category_numbers,
                                     JsonWriter& writer, uint64_t* idle_rows_left)
    : process_(process),
      libraries_(libraries),
      categories_(categories),
      category_numbers_(category_numbers),
      writer_(writer),
      process_name_(ProgramName(process)),
      pid_(OutputPid(process)),
      idle_rows_left_(idle_rows_left),
      stacks_(process.stacks.size()),
      frames_(process.frames.size()) {}

void GeckoThreadWriter::Write(const ThreadRow& thread, std::string_view name) {
  ++turn_;
  stacks_.rows.clear();
  frames_.rows.clear();
  strings_.Clear();
  strings_.Intern("(root)");
  StackNumber(0);  // the root comes first, as in Firefox's files

  writer_.StartObject();
  WriteHead(thread, name);
  WriteSamples(thread);
  WriteMarkers(thread);
  writer_.IntProperty("pid", pid_);
  writer_.IntProperty("tid", thread.tid);
  WriteStackTable();
  WriteFrameTable();
  writer_.Key("stringTable");
  strings_.WriteArray(writer_);
  writer_.StartArrayProperty("tracedObjectShapes");
  writer_.EndArray();
  writer_.StringProperty("tracedValues", "");
  writer_.EndObject();
}

void GeckoThreadWriter::WriteHead(const ThreadRow& thread, std::string_view name) {
  writer_.StringProperty("processType", "default");
  writer_.StringProperty("name", name);
  writer_.StringProperty("processName", process_name_);
  writer_.TimeMsProperty("registerTime", Relative(thread.registered_ns));
  if (thread.unregistered_ns != 0) {
    writer_.TimeMsProperty("unregisterTime", Relative(thread.unregistered_ns));
  } else {
    writer_.NullProperty("unregisterTime");
  }
}

void GeckoThreadWriter::WriteSamples(const ThreadRow& thread) {
  writer_.StartObjectProperty("samples");
  writer_.Key("schema");
  writer_.Splice(kSampleSchema);
  writer_.StartArrayProperty("data");
  int64_t previous_ns = RelativeNs(std::min(process_.start_ns, thread.registered_ns), 1);
  for (const SampleRow& sample : thread.samples) {
    const int32_t stack = SampleStackNumber(sample);
    const uint64_t rows = IdleRows(sample, previous_ns);
    SampleRow row = sample;
    int64_t ready_ns = sample.ready_ns;  // of the ticks that are not written yet
    if (rows > 1) {                      // nothing ran in them, whether CPU time was asked for or not
      row.cpu_delta_ns = 0;
      row.ready_ns = ReadyBeforeRun(sample, rows);
    }
    uint64_t left = rows;
    while (left > 1) {
      const auto before_end_ns = (left - 1) * static_cast<uint64_t>(sample.apart_ns);
      row.time_ns = static_cast<int64_t>(static_cast<uint64_t>(sample.time_ns) - before_end_ns);
      WriteSampleRow(stack, row);
      ready_ns -= row.ready_ns;
      row.ready_ns = std::min(ready_ns, sample.apart_ns);
      left = *idle_rows_left_ > 0 ? left - 1 : 1;
      if (*idle_rows_left_ > 0) --*idle_rows_left_;
    }
    row.time_ns = sample.time_ns;
    row.ready_ns = ready_ns;
    if (rows > 1) row.cpu_delta_ns = std::max<int64_t>(sample.cpu_delta_ns, 0);
    WriteSampleRow(stack, row);
    previous_ns = std::max(previous_ns, sample.time_ns);
  }
  writer_.EndArray();
  writer_.EndObject();
}

// A row ends with its last cell that says something.
void GeckoThreadWriter::WriteSampleRow(int32_t stack, const SampleRow& sample) {
  const auto if_not_0 = [](int64_t number) { return number == 0 ? JsonNumber::Null() : JsonNumber::Int(number); };
  const auto lock = sample.lock_address <= INT64_MAX ? static_cast<int64_t>(sample.lock_address) : 0;
  const JsonNumber row[] = {stack == kNone ? JsonNumber::Null() : JsonNumber::Int(stack),
                            JsonNumber::TimeMs(Relative(sample.time_ns)),
                            JsonNumber::Null(),
                            JsonNumber::Null(),
                            sample.cpu_delta_ns < 0 ? JsonNumber::Null() : JsonNumber::Int(sample.cpu_delta_ns),
                            if_not_0(StateNumber(sample)),
                            if_not_0(static_cast<int64_t>(sample.cause)),
                            if_not_0(sample.ready_ns),
                            if_not_0(lock),
                            if_not_0(sample.holder_tid)};
  size_t cells = std::size(row);
  while (row[cells - 1].kind() == JsonNumber::Kind::kNull) --cells;
  writer_.NumberRow({row, cells});
}

void GeckoThreadWriter::WriteMarkers(const ThreadRow& thread) {
  writer_.StartObjectProperty("markers");
  writer_.Key("schema");
  writer_.Splice(kMarkerSchema);
  writer_.StartArrayProperty("data");
  for (const MarkerRow& marker : thread.markers) {
    const bool has_start = marker.phase != MarkerPhase::kIntervalEnd;
    writer_.StartArray();
    writer_.Uint(strings_.Intern(Text(marker.name)));
    writer_.TimeMs(has_start ? Relative(marker.start_ns) : 0);
    writer_.TimeMs(marker.HasEnd() ? Relative(marker.end_ns) : 0);
    writer_.Int(static_cast<int64_t>(marker.phase));
    writer_.Int(CategoryNumber(marker.category));
    WriteMarkerData(thread, marker);
    writer_.EndArray();
  }
  writer_.EndArray();
  writer_.EndObject();
}

void GeckoThreadWriter::WriteMarkerData(const ThreadRow& thread, const MarkerRow& marker) {
  const bool has_type = marker.type >= 0 && static_cast<size_t>(marker.type) < process_.marker_types.size();
  const bool has_stack = StackNumber(marker.stack) != kNone;
  if (!has_type && !has_stack) return;
  writer_.StartObject();
  if (has_stack) WriteMarkerStack(thread, marker);
  if (has_type) {
    const MarkerTypeRow& type = process_.marker_types[static_cast<size_t>(marker.type)];
    writer_.StringProperty("type", type.name);
    for (const MarkerField& field : marker.fields) WriteMarkerField(field, type);
  } else {
    writer_.StringProperty("type", "NoPayloadUserData");
  }
  writer_.EndObject();
}

// A marker's stack is a small thread with one sample. Its stack is a row of the enclosing thread's table.
void GeckoThreadWriter::WriteMarkerStack(const ThreadRow& thread, const MarkerRow& marker) {
  writer_.StartObjectProperty("stack");
  writer_.StringProperty("processType", "default");
  writer_.StringProperty("name", "SyncProfile");
  writer_.StringProperty("processName", process_name_);
  writer_.NullProperty("registerTime");
  writer_.NullProperty("unregisterTime");
  writer_.StartObjectProperty("samples");
  writer_.Key("schema");
  writer_.Splice(kSampleSchema);
  writer_.StartArrayProperty("data");
  SampleRow sample;
  sample.time_ns = marker.StackTimeNs();
  WriteSampleRow(StackNumber(marker.stack), sample);
  writer_.EndArray();
  writer_.EndObject();
  writer_.StartObjectProperty("markers");
  writer_.Key("schema");
  writer_.Splice(kMarkerSchema);
  writer_.StartArrayProperty("data");
  writer_.EndArray();
  writer_.EndObject();
  writer_.IntProperty("pid", pid_);
  writer_.IntProperty("tid", marker.stack_tid != 0 ? marker.stack_tid : thread.tid);
  writer_.EndObject();
}

void GeckoThreadWriter::WriteMarkerField(const MarkerField& field, const MarkerTypeRow& type) {
  const std::string_view key = Text(field.key);
  if (IsReservedMarkerKey(key)) return;
  writer_.Key(key);
  const std::string_view text = Text(field.text);
  std::string room;
  if (IsInStringTable(type, key)) {
    return writer_.Uint(strings_.Intern(TableText(field, text, process_.start_ns, &room)));
  }
  WriteMarkerFieldValue(field, text, type, key, process_.start_ns, writer_);
}

void GeckoThreadWriter::WriteStackTable() {
  writer_.StartObjectProperty("stackTable");
  writer_.Key("schema");
  writer_.Splice(kStackSchema);
  writer_.StartArrayProperty("data");
  for (const ShownRow& shown : stacks_.rows) {
    const StackRow stack = ShownStack(shown);
    writer_.StartArray();
    if (stack.prefix < 0) {
      writer_.Null();
    } else {
      writer_.Uint(stacks_.plain.number[static_cast<size_t>(stack.prefix)]);
    }
    if (shown.look.is_running()) {
      const auto frame = static_cast<size_t>(stack.frame);
      writer_.Uint(frames_.IsCurrent(frame, turn_) ? frames_.plain.number[frame] : frames_.Add(frame, turn_));
    } else {
      writer_.Uint(frames_.Find({stack.frame, shown.look}, turn_));
    }
    writer_.EndArray();
  }
  writer_.EndArray();
  writer_.EndObject();
}

// Without a frame the row has one that names the state.
StackRow GeckoThreadWriter::ShownStack(const ShownRow& shown) const {
  if (shown.row == kNone) return {0, kNone};
  if (!shown.look.is_running() && shown.look.has_own_frame()) return {shown.row, kNone};
  return process_.stacks[static_cast<size_t>(shown.row)];
}

void GeckoThreadWriter::WriteFrameTable() {
  writer_.StartObjectProperty("frameTable");
  writer_.Key("schema");
  writer_.Splice(kFrameSchema);
  writer_.StartArrayProperty("data");
  for (const ShownRow& shown : frames_.rows) WriteFrame(shown);
  writer_.EndArray();
  writer_.EndObject();
}

void GeckoThreadWriter::WriteFrame(const ShownRow& shown) {
  const FrameRow frame =
      shown.row == kNone ? FrameRow{FrameKind::kReason} : process_.frames[static_cast<size_t>(shown.row)];
  std::string location;
  switch (frame.kind) {
    case FrameKind::kRoot:
      location = "(root)";
      break;
    case FrameKind::kInstruction:
      location = GeckoAddressText(libraries_.ToWrittenAddress(frame.address, frame.library));
      break;
    case FrameKind::kLabel:
    case FrameKind::kReason:
      location = GeckoLabelText(shown.row == kNone ? StateLook::kReadyFrame : Text(frame.text));
      break;
  }
  writer_.StartArray();
  writer_.Uint(strings_.Intern(location));
  writer_.Bool(false);
  writer_.Int(0);
  if (!shown.look.is_running()) {
    const GeckoCategories::Place place = categories_.PlaceOf(shown.look);
    WriteCategory(place.category, place.subcategory);
  } else if (frame.category >= 0) {
    const int32_t category = CategoryNumber(frame.category);
    WriteCategory(category, SubcategoryNumber(category, frame));
  }
  writer_.EndArray();
}

// The columns before it, from the implementation on, are empty.
void GeckoThreadWriter::WriteCategory(int32_t category, int32_t subcategory) {
  writer_.Null();
  writer_.Null();
  writer_.Null();
  writer_.Int(category);
  writer_.Int(subcategory);
}

int32_t GeckoThreadWriter::SampleStackNumber(const SampleRow& sample) {
  const StateLook look = StateLook::Of(sample);
  if (look.is_running()) return StackNumber(sample.stack);
  // A stack of the root alone says nothing.
  const bool is_row = sample.stack > 0 && static_cast<size_t>(sample.stack) < process_.stacks.size();
  if (!is_row) return look.has_own_frame() ? static_cast<int32_t>(stacks_.Find({kNone, look}, turn_)) : kNone;
  const StackRow& stack = process_.stacks[static_cast<size_t>(sample.stack)];
  const bool has_frame = stack.frame >= 0 && static_cast<size_t>(stack.frame) < process_.frames.size();
  // What is before the frame has a number of its own.
  const int32_t before = look.has_own_frame() ? sample.stack : stack.prefix;
  const bool is_sound = has_frame && stack.prefix < sample.stack && (before < 0 || StackNumber(before) != kNone);
  if (!is_sound && !look.has_own_frame()) return kNone;
  return static_cast<int32_t>(stacks_.Find({is_sound ? sample.stack : kNone, look}, turn_));
}

int32_t GeckoThreadWriter::StackNumber(int32_t stack) {
  path_.clear();
  int32_t row = stack;
  while (row >= 0 && static_cast<size_t>(row) < process_.stacks.size()) {
    if (stacks_.IsCurrent(static_cast<size_t>(row), turn_)) break;
    const StackRow& stack_row = process_.stacks[static_cast<size_t>(row)];
    // A prefix is smaller than its row, so the walk ends. A broken row makes the whole stack absent.
    if (stack_row.prefix >= row || stack_row.frame < 0 ||
        static_cast<size_t>(stack_row.frame) >= process_.frames.size()) {
      return kNone;
    }
    path_.push_back(row);
    row = stack_row.prefix;
  }
  for (size_t i = path_.size(); i > 0; --i) stacks_.Add(static_cast<size_t>(path_[i - 1]), turn_);
  if (stack < 0 || static_cast<size_t>(stack) >= process_.stacks.size()) return kNone;
  return static_cast<int32_t>(stacks_.plain.number[static_cast<size_t>(stack)]);
}

int32_t GeckoThreadWriter::CategoryNumber(int32_t category) const {
  if (category < 0 || static_cast<size_t>(category) >= category_numbers_.size()) return categories_.fallback();
  return category_numbers_[static_cast<size_t>(category)];
}

int32_t GeckoThreadWriter::SubcategoryNumber(int32_t category, const FrameRow& frame) const {
  const auto at = static_cast<size_t>(frame.category);
  return at < process_.categories.size() ? categories_.Subcategory(category, process_.categories[at], frame.subcategory)
                                         : 0;
}

std::string_view GeckoThreadWriter::Text(int32_t string) const {
  if (string < 0 || static_cast<size_t>(string) >= process_.strings.size()) return {};
  return process_.strings[static_cast<size_t>(string)];
}

}  // namespace geckoprof
