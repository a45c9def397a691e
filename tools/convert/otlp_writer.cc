#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/convert/format_writers.h"
#include "tools/convert/proto_profile_writer.h"
#include "tools/profile/counted_samples.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

// Numbers of fields, by message.
namespace otlp {
enum ProfilesData : uint32_t { kResourceProfiles = 1, kDictionary = 2 };
enum ResourceProfiles : uint32_t { kResource = 1, kScopeProfiles = 2 };
enum Resource : uint32_t { kResourceAttributes = 1 };
enum KeyValue : uint32_t { kKey = 1, kValue = 2 };
enum AnyValue : uint32_t { kTextValue = 1, kIntValue = 3 };
enum ScopeProfiles : uint32_t { kScope = 1, kProfiles = 2 };
enum Scope : uint32_t { kScopeName = 1 };
enum Profile : uint32_t {
  kSampleType = 1,
  kSamples = 2,
  kTimeUnixNano = 3,
  kDurationNano = 4,
  kPeriodType = 5,
  kPeriod = 6,
  kProfileId = 7,
};
enum ValueType : uint32_t { kType = 1, kUnit = 2 };
enum Sample : uint32_t { kStack = 1, kAttributes = 2, kValues = 4, kTimestamps = 5 };
enum Dictionary : uint32_t {
  kMappingTable = 1,
  kLocationTable = 2,
  kFunctionTable = 3,
  kLinkTable = 4,
  kStringTable = 5,
  kAttributeTable = 6,
  kStackTable = 7,
};
enum Mapping : uint32_t { kMemoryStart = 1, kMemoryLimit = 2, kFileName = 4, kMappingAttributes = 5 };
enum Location : uint32_t { kLocationMapping = 1, kAddress = 2, kLines = 3 };
enum Line : uint32_t { kLineFunction = 1, kLineNumber = 2, kLineColumn = 3 };
enum Function : uint32_t { kName = 1, kSystemName = 2, kFunctionFile = 3 };
enum Attribute : uint32_t { kAttributeKey = 1, kAttributeValue = 2 };
enum Stack : uint32_t { kLocations = 1 };
}  // namespace otlp

// Row 0 of each table of the dictionary is empty and stands for none, so a row of ours is one further.
// What a profile of the file has: it has one kind of numbers.
enum class Values : uint8_t { kWeights, kCpu, kBytes };

class OtlpWriter : private ProtoProfileWriter {
 public:
  OtlpWriter(ExportedProfile& profile, FormatOutput* output)
      : ProtoProfileWriter(profile, output), stack_rows_(model_.stacks.size(), 0) {}

  // The resources are complete before the dictionary is known, which may follow them: fields have no order.
  void Write() {
    for (size_t i = 0; i < model_.processes.size(); ++i) WriteProcess(static_cast<int32_t>(i));
    const size_t dictionary = writer_.Begin(otlp::kDictionary);
    WriteMappings();
    WriteLocations();
    WriteFunctions();
    writer_.Text(otlp::kLinkTable, "");
    WriteAttributes();
    WriteStacks();
    for (const std::string& text : strings_.texts()) writer_.Text(otlp::kStringTable, text);
    writer_.End(dictionary);
  }

 private:
  // Key, text, number where the text is empty.
  using Attribute = std::tuple<uint64_t, std::string, int64_t>;

  uint64_t AttributeRow(std::string_view key, std::string text, int64_t number) {
    Attribute attribute{strings_.Row(key), std::move(text), number};
    const auto [entry, added] = attribute_rows_.try_emplace(attribute, attributes_.size() + 1);
    if (added) attributes_.push_back(std::move(attribute));
    return entry->second;
  }

  void WriteProcess(int32_t process) {
    const size_t resource_profiles = writer_.Begin(otlp::kResourceProfiles);
    const size_t resource = writer_.Begin(otlp::kResource);
    WriteKeyValue("service.name", profile_.ProcessName(process), 0);
    WriteKeyValue("process.executable.name", profile_.ProcessName(process), 0);
    WriteKeyValue("process.pid", "", profile_.Pid(process));
    writer_.End(resource);
    const size_t scope_profiles = writer_.Begin(otlp::kScopeProfiles);
    const size_t scope = writer_.Begin(otlp::kScope);
    writer_.Text(otlp::kScopeName, "geckoprof");
    writer_.End(scope);
    WriteProfile(process, Values::kWeights);
    if (model_.has_cpu_times) WriteProfile(process, Values::kCpu);
    if (profile_.has_bytes_beside()) WriteProfile(process, Values::kBytes);
    writer_.End(scope_profiles);
    writer_.End(resource_profiles);
    output_->FlushIfLarge();
  }

  void WriteKeyValue(std::string_view key, std::string_view text, int64_t number) {
    const size_t attribute = writer_.Begin(otlp::kResourceAttributes);
    writer_.Text(otlp::kKey, key);
    WriteAnyValue(otlp::kValue, text, number);
    writer_.End(attribute);
  }

  void WriteAnyValue(uint32_t field, std::string_view text, int64_t number) {
    const size_t value = writer_.Begin(field);
    if (text.empty()) {
      writer_.Int(otlp::kIntValue, number);
    } else {
      writer_.Text(otlp::kTextValue, text);
    }
    writer_.End(value);
  }

  void WriteValueType(uint32_t field, std::string_view type, std::string_view unit) {
    const size_t message = writer_.Begin(field);
    writer_.Varint(otlp::kType, strings_.Row(type));
    writer_.Varint(otlp::kUnit, strings_.Row(unit));
    writer_.End(message);
  }

  void WriteProfile(int32_t process, Values values) {
    const ExportedUnit unit = values == Values::kCpu     ? ExportedUnit{"cpu", "nanoseconds"}
                              : values == Values::kBytes ? kBytesUnit
                                                         : unit_;
    const size_t message = writer_.Begin(otlp::kProfiles);
    WriteValueType(otlp::kSampleType, unit.type, unit.unit);
    writer_.Fixed64(otlp::kTimeUnixNano, static_cast<uint64_t>(profile_.epoch_ns()));
    writer_.Varint(otlp::kDurationNano, static_cast<uint64_t>(std::clamp(model_.duration_ms * 1e6, 0.0, 9e18)));
    WriteValueType(otlp::kPeriodType, model_.has_cpu_times ? "cpu" : "wall", "nanoseconds");
    writer_.Int(otlp::kPeriod, profile_.interval_ns());
    // 16 bytes that are another number for each profile of the file.
    std::string id(16, '\0');
    id[0] = 1;
    id[14] = static_cast<char>(profiles_ >> 8);
    id[15] = static_cast<char>(profiles_++);
    writer_.Text(otlp::kProfileId, id);
    for (const ProfileThread& thread : model_.threads) {
      if (thread.process != process || profile_.IsMain(thread) == (values == Values::kBytes)) continue;
      if (values == Values::kCpu) {
        WriteCpu(thread);
      } else {
        WriteSamples(thread, unit.scale, values == Values::kBytes ? &bytes_ : &counts_);
      }
    }
    writer_.End(message);
  }

  std::vector<uint64_t> ThreadAttributes(const ProfileThread& thread) {
    return {AttributeRow("thread.name", profile_.ThreadName(thread), 0),
            AttributeRow("thread.id", "", profile_.Tid(thread))};
  }

  void WriteCpu(const ProfileThread& thread) {
    const std::vector<uint64_t> attributes = ThreadAttributes(thread);
    for (const ExportedProfile::StackSum& sum : profile_.SumByStack(thread)) {
      if (sum.cpu_ns == 0) continue;
      const size_t sample = writer_.Begin(otlp::kSamples);
      writer_.Varint(otlp::kStack, StackRow(sum.stack));
      writer_.Packed(otlp::kAttributes, attributes);
      writer_.Packed(otlp::kValues, {static_cast<uint64_t>(sum.cpu_ns)});
      writer_.End(sample);
    }
  }

  void WriteSamples(const ProfileThread& thread, double scale, WholeCounts* counts) {
    const std::vector<uint64_t> attributes = ThreadAttributes(thread);
    std::vector<int32_t> rows;
    const std::vector<ExportedProfile::StackSum> sums = profile_.SumByStack(thread, &rows);
    // Numbers of the samples, those of a stack beside each other: ends[i] is where those of sum i end.
    std::vector<size_t> ends(sums.size() + 1, 0);
    for (const int32_t row : rows) {
      if (row != kNoRow) ++ends[static_cast<size_t>(row) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<uint32_t> order(ends.back());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != kNoRow) order[ends[static_cast<size_t>(rows[i])]++] = static_cast<uint32_t>(i);
    }
    std::vector<uint64_t> times, values;
    for (size_t i = 0, next = 0; i < sums.size(); ++i) {
      times.clear();
      values.clear();
      for (; next < ends[i]; ++next) {
        const ProfileSample& row = thread.samples[order[next]];
        times.push_back(static_cast<uint64_t>(profile_.epoch_ns() + profile_.TimeNs(row.time_ms)));
        values.push_back(static_cast<uint64_t>(counts->Next(row.weight * scale)));
      }
      if (profile_.IsGapStack(sums[i].stack)) continue;  // it has CPU time alone
      const size_t sample = writer_.Begin(otlp::kSamples);
      writer_.Varint(otlp::kStack, StackRow(sums[i].stack));
      writer_.Packed(otlp::kAttributes, attributes);
      if (std::any_of(values.begin(), values.end(), [](uint64_t value) { return value != 1; })) {
        writer_.Packed(otlp::kValues, values);
      }
      writer_.PackedFixed64(otlp::kTimestamps, times);
      writer_.End(sample);
    }
  }

  uint64_t StackRow(int32_t stack) {
    uint32_t& row = stack_rows_[static_cast<size_t>(stack)];
    if (row == 0) {
      stacks_.push_back(stack);
      row = static_cast<uint32_t>(stacks_.size());
    }
    return row;
  }

  void WriteMappings() {
    writer_.Text(otlp::kMappingTable, "");
    for (const LocationTable::Mapping& mapping : table_.mappings()) {
      const ProfileLibrary& library = model_.libraries[static_cast<size_t>(mapping.library)];
      const size_t message = writer_.Begin(otlp::kMappingTable);
      writer_.Varint(otlp::kMemoryStart, mapping.start);
      writer_.Varint(otlp::kMemoryLimit, mapping.end);
      writer_.Varint(otlp::kFileName, strings_.Row(CleanText(library.path.empty() ? library.name : library.path)));
      if (!library.code_id.empty()) {
        writer_.Packed(otlp::kMappingAttributes,
                       {AttributeRow("process.executable.build_id.gnu", CleanText(library.code_id), 0)});
      }
      writer_.End(message);
    }
  }

  void WriteLocations() {
    writer_.Text(otlp::kLocationTable, "");
    for (const LocationTable::Location& location : table_.locations()) {
      const size_t message = writer_.Begin(otlp::kLocationTable);
      if (location.mapping != kNoRow) {
        writer_.Varint(otlp::kLocationMapping, static_cast<uint64_t>(location.mapping) + 1);
      }
      writer_.Varint(otlp::kAddress, location.address);
      for (const LocationTable::Line& line : location.lines) {
        const size_t inner = writer_.Begin(otlp::kLines);
        writer_.Varint(otlp::kLineFunction, uint64_t{line.function} + 1);
        if (line.line > 0) writer_.Int(otlp::kLineNumber, line.line);
        if (line.column > 0) writer_.Int(otlp::kLineColumn, line.column);
        writer_.End(inner);
      }
      writer_.End(message);
    }
  }

  void WriteFunctions() {
    writer_.Text(otlp::kFunctionTable, "");
    for (const LocationTable::Function& function : table_.functions()) {
      const size_t message = writer_.Begin(otlp::kFunctionTable);
      writer_.Varint(otlp::kName, strings_.Row(profile_.FunctionName(function.function)));
      if (function.source != kNoRow) writer_.Varint(otlp::kFunctionFile, strings_.Row(profile_.Text(function.source)));
      writer_.End(message);
    }
  }

  void WriteAttributes() {
    writer_.Text(otlp::kAttributeTable, "");
    for (const auto& [key, text, number] : attributes_) {
      const size_t message = writer_.Begin(otlp::kAttributeTable);
      writer_.Varint(otlp::kAttributeKey, key);
      WriteAnyValue(otlp::kAttributeValue, text, number);
      writer_.End(message);
    }
  }

  void WriteStacks() {
    writer_.Text(otlp::kStackTable, "");
    std::vector<uint64_t> rows;
    for (const int32_t stack : stacks_) {
      const size_t message = writer_.Begin(otlp::kStackTable);
      LocationsFromOne(stack, &rows);
      writer_.Packed(otlp::kLocations, rows);
      writer_.End(message);
    }
  }

  std::vector<Attribute> attributes_;
  absl::flat_hash_map<Attribute, uint64_t> attribute_rows_;
  std::vector<uint32_t> stack_rows_;  // by row of model.stacks; 0: not used
  std::vector<int32_t> stacks_;
  uint32_t profiles_ = 0;
  WholeCounts counts_, bytes_;
};

}  // namespace

void WriteOtlp(ExportedProfile& profile, FormatOutput* output) { OtlpWriter(profile, output).Write(); }

}  // namespace geckoprof
