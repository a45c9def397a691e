#include "tools/convert/json_file.h"

#include <utility>

#include "absl/status/statusor.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {
namespace {

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

absl::Status WriteJson(JsonSink sink, const std::function<void(JsonWriter& writer)>& write) {
  JsonWriter writer(sink);
  write(writer);
  return writer.Finish() ? absl::OkStatus() : absl::DataLossError(std::string(writer.failure()));
}

}  // namespace

absl::Status WriteJsonFile(const std::string& path, ProgressLine* progress,
                           const std::function<void(JsonWriter& writer)>& write) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  return file.ok() ? WriteJsonFile(*file, progress, write) : file.status();
}

absl::Status WriteJsonFile(OutputFile& file, ProgressLine* progress,
                           const std::function<void(JsonWriter& writer)>& write) {
  if (file.path().ends_with(".gz")) {
    std::string text;
    if (absl::Status status = WriteJson(StringSink(&text), write); !status.ok()) return status;
    if (progress != nullptr) progress->Show("compressing the profile");
    absl::StatusOr<std::string> packed = GzipCompress(text);
    if (!packed.ok()) return packed.status();
    if (absl::Status status = file.Write(*packed); !status.ok()) return status;
  } else {
    FileSink sink{file, absl::OkStatus()};
    absl::Status status = WriteJson(sink.sink(), write);
    if (!sink.status.ok()) return sink.status;
    if (!status.ok()) return status;
  }
  return file.Commit();
}

}  // namespace geckoprof
