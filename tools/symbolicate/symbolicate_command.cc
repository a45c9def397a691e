#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/json/json_document.h"
#include "tools/options/command_options.h"
#include "tools/options/commands.h"
#include "tools/processed_format/json_file.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/support/standard_output.h"
#include "tools/symbolicate/symbolication.h"
#include "tools/symbols/jit_map.h"
#include "tools/symbols/source_paths.h"
#include "tools/symbols/symbol_cache.h"
#include "tools/symbols/symbolizer.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof symbolicate profile.json.gz                       # writes profile.syms.json.gz\n"
    "  geckoprof symbolicate --symbol-dir ~/debug -o out.json.gz from-other-machine.json\n\n"
    "Reads Gecko profiles (Firefox's, too) and processed ones from version 60 on; writes the processed format.\n"
    "Programs, libraries and their debug files are matched by build id: what does not match is not used, and told.\n"
    "DEBUGINFOD_URLS names servers to ask for what is not here; without it none is asked.\n";

constexpr size_t kMostLines = 10;  // of what is told about libraries

struct Request {
  std::string input, output, jit_map, symbol_cache;
  SourceOptions source_options;
  SymbolPlaces places;
  SourcePaths sources;
  bool no_symbol_cache = false, quiet = false;
};

int Fail(std::string_view what) {
  fprintf(stderr, "geckoprof symbolicate: %s\n", CleanText(what).c_str());
  return 1;
}

bool IsFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void Tell(const Request& request, const Symbolizer& symbolizer, const SymbolCache* cache,
          const LibrarySymbols::Counts& counts) {
  const std::vector<std::string> problems = symbolizer.Problems();
  const size_t shown = std::min(problems.size(), kMostLines);
  for (size_t i = 0; i < shown; ++i) fprintf(stderr, "geckoprof: warning: %s\n", CleanText(problems[i]).c_str());
  if (problems.size() > shown) fprintf(stderr, "geckoprof: warning: %zu more of this kind\n", problems.size() - shown);
  if (request.quiet) return;
  if (cache != nullptr && !cache->problem().empty()) {
    fprintf(stderr, "geckoprof: note: symbols are not kept for the next time: %s\n",
            CleanText(cache->problem()).c_str());
  }
  const Symbolizer::Counts& libraries = symbolizer.counts();
  const std::string jit = counts.jit_named != 0 ? Concat(", ", counts.jit_named, " of code made at run time") : "";
  const uint64_t with_symbols = libraries.loaded + libraries.from_cache_alone;
  const std::string cached =
      libraries.from_cache_alone != 0 ? Concat(" (", libraries.from_cache_alone, " from the cache alone)") : "";
  const std::string line =
      Concat("profile written to ", request.output == "-" ? "the standard output" : request.output, " (", counts.named,
             " of ", counts.addresses, " addresses named, ", counts.with_lines, " with lines", jit, "; ", with_symbols,
             " of ", with_symbols + libraries.unreadable + libraries.mismatched, " libraries have symbols", cached,
             ", ", libraries.with_lines, " debug information)");
  fprintf(stderr, "geckoprof: %s\n", CleanText(line).c_str());
}

int Run(const Request& request, Symbolication& symbolication, Symbolizer& symbolizer, const SymbolCache* cache,
        ProgressLine& progress) {
  absl::Status status = symbolication.Load();
  if (!status.ok()) return Fail(Concat(request.input, ": ", std::string(status.message())));
  status = WriteJsonFile(request.output, &progress, [&](JsonWriter& writer) {
    symbolication.Write(writer);
    return true;
  });
  if (status.ok()) symbolizer.SaveToCache();
  progress.Clear();
  if (!status.ok()) return Fail(std::string(status.message()));
  Tell(request, symbolizer, cache, symbolication.counts());
  return 0;
}

// Null: none is wanted, or there is no place for it.
std::unique_ptr<SymbolCache> MakeCache(const Request& request) {
  if (request.no_symbol_cache) return nullptr;
  const std::string folder = request.symbol_cache.empty() ? SymbolCache::DefaultFolder() : request.symbol_cache;
  return folder.empty() ? nullptr : std::make_unique<SymbolCache>(folder);
}

int Symbolicate(Request& request) {
  std::unique_ptr<JitMap> jit_map;
  if (!request.jit_map.empty()) {
    absl::StatusOr<std::unique_ptr<JitMap>> map = JitMap::Load(request.jit_map);
    if (!map.ok()) return Fail(Concat("--jit-map: ", std::string(map.status().message())));
    jit_map = *std::move(map);
  }
  absl::StatusOr<std::string> text = ReadProfileFile(request.input);
  if (!text.ok()) return Fail(Concat(request.input, ": ", std::string(text.status().message())));
  const absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text));
  if (!document.ok()) return Fail(Concat(request.input, ": ", std::string(document.status().message())));
  const JsonView profile = ProfileRoot(*document);
  ProgressLine progress(request.quiet ? -1 : STDERR_FILENO);
  const std::unique_ptr<SymbolCache> cache = MakeCache(request);
  Symbolizer symbolizer(request.places, cache.get());
  symbolizer.set_watcher([&](const std::string& library) { progress.Show(Concat("reading symbols of ", library)); });
  const auto symbolication = Symbolication::Make(profile, &symbolizer, jit_map.get(), &request.sources);
  return Run(request, *symbolication, symbolizer, cache.get(), progress);
}

}  // namespace

int SymbolicateMain(std::span<char* const> args) {
  Request request;
  CommandOptions options(
      "symbolicate", "Gives the addresses in a profile names, source files, lines and inlined functions.", kExamples);
  options.Positional("FILE", &request.input, "Gecko or processed profile, .json or .json.gz; - is standard input");
  options.Text("-o,--output", &request.output, "FILE",
               "the result; compressed if it ends in .gz, - is standard output (default: beside FILE, .syms.json.gz)");
  options.Texts("--symbol-dir", &request.places.symbol_folders, "DIR",
                "also look here for programs, libraries, debug files; may be given again");
  request.source_options.AddTo(&options);
  options.Text("--jit-map", &request.jit_map, "FILE",
               "names of code made at run time, for all processes: a perf map or a jitdump");
  options.Text("--symbol-cache", &request.symbol_cache, "DIR",
               "keep what is found here for the next time (default: ~/.cache/geckoprof/symbols)");
  options.Flag("--no-symbol-cache", &request.no_symbol_cache, "read all files again, and keep nothing");
  options.Flag("-q,--quiet", &request.quiet, "no messages but warnings and errors");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--output", {ValueHint::Kind::kFiles, ProfileEndings()});
  options.Offer("--symbol-dir", {ValueHint::Kind::kFolders});
  options.Offer("--symbol-cache", {ValueHint::Kind::kFolders});
  options.Offer("--jit-map", {ValueHint::Kind::kFiles, {".map", ".dump"}});
  if (const std::optional<int> status = options.Parse(args)) return *status;
  for (const std::string& folder : request.places.symbol_folders) {
    if (!IsFolder(folder)) {
      fprintf(stderr, "geckoprof symbolicate: --symbol-dir: %s is no folder\n", CleanText(folder).c_str());
      return 2;
    }
  }
  if (const absl::Status status = request.sources.Add(request.source_options.folders, request.source_options.maps);
      !status.ok()) {
    fprintf(stderr, "geckoprof symbolicate: %s\n", CleanText(std::string(status.message())).c_str());
    return 2;
  }
  if (request.no_symbol_cache && !request.symbol_cache.empty()) {
    fputs("geckoprof symbolicate: --symbol-cache and --no-symbol-cache exclude each other\n", stderr);
    return 2;
  }
  if (request.output.empty()) request.output = ProfileNameBeside(request.input, ".syms.json.gz");
  return Symbolicate(request);
}

}  // namespace geckoprof
