#include "tools/symbolicate/symbolication.h"

#include "geckoprof/gecko_json/format_versions.h"
#include "tools/profile/profile_loader.h"
#include "tools/symbolicate/gecko_symbolication.h"
#include "tools/symbolicate/processed_symbolication.h"

namespace geckoprof {

std::unique_ptr<Symbolication> Symbolication::Make(JsonView profile, Symbolizer* symbolizer, const JitMap* jit_map,
                                                   SourcePaths* sources) {
  if (FormatOf(profile) == ProfileFormat::kProcessed) {
    return std::make_unique<ProcessedSymbolication>(profile, symbolizer, jit_map, sources);
  }
  return std::make_unique<GeckoSymbolication>(profile, symbolizer, jit_map, sources);
}

bool Symbolication::HasTables(JsonView profile) {
  return FormatOf(profile) == ProfileFormat::kGecko ||
         profile["meta"]["preprocessedProfileVersion"].AsInteger().value_or(0) >= ProcessedVersion::kSharedTables;
}

}  // namespace geckoprof
