#include <algorithm>
#include <string>
#include <vector>

#include "tools/convert/format_writers.h"
#include "tools/convert/proto_fields.h"
#include "tools/convert/proto_profile_writer.h"
#include "tools/profile/counted_samples.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

class PprofWriter : private ProtoProfileWriter {
 public:
  PprofWriter(ExportedProfile& profile, FormatOutput* output) : ProtoProfileWriter(profile, output) {}

  void Write() {
    WriteValueType(pprof::kSampleType, unit_.type, unit_.unit);
    if (model_.has_cpu_times) WriteValueType(pprof::kSampleType, "cpu", "nanoseconds");
    if (has_bytes_) {
      WriteValueType(pprof::kSampleType, kBytesUnit.type, kBytesUnit.unit);
      // Else readers would begin with the last one.
      writer_.Varint(pprof::kDefaultSampleType, strings_.Row(model_.has_cpu_times ? "cpu" : unit_.type));
    }
    for (const ProfileThread& thread : model_.threads) WriteThread(thread);
    WriteMappings();
    WriteLocations();
    WriteFunctions();
    if (profile_.epoch_ns() > 0) writer_.Int(pprof::kTimeNanos, profile_.epoch_ns());
    writer_.Int(pprof::kDurationNanos, static_cast<int64_t>(std::min(model_.duration_ms * 1e6, 9e18)));
    WriteValueType(pprof::kPeriodType, model_.has_cpu_times ? "cpu" : "wall", "nanoseconds");
    writer_.Int(pprof::kPeriod, profile_.interval_ns());
    for (const std::string& text : {model_.product, model_.command_line, model_.machine}) {
      if (!text.empty()) writer_.Varint(pprof::kComment, strings_.Row(CleanText(text)));
    }
    for (const std::string& text : strings_.texts()) writer_.Text(pprof::kString, text);
  }

 private:
  void WriteValueType(uint32_t field, std::string_view type, std::string_view unit) {
    const size_t message = writer_.Begin(field);
    writer_.Varint(pprof::kType, strings_.Row(type));
    writer_.Varint(pprof::kUnit, strings_.Row(unit));
    writer_.End(message);
  }

  void WriteThread(const ProfileThread& thread) {
    const uint64_t thread_name = strings_.Row(profile_.ThreadName(thread)),
                   process_name = strings_.Row(profile_.ProcessName(thread.process));
    const bool is_main = profile_.IsMain(thread);
    std::vector<uint64_t> ids;
    for (const ExportedProfile::StackSum& sum : profile_.SumByStack(thread)) {
      const size_t message = writer_.Begin(pprof::kSample);
      LocationsFromOne(sum.stack, &ids);
      writer_.Packed(pprof::kSampleLocation, ids);
      std::vector<uint64_t> values = {static_cast<uint64_t>(is_main ? counts_.Next(sum.weight * unit_.scale) : 0)};
      if (model_.has_cpu_times) values.push_back(is_main ? static_cast<uint64_t>(sum.cpu_ns) : 0);
      if (has_bytes_) values.push_back(static_cast<uint64_t>(is_main ? 0 : bytes_.Next(sum.weight)));
      writer_.Packed(pprof::kSampleValue, values);
      WriteLabel("process", pprof::kLabelText, process_name);
      WriteLabel("pid", pprof::kLabelNumber, static_cast<uint64_t>(profile_.Pid(thread.process)));
      WriteLabel("thread", pprof::kLabelText, thread_name);
      WriteLabel("tid", pprof::kLabelNumber, static_cast<uint64_t>(profile_.Tid(thread)));
      writer_.End(message);
      output_->FlushIfLarge();
    }
  }

  void WriteLabel(std::string_view key, uint32_t field, uint64_t value) {
    const size_t message = writer_.Begin(pprof::kSampleLabel);
    writer_.Varint(pprof::kLabelKey, strings_.Row(key));
    writer_.Varint(field, value);
    writer_.End(message);
  }

  void WriteMappings() {
    const auto& mappings = table_.mappings();
    bool any_lines = false, any_files = false, any_inlines = false;
    for (const ProfileFrame& frame : model_.frames) {
      any_lines = any_lines || frame.line > 0;
      any_files = any_files || frame.source != kNoRow;
      any_inlines = any_inlines || frame.inline_depth > 0;
    }
    for (size_t i = 0; i < mappings.size(); ++i) {
      const ProfileLibrary& library = model_.libraries[static_cast<size_t>(mappings[i].library)];
      const size_t message = writer_.Begin(pprof::kMapping);
      writer_.Varint(pprof::kMappingId, i + 1);
      writer_.Varint(pprof::kMappingStart, mappings[i].start);
      writer_.Varint(pprof::kMappingLimit, mappings[i].end);
      writer_.Varint(pprof::kMappingFile, strings_.Row(CleanText(library.path.empty() ? library.name : library.path)));
      writer_.Varint(pprof::kMappingBuildId, strings_.Row(CleanText(library.code_id)));
      // Names are as they are: the reader must not look for the files, which may be others by now.
      writer_.Varint(pprof::kMappingHasFunctions, 1);
      writer_.Varint(pprof::kMappingHasFiles, any_files ? 1 : 0);
      writer_.Varint(pprof::kMappingHasLines, any_lines ? 1 : 0);
      writer_.Varint(pprof::kMappingHasInlines, any_inlines ? 1 : 0);
      writer_.End(message);
    }
  }

  void WriteLocations() {
    const auto& locations = table_.locations();
    for (size_t i = 0; i < locations.size(); ++i) {
      const size_t message = writer_.Begin(pprof::kLocation);
      writer_.Varint(pprof::kLocationId, i + 1);
      if (locations[i].mapping != kNoRow) {
        writer_.Varint(pprof::kLocationMapping, static_cast<uint64_t>(locations[i].mapping) + 1);
      }
      if (locations[i].address != 0) writer_.Varint(pprof::kLocationAddress, locations[i].address);
      for (const LocationTable::Line& line : locations[i].lines) {
        const size_t inner = writer_.Begin(pprof::kLocationLine);
        writer_.Varint(pprof::kLineFunction, uint64_t{line.function} + 1);
        if (line.line > 0) writer_.Int(pprof::kLineNumber, line.line);
        writer_.End(inner);
      }
      writer_.End(message);
      output_->FlushIfLarge();
    }
  }

  void WriteFunctions() {
    const auto& functions = table_.functions();
    for (size_t i = 0; i < functions.size(); ++i) {
      const size_t message = writer_.Begin(pprof::kFunction);
      writer_.Varint(pprof::kFunctionId, i + 1);
      // No system name: a reader would take the same one for a name that is still to be demangled, and shorten it.
      writer_.Varint(pprof::kFunctionName, strings_.Row(profile_.FunctionName(functions[i].function)));
      writer_.Varint(pprof::kFunctionFile, strings_.Row(profile_.Text(functions[i].source)));
      writer_.End(message);
    }
  }

  const bool has_bytes_ = profile_.has_bytes_beside();  // as a value of its own
  WholeCounts counts_, bytes_;
};

}  // namespace

void WritePprof(ExportedProfile& profile, FormatOutput* output) { PprofWriter(profile, output).Write(); }

}  // namespace geckoprof
