#include "tools/convert/processed_copy.h"

#include "geckoprof/gecko_json/format_versions.h"
#include "geckoprof/json/json_writer.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {

bool ProcessedCopy::Takes(JsonView profile) {
  return FormatOf(profile) == ProfileFormat::kGecko ||
         profile["meta"]["preprocessedProfileVersion"].AsInteger().value_or(0) >= ProcessedVersion::kSharedTables;
}

ProcessedCopy::ProcessedCopy(JsonView profile)
    : writer_(std::in_place_type<ProcessedSymbolication>, profile, nullptr, nullptr) {
  if (FormatOf(profile) == ProfileFormat::kGecko) writer_.emplace<GeckoSymbolication>(profile, nullptr, nullptr);
}

absl::Status ProcessedCopy::Load() {
  return std::visit([](auto& writer) { return writer.Load(); }, writer_);
}

void ProcessedCopy::Write(FormatOutput* output) {
  JsonWriter writer(output->json_sink());
  std::visit([&](auto& from) { from.Write(writer); }, writer_);
  // A sink that failed has told the output, the calls above are balanced.
  if (!writer.Finish()) return;
}

}  // namespace geckoprof
