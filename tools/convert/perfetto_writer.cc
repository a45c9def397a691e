#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/convert/format_writers.h"
#include "tools/convert/marker_spans.h"
#include "tools/convert/proto_fields.h"
#include "tools/convert/proto_wire.h"
#include "tools/profile/counted_samples.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr uint64_t kSequence = 1;
constexpr int64_t kFirstTimeNs = 1'000'000'000;
constexpr double kMaxRepeated = 1e7;
constexpr size_t kInternedBytes = size_t{128} << 10;  // of a packet, about

// The bytes of a build id; empty where the text is no hex number.
std::string BuildIdBytes(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (error != std::errc() || end != hex.data() + i + 2) return "";
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

// Rows of a table that are used, numbered from 1 on in order of use, as interned data are.
class InternedRows {
 public:
  explicit InternedRows(size_t rows) : iids_(rows, 0) {}

  uint64_t Iid(int32_t row) {
    uint32_t& iid = iids_[static_cast<size_t>(row)];
    if (iid == 0) {
      rows_.push_back(row);
      iid = static_cast<uint32_t>(rows_.size());
    }
    return iid;
  }
  const std::vector<int32_t>& rows() const { return rows_; }

 private:
  std::vector<uint32_t> iids_;
  std::vector<int32_t> rows_;
};

class PerfettoWriter {
 public:
  PerfettoWriter(const ExportedProfile& profile, FormatOutput* output)
      : profile_(profile),
        model_(profile.model()),
        output_(output),
        writer_(&output->buffer()),
        stacks_(model_.stacks.size()),
        names_(model_.strings.size()),
        keys_(model_.strings.size()) {}

  void Write() {
    WriteClock();
    WriteDefaults();
    WriteTracks();
    Intern();
    for (size_t i = 0; i < model_.threads.size(); ++i) {
      WriteSamples(model_.threads[i]);
      WriteMarkers(i);
    }
    for (size_t i = 0; i < model_.counters.size(); ++i) WriteCounter(i);
  }

 private:
  // Ids of tracks: what, and which of them.
  enum class Track : uint64_t { kProcess = 1, kThread, kOverlap, kCounter };
  static uint64_t Uuid(Track track, uint64_t number) { return static_cast<uint64_t>(track) << 48 | number; }
  uint64_t ProcessUuid(int32_t process) const {
    return Uuid(Track::kProcess, static_cast<uint64_t>(profile_.Pid(process)));
  }
  // Programs that one process ran after another, by exec, share their threads.
  uint64_t ThreadUuid(size_t thread) const { return Uuid(Track::kThread, thread_tracks_[thread]); }

  static uint64_t Time(int64_t time_ns) { return static_cast<uint64_t>(kFirstTimeNs) + static_cast<uint64_t>(time_ns); }

  size_t BeginPacket() {
    const size_t packet = writer_.Begin(perfetto::kPacket);
    writer_.Varint(perfetto::kSequenceId, kSequence);
    return packet;
  }
  void EndPacket(size_t packet) {
    writer_.End(packet);
    output_->FlushIfLarge();
  }

  void WriteClock() {
    const size_t packet = BeginPacket();
    const size_t snapshot = writer_.Begin(perfetto::kClockSnapshot);
    const auto clock = [&](uint64_t id, uint64_t time_ns) {
      const size_t message = writer_.Begin(perfetto::kClocks);
      writer_.Varint(perfetto::kClockId, id);
      writer_.Varint(perfetto::kClockTimestamp, time_ns);
      writer_.End(message);
    };
    clock(perfetto::kBoottime, Time(0));
    if (profile_.epoch_ns() > 0) clock(perfetto::kRealtime, static_cast<uint64_t>(profile_.epoch_ns()));
    writer_.End(snapshot);
    EndPacket(packet);
  }

  void WriteDefaults() {
    const size_t packet = BeginPacket();
    writer_.Varint(perfetto::kFirstPacketOnSequence, 1);
    writer_.Varint(perfetto::kSequenceFlags, perfetto::kStateCleared);
    const size_t defaults = writer_.Begin(perfetto::kDefaults);
    const size_t sample = writer_.Begin(perfetto::kPerfSampleDefaults);
    const size_t timebase = writer_.Begin(perfetto::kTimebase);
    writer_.Varint(perfetto::kTimebasePeriod, static_cast<uint64_t>(profile_.interval_ns()));
    writer_.Varint(perfetto::kTimebaseCounter, perfetto::kCpuClock);
    writer_.Text(perfetto::kTimebaseName, "geckoprof samples");
    writer_.End(timebase);
    writer_.End(sample);
    writer_.End(defaults);
    EndPacket(packet);
  }

  void WriteTracks() {
    std::map<int64_t, int32_t> processes;
    for (size_t i = 0; i < model_.processes.size(); ++i) {
      processes[profile_.Pid(static_cast<int32_t>(i))] = static_cast<int32_t>(i);
    }
    for (const auto& [pid, process] : processes) {
      const size_t packet = BeginPacket();
      const size_t track = writer_.Begin(perfetto::kTrackDescriptor);
      writer_.Varint(perfetto::kTrackUuid, ProcessUuid(process));
      const size_t descriptor = writer_.Begin(perfetto::kTrackProcess);
      writer_.Int(perfetto::kProcessPid, pid);
      writer_.Text(perfetto::kProcessName, profile_.ProcessName(process));
      writer_.End(descriptor);
      writer_.End(track);
      EndPacket(packet);
    }
    std::map<std::pair<int64_t, int64_t>, size_t> threads;
    for (size_t i = 0; i < model_.threads.size(); ++i) {
      const ProfileThread& thread = model_.threads[i];
      const int64_t pid = profile_.Pid(thread.process), tid = profile_.Tid(thread);
      const auto [entry, added] = threads.try_emplace({pid, tid}, i);
      thread_tracks_.push_back(entry->second);
      if (added) WriteThreadTrack(i, pid, tid);
    }
  }

  void WriteThreadTrack(size_t thread, int64_t pid, int64_t tid) {
    const size_t packet = BeginPacket();
    const size_t track = writer_.Begin(perfetto::kTrackDescriptor);
    writer_.Varint(perfetto::kTrackUuid, ThreadUuid(thread));
    const size_t descriptor = writer_.Begin(perfetto::kTrackThread);
    writer_.Int(perfetto::kThreadPid, pid);
    writer_.Int(perfetto::kThreadTid, tid);
    writer_.Text(perfetto::kThreadName, profile_.ThreadName(model_.threads[thread]));
    writer_.End(descriptor);
    writer_.End(track);
    EndPacket(packet);
  }

  // A track of its own for markers that overlap those of the thread's, and for a counter.
  void WriteChildTrack(uint64_t uuid, uint64_t parent, std::string_view name, const ProfileCounter* counter) {
    const size_t packet = BeginPacket();
    const size_t track = writer_.Begin(perfetto::kTrackDescriptor);
    writer_.Varint(perfetto::kTrackUuid, uuid);
    writer_.Varint(perfetto::kTrackParent, parent);
    writer_.Text(perfetto::kTrackName, name);
    if (counter != nullptr) {
      const size_t descriptor = writer_.Begin(perfetto::kTrackCounter);
      const bool is_bytes = counter->unit == "bytes";
      writer_.Varint(perfetto::kCounterUnit, is_bytes ? perfetto::kUnitBytes : perfetto::kUnitCount);
      if (!is_bytes && !counter->unit.empty()) writer_.Text(perfetto::kCounterUnitName, CleanText(counter->unit));
      writer_.End(descriptor);
    }
    writer_.End(track);
    EndPacket(packet);
  }

  // Everything that samples and markers refer to, ahead of them, in packets of moderate size.
  void Intern() {
    for (const ProfileThread& thread : model_.threads) {
      for (const ProfileSample& sample : thread.samples) {
        if (profile_.IsMain(thread) && profile_.Counts(thread, sample)) stacks_.Iid(sample.stack);
      }
      for (const ProfileMarker& marker : thread.markers) names_.Iid(marker.name);
    }
    for (const ProfileMarkerField& field : model_.marker_fields) keys_.Iid(field.key);
    InternTexts(perfetto::kEventNames, names_);
    InternTexts(perfetto::kAnnotationNames, keys_);
    for (size_t i = 0; i < model_.categories.size(); ++i) {
      InternText(perfetto::kEventCategories, i + 1, CleanText(model_.categories[i]));
    }
    for (size_t i = 0; i < model_.functions.size(); ++i) {
      InternText(perfetto::kFunctionNames, i + 1, profile_.FunctionName(static_cast<int32_t>(i)));
    }
    InternLibraries();
    InternFrames();
    EndInterned();
  }

  void BeginInterned() {
    if (is_interning_) return;
    is_interning_ = true;
    packet_ = BeginPacket();
    writer_.Varint(perfetto::kSequenceFlags, perfetto::kNeedsState);
    interned_ = writer_.Begin(perfetto::kInternedData);
  }
  void EndInterned() {
    if (!is_interning_) return;
    is_interning_ = false;
    writer_.End(interned_);
    EndPacket(packet_);
  }
  // Each entry, a message in `field`, begins with its number.
  size_t BeginEntry(uint32_t field, uint64_t iid) {
    if (is_interning_ && output_->buffer().size() - packet_ > kInternedBytes) EndInterned();
    BeginInterned();
    const size_t entry = writer_.Begin(field);
    writer_.Varint(perfetto::kIid, iid);
    return entry;
  }
  void InternText(uint32_t field, uint64_t iid, std::string_view text) {
    const size_t entry = BeginEntry(field, iid);
    writer_.Text(perfetto::kInternedText, text);
    writer_.End(entry);
  }
  void InternTexts(uint32_t field, const InternedRows& rows) {
    for (size_t i = 0; i < rows.rows().size(); ++i) InternText(field, i + 1, profile_.Text(rows.rows()[i]));
  }

  // Row 1 is for frames without a library: readers drop a frame without a mapping.
  void InternLibraries() {
    InternText(perfetto::kMappingPaths, 1, "(no library)");
    writer_.End(BeginMapping(1));
    for (size_t i = 0; i < model_.libraries.size(); ++i) {
      const ProfileLibrary& library = model_.libraries[i];
      const uint64_t iid = i + 2;
      const std::string build_id = BuildIdBytes(library.code_id);
      InternText(perfetto::kMappingPaths, iid, CleanText(library.path.empty() ? library.name : library.path));
      if (!build_id.empty()) InternText(perfetto::kBuildIds, iid, build_id);
      const size_t entry = BeginMapping(iid);
      if (!build_id.empty()) writer_.Varint(perfetto::kMappingBuildId, iid);
      writer_.End(entry);
    }
  }
  size_t BeginMapping(uint64_t iid) {
    const size_t entry = BeginEntry(perfetto::kMappings, iid);
    writer_.Varint(perfetto::kMappingPath, iid);
    return entry;
  }

  void InternFrames() {
    InternedRows sources(model_.strings.size());
    // Of stacks without frames, the frame is the function alone: those come after the model's own.
    const size_t frames = model_.frames.size();
    for (const ProfileFrame& frame : model_.frames) {
      if (frame.source != kNoRow) sources.Iid(frame.source);
    }
    InternTexts(perfetto::kSourcePaths, sources);
    for (size_t i = 0; i < frames + model_.functions.size(); ++i) {
      ProfileFrame frame;
      frame.function = static_cast<int32_t>(i - frames);
      if (i < frames) frame = model_.frames[i];
      const size_t entry = BeginEntry(perfetto::kFrames, i + 1);
      writer_.Varint(perfetto::kFrameFunction, static_cast<uint64_t>(frame.function) + 1);
      writer_.Varint(perfetto::kFrameMapping, static_cast<uint64_t>(frame.library) + 2);
      writer_.Varint(perfetto::kFrameRelPc, frame.address > 0 ? static_cast<uint64_t>(frame.address) : 0);
      if (frame.source != kNoRow) writer_.Varint(perfetto::kFrameSource, sources.Iid(frame.source));
      if (frame.line > 0) writer_.Int(perfetto::kFrameLine, frame.line);
      writer_.End(entry);
    }
    std::vector<int32_t> path;
    for (size_t i = 0; i < stacks_.rows().size(); ++i) {
      const size_t entry = BeginEntry(perfetto::kCallstacks, i + 1);
      profile_.PathOf(stacks_.rows()[i], &path);
      for (const int32_t row : path) {
        const ProfileStack& stack = model_.stacks[static_cast<size_t>(row)];
        const uint64_t frame =
            stack.frame != kNoRow ? static_cast<uint64_t>(stack.frame) : frames + static_cast<uint64_t>(stack.function);
        writer_.Varint(perfetto::kFrameIds, frame + 1);
      }
      writer_.End(entry);
    }
  }

  void WriteSamples(const ProfileThread& thread) {
    if (!profile_.IsMain(thread)) return;  // a trace has no unit that tells allocations from samples
    double weights = 0;
    WholeCounts counts;
    for (const ProfileSample& sample : thread.samples) weights += profile_.Counts(thread, sample) ? sample.weight : 0;
    const bool is_repeated = thread.weight_unit == ProfileWeightUnit::kSamples && weights <= kMaxRepeated;
    for (const ProfileSample& sample : thread.samples) {
      if (!profile_.Counts(thread, sample)) continue;
      const int64_t times = is_repeated ? counts.Next(sample.weight) : 1;
      for (int64_t i = 0; i < times; ++i) {
        WriteSample(thread, sample.stack, profile_.TimeNs(sample.time_ms) + i * profile_.interval_ns());
      }
    }
  }

  void WriteSample(const ProfileThread& thread, int32_t stack, int64_t time_ns) {
    const size_t packet = BeginPacket();
    writer_.Varint(perfetto::kTimestamp, Time(time_ns));
    writer_.Varint(perfetto::kSequenceFlags, perfetto::kNeedsState);
    const size_t sample = writer_.Begin(perfetto::kPerfSample);
    writer_.Int(perfetto::kPid, profile_.Pid(thread.process));
    writer_.Int(perfetto::kTid, profile_.Tid(thread));
    writer_.Varint(perfetto::kCallstackIid, stacks_.Iid(stack));
    writer_.Varint(perfetto::kCpuMode, perfetto::kUserMode);
    writer_.End(sample);
    EndPacket(packet);
  }

  void WriteMarkers(size_t number) {
    const ProfileThread& thread = model_.threads[number];
    const std::vector<MarkerSpan> spans = SpansOf(profile_, thread);
    std::vector<std::vector<int64_t>> open;  // ends, by lane
    for (const MarkerSpan& span : spans) {
      while (open.size() <= span.lane) {
        if (!open.empty()) {
          WriteChildTrack(LaneUuid(number, open.size()), ThreadUuid(number), "overlapping markers", nullptr);
        }
        open.emplace_back();
      }
      const uint64_t track = LaneUuid(number, span.lane);
      CloseUntil(span.start_ns, track, &open[span.lane]);
      WriteMarker(thread.markers[static_cast<size_t>(span.marker)], span, track);
      if (!span.is_instant) open[span.lane].push_back(span.end_ns);
    }
    for (size_t lane = 0; lane < open.size(); ++lane) CloseUntil(INT64_MAX, LaneUuid(number, lane), &open[lane]);
  }

  uint64_t LaneUuid(size_t thread, size_t lane) const {
    return lane == 0 ? ThreadUuid(thread) : Uuid(Track::kOverlap, thread * MarkerSpan::kMaxLanes + lane);
  }

  // Ends of what is open and does not last beyond a time, innermost first.
  void CloseUntil(int64_t time_ns, uint64_t track, std::vector<int64_t>* open) {
    while (!open->empty() && open->back() <= time_ns) {
      const size_t packet = BeginPacket();
      writer_.Varint(perfetto::kTimestamp, Time(open->back()));
      const size_t event = writer_.Begin(perfetto::kTrackEvent);
      writer_.Varint(perfetto::kEventType, perfetto::kSliceEnd);
      writer_.Varint(perfetto::kEventTrack, track);
      writer_.End(event);
      EndPacket(packet);
      open->pop_back();
    }
  }

  void WriteMarker(const ProfileMarker& marker, const MarkerSpan& span, uint64_t track) {
    const size_t packet = BeginPacket();
    writer_.Varint(perfetto::kTimestamp, Time(span.start_ns));
    writer_.Varint(perfetto::kSequenceFlags, perfetto::kNeedsState);
    const size_t event = writer_.Begin(perfetto::kTrackEvent);
    writer_.Varint(perfetto::kEventType, span.is_instant ? perfetto::kInstant : perfetto::kSliceBegin);
    writer_.Varint(perfetto::kEventTrack, track);
    writer_.Varint(perfetto::kEventName, names_.Iid(marker.name));
    if (marker.category != kNoRow) {
      writer_.Varint(perfetto::kEventCategory, static_cast<uint64_t>(marker.category) + 1);
    }
    if (marker.data != kNoRow) WriteData(model_.marker_data[static_cast<size_t>(marker.data)]);
    writer_.End(event);
    EndPacket(packet);
  }

  void WriteData(const ProfileMarkerData& data) {
    for (uint32_t i = 0; i < data.field_count; ++i) {
      const ProfileMarkerField& field = model_.marker_fields[data.first_field + i];
      const size_t annotation = writer_.Begin(perfetto::kAnnotation);
      writer_.Varint(perfetto::kAnnotationName, keys_.Iid(field.key));
      switch (field.kind) {
        case ProfileMarkerField::Kind::kText:
        case ProfileMarkerField::Kind::kJson:
          writer_.Text(perfetto::kAnnotationText, profile_.Text(field.text));
          break;
        case ProfileMarkerField::Kind::kNumber:
          writer_.Double(perfetto::kAnnotationDouble, field.number);
          break;
        case ProfileMarkerField::Kind::kBool:
          writer_.Varint(perfetto::kAnnotationBool, field.number != 0 ? 1 : 0);
          break;
      }
      writer_.End(annotation);
    }
  }

  void WriteCounter(size_t number) {
    const ProfileCounter& counter = model_.counters[number];
    const uint64_t track = Uuid(Track::kCounter, number);
    WriteChildTrack(track, ProcessUuid(counter.process), CleanText(counter.name), &counter);
    double sum = 0;
    for (const ProfileCounter::Row& row : counter.rows) {
      sum += row.count;
      const size_t packet = BeginPacket();
      writer_.Varint(perfetto::kTimestamp, Time(profile_.TimeNs(row.time_ms)));
      const size_t event = writer_.Begin(perfetto::kTrackEvent);
      writer_.Varint(perfetto::kEventType, perfetto::kCounterValue);
      writer_.Varint(perfetto::kEventTrack, track);
      writer_.Double(perfetto::kDoubleCounterValue, counter.is_rate ? row.count : sum);
      writer_.End(event);
      EndPacket(packet);
    }
  }

  const ExportedProfile& profile_;
  const ProfileModel& model_;
  FormatOutput* output_;
  ProtoWriter writer_;
  std::vector<size_t> thread_tracks_;  // by thread: the first of the same pid and tid
  InternedRows stacks_, names_, keys_;
  bool is_interning_ = false;
  size_t packet_ = 0, interned_ = 0;
};

}  // namespace

void WritePerfetto(ExportedProfile& profile, FormatOutput* output) { PerfettoWriter(profile, output).Write(); }

}  // namespace geckoprof
