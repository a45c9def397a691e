#include "tools/processed_format/profile_output.h"

#include <vector>

#include "geckoprof/gecko_json/gecko_writer.h"
#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/json_file.h"
#include "tools/processed_format/processed_writer.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

void Show(ProgressLine* progress, std::string_view text) {
  if (progress != nullptr) progress->Show(text);
}

const ProcessProfile& ProcessAt(const void* context, size_t row) {
  return (*static_cast<const RecordedProcesses*>(context))[row];
}

// Returns false if the profile is not whole.
bool WriteSession(const RecordedSession& session, OutputFormat format, ProgressLine* progress,
                  ProfileFindings* findings, JsonWriter& writer) {
  if (format == OutputFormat::kGecko) {
    WriteGeckoProfile({session.processes.size(), &ProcessAt, &session.processes}, writer, session.product);
    return true;
  }
  // No server is asked at the end of a recording: that may take minutes. `geckoprof symbolicate` asks.
  SymbolPlaces places;
  places.debuginfod = false;
  Symbolizer symbolizer(places);
  symbolizer.set_watcher([&](const std::string& library) { Show(progress, Concat("reading symbols of ", library)); });
  MissingNames missing_names;
  const bool is_whole = WriteProcessedProfile(session, symbolizer, writer, &missing_names);
  findings->names_note = missing_names.Note();
  findings->problems = symbolizer.Problems();
  return is_whole;
}

}  // namespace

absl::Status WriteProfile(const RecordedSession& session, OutputFormat format, OutputFile& file, ProgressLine* progress,
                          ProfileFindings* findings) {
  if (session.processes.empty()) return absl::FailedPreconditionError("nothing was recorded");
  Show(progress, format == OutputFormat::kProcessed ? "finding function names" : "writing the profile");
  return WriteJsonFile(file, progress,
                       [&](JsonWriter& writer) { return WriteSession(session, format, progress, findings, writer); });
}

}  // namespace geckoprof
