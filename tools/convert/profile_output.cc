#include "tools/convert/profile_output.h"

#include <utility>
#include <vector>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/streaming/gecko_writer.h"
#include "tools/convert/processed_writer.h"
#include "tools/profile/concat.h"
#include "tools/support/gzip_compress.h"
#include "tools/support/output_file.h"

namespace geckoprof {
namespace {

void Show(ProgressLine* progress, std::string_view text) {
  if (progress != nullptr) progress->Show(text);
}

bool WriteToFile(void* context, const char* bytes, size_t size_bytes);

// A JsonSink to a file that remembers the status.
struct FileSink {
  OutputFile& file;
  absl::Status status;
  JsonSink sink() { return {&WriteToFile, this}; }
};

bool WriteToFile(void* context, const char* bytes, size_t size_bytes) {
  auto* self = static_cast<FileSink*>(context);
  self->status.Update(self->file.Write({bytes, size_bytes}));
  return self->status.ok();
}

absl::Status WriteJson(const RecordedSession& session, OutputFormat format, ProgressLine* progress, JsonSink sink) {
  JsonWriter writer(sink);
  if (format == OutputFormat::kGecko) {
    std::vector<const ProcessProfile*> children;
    for (size_t i = 1; i < session.processes.size(); ++i) children.push_back(&session.processes[i]);
    WriteGeckoProfile(session.processes[0], children, writer, session.product);
  } else {
    Symbolizer symbolizer;
    symbolizer.set_watcher([&](const std::string& library) { Show(progress, Concat("reading symbols of ", library)); });
    WriteProcessedProfile(session, symbolizer, writer);
  }
  return writer.Finish() ? absl::OkStatus() : absl::DataLossError(writer.latch().failure());
}

}  // namespace

absl::Status WriteProfile(const RecordedSession& session, OutputFormat format, const std::string& path,
                          ProgressLine* progress) {
  if (session.processes.empty()) return absl::FailedPreconditionError("nothing was recorded");
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  Show(progress, format == OutputFormat::kProcessed ? "finding function names" : "writing the profile");
  if (path.ends_with(".gz")) {
    std::string text;
    if (absl::Status status = WriteJson(session, format, progress, StringSink(&text)); !status.ok()) return status;
    Show(progress, "compressing the profile");
    absl::StatusOr<std::string> packed = GzipCompress(text);
    if (!packed.ok()) return packed.status();
    if (absl::Status status = file->Write(*packed); !status.ok()) return status;
  } else {
    FileSink sink{*file, absl::OkStatus()};
    const absl::Status status = WriteJson(session, format, progress, sink.sink());
    if (!sink.status.ok()) return sink.status;
    if (!status.ok()) return status;
  }
  return file->Commit();
}

}  // namespace geckoprof
