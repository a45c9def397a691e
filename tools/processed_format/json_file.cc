#include "tools/processed_format/json_file.h"

#include <cstdlib>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {
namespace {

// A JsonSink to a file that remembers the status.
struct FileSink {
  OutputFile& file;
  std::optional<GzipStream> packed;  // between the text and the file
  absl::Status status = {};

  JsonSink sink() { return {&Write, this}; }
  static bool Write(void* context, const char* bytes, size_t size_bytes) {
    auto* const self = static_cast<FileSink*>(context);
    const std::string_view text(bytes, size_bytes);
    self->status.Update(self->packed ? self->packed->Write(text) : self->file.Write(text));
    return self->status.ok();
  }
};

}  // namespace

absl::Status WriteJsonFile(const std::string& path, ProgressLine* progress, const JsonMaker& make) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  return file.ok() ? WriteJsonFile(*file, progress, make) : file.status();
}

absl::Status WriteJsonFile(OutputFile& file, ProgressLine* progress, const JsonMaker& make) {
  FileSink sink{file, std::nullopt};
  if (file.path().ends_with(".gz")) sink.packed.emplace([&file](std::string_view bytes) { return file.Write(bytes); });
  JsonWriter writer(sink.sink());
  const bool is_made = make(writer);
  const bool is_written = writer.Finish();
  if (!sink.status.ok()) return sink.status;
  if (!is_written) return absl::DataLossError(std::string(writer.failure()));
  if (!is_made) return absl::DataLossError("a temporary file could not be written or read");
  if (sink.packed) {
    if (progress != nullptr) progress->Show("compressing the profile");
    if (absl::Status status = sink.packed->Finish(); !status.ok()) return status;
  }
  return file.Commit();
}

void SpooledJson::Add(const std::function<void(JsonWriter& writer)>& write) {
  is_empty_ = false;
  JsonWriter writer(StringSink(&text_));
  write(writer);
  has_failed_ |= !writer.Finish();
  text_ += '\n';  // there is none in compact JSON
  if (text_.size() < kMostBytesInMemory) return;
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr) return;
  has_failed_ |= std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size();
  text_.clear();
}

bool SpooledJson::WriteTo(JsonWriter& writer) {
  if (file_ != nullptr) {
    std::rewind(file_.get());
    char* line = nullptr;
    size_t room = 0;
    for (ssize_t length = 0; (length = getline(&line, &room, file_.get())) > 0;) {
      writer.Splice({line, static_cast<size_t>(length - 1)});
    }
    std::free(line);
    has_failed_ |= std::ferror(file_.get()) != 0;
  }
  std::string_view rest = text_;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    writer.Splice(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return !has_failed_;
}

}  // namespace geckoprof
