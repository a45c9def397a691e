#include "tools/merge/merge_input.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "tools/convert/format_output.h"
#include "tools/convert/format_writers.h"
#include "tools/profile/model_builder.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/system_pid.h"
#include "tools/symbolicate/symbolication.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

bool HasSharedTables(const JsonDocument& document) {
  const JsonView profile = ProfileRoot(document);
  return FormatOf(profile) == ProfileFormat::kProcessed && Symbolication::HasTables(profile);
}

absl::StatusOr<JsonDocument> WithSharedTables(JsonDocument document) {
  FormatOutput output(nullptr, /*compress=*/false);
  if (FormatOf(ProfileRoot(document)) == ProfileFormat::kGecko) {
    const auto copy = Symbolication::Make(ProfileRoot(document));
    if (absl::Status status = copy->Load(); !status.ok()) return status;
    output.WriteJson([&](JsonWriter& writer) { copy->Write(writer); });
  } else {
    const absl::StatusOr<ProfileModel> model = LoadProfile(document, ProfileDetail::kFull);
    if (!model.ok()) return model.status();
    WriteModel(*model, &output, ProfileRoot(document)["profilerOverhead"]);
  }
  if (absl::Status status = output.Finish(); !status.ok()) return status;
  return ParseProfile(std::move(output.buffer()));
}

ClockFacts ClockOf(JsonView meta) {
  ClockFacts clock;
  clock.wall_ms = ReadTimeMs(meta["startTime"]);
  constexpr int64_t kMostNs = int64_t{1} << 60;  // of some thirty years
  const auto monotonic_ns = meta["startTimeAsClockMonotonicNanosecondsSinceBoot"].AsInteger();
  if (monotonic_ns.has_value() && *monotonic_ns >= 0 && *monotonic_ns <= kMostNs) clock.monotonic_ns = *monotonic_ns;
  clock.boot_id = meta["bootId"].AsString();
  return clock;
}

std::vector<ThreadUse> UsesOf(const ProfileModel& model) {
  std::vector<ThreadUse> uses;
  for (const ProfileThread& thread : model.threads) {
    ThreadUse use;
    use.image = static_cast<uint32_t>(thread.process);
    const std::string& pid = model.processes[static_cast<size_t>(thread.process)].pid;
    use.is_main = thread.is_main && SystemPid(pid) == SystemPid(model.processes[0].pid);
    use.is_empty = thread.samples.empty() && thread.markers.empty();
    double samples = 0;
    for (const ProfileSample& sample : thread.samples) {
      samples += sample.weight;
      use.cpu_ns += std::min(std::max<int64_t>(sample.cpu_ns, 0), INT64_MAX - use.cpu_ns);
    }
    use.samples = static_cast<int64_t>(std::min(samples, 1e12));
    uses.push_back(use);
  }
  return uses;
}

}  // namespace

absl::StatusOr<MergeInput> ReadMergeInput(const std::string& file, size_t most_bytes) {
  absl::StatusOr<std::string> text = ReadProfileFile(file, most_bytes);
  if (!text.ok()) return text.status();
  const size_t text_bytes = text->size();
  absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text));
  if (document.ok() && !HasSharedTables(*document)) document = WithSharedTables(*std::move(document));
  if (!document.ok()) return document.status();
  const absl::StatusOr<ProfileModel> model = LoadProfile(*document);
  if (!model.ok()) return model.status();
  const JsonView meta = ProfileRoot(*document)["meta"];
  if (meta["sampleUnits"]["time"].AsString() == "bytes") {
    return absl::InvalidArgumentError("has sizes on its time line, so it has no place on a clock");
  }
  MergeInput input{file, "", *std::move(document), ClockOf(meta), UsesOf(*model), {}, text_bytes};
  for (const ProfileProcess& process : model->processes) input.pids.push_back(process.pid);
  return input;
}

std::vector<std::string> LabelsOfFiles(std::span<const std::string> files) {
  const auto label_of = [](const std::string& file, bool with_folder) {
    std::string_view name = file == "-" ? "stdin" : std::string_view(file);
    size_t slash = name.rfind('/');
    if (with_folder && slash != std::string_view::npos && slash != 0) slash = name.rfind('/', slash - 1);
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    for (const std::string_view ending : {".gz", ".json"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
    }
    return CutName(name, kMaxLibraryNameBytes);
  };
  std::vector<std::string> labels;
  for (const bool with_folder : {false, true}) {
    labels.clear();
    for (const std::string& file : files) labels.push_back(label_of(file, with_folder));
    if (std::set<std::string>(labels.begin(), labels.end()).size() == labels.size()) return labels;
  }
  for (size_t i = 0; i < labels.size(); ++i) labels[i] += Concat("-", i + 1);
  return labels;
}

}  // namespace geckoprof
