#ifndef GECKOPROF_TOOLS_SYMBOLICATE_GECKO_SYMBOLICATION_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_GECKO_SYMBOLICATION_H_

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/processed_format/processed_file.h"
#include "tools/symbolicate/gecko_frames.h"
#include "tools/symbolicate/library_symbols.h"
#include "tools/symbolicate/symbolication.h"

namespace geckoprof {

// GeckoSymbolication: a Gecko profile, Firefox's or ours, written in the processed format (ProcessedVersion::kWritten)
// with the symbols that are found; without a symbolizer as it is.
//
//   processes, each with its own zero    -> one list of threads, times from the first process's zero
//   tables of each thread                -> the shared tables
//   stacks inside markers                -> causes
//   counters' categories                 -> how they are drawn
//   profilerOverhead of each process     -> a list. Its times, which are in us, become ms, as viewers read them
//
// What only the viewer makes of such files stays as markers: allocations. Lifetime: a view of the document. Threads:
// one at a time.
class GeckoSymbolication final : public Symbolication, private ProcessedSource {
 public:
  // The arguments are those of LibrarySymbols.
  GeckoSymbolication(JsonView profile, Symbolizer* symbolizer, const JitMap* jit_map, SourcePaths* sources = nullptr)
      : profile_(profile), symbols_(symbolizer, tables_, jit_map, sources) {}

  absl::Status Load() override;
  void Write(JsonWriter& writer) override { WriteProcessedFile(*this, tables_, writer); }
  const LibrarySymbols::Counts& counts() const override { return symbols_.counts(); }

 private:
  struct Process {
    JsonView profile;
    double shift_ms;
    GeckoProcessTables tables;
    std::vector<std::unique_ptr<GeckoFrames>> threads;
    absl::flat_hash_map<std::string_view, MarkerTypeRow> marker_types;  // by name
  };

  absl::Status LoadProcess(JsonView process, double shift_ms, const JsonPath& path);
  void ReadMarkerTypes(Process& process);
  void WriteThreads(JsonWriter& writer) override;
  bool HasCounters() const override;
  void WriteCounters(JsonWriter& writer) override;
  void WriteOverhead(JsonWriter& writer) override;
  void WritePages(JsonWriter& writer) override;
  void WriteMore(JsonWriter& writer) override;
  void WriteMeta(JsonWriter& writer) override;
  void WriteThread(const Process& process, size_t thread, JsonWriter& writer);
  void WriteThreadSamples(const GeckoTable& samples, double shift_ms, GeckoFrames& frames, JsonWriter& writer);
  void WriteThreadMarkers(const Process& process, const GeckoTable& markers, GeckoFrames& frames, JsonWriter& writer);
  void WriteMarkerData(const Process& process, JsonView data, GeckoFrames& frames, JsonWriter& writer);
  void WriteStackAsCause(JsonView stack, double shift_ms, GeckoFrames& frames, JsonWriter& writer);
  // Calls visit(process, pid, number of the main thread) for the processes that have one.
  template <typename Visit>
  void VisitMainThreads(const Visit& visit) const;
  double LatestEndMs() const;
  void WriteJoined(std::string_view key, JsonWriter& writer) const;

  const JsonView profile_;
  SharedTables tables_;
  LibrarySymbols symbols_;
  std::deque<Process> processes_;            // whose addresses stay
  std::vector<MarkerTypeRow> marker_types_;  // the first of each name
  std::set<std::string> marker_type_names_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_GECKO_SYMBOLICATION_H_
