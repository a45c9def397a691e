#include "tools/convert/format_output.h"

#include "absl/status/statusor.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {

void FormatOutput::Flush() {
  if (file_ == nullptr || compress_) return;
  if (status_.ok()) status_ = file_->Write(buffer_);
  buffer_.clear();
}

void FormatOutput::WriteJson(const std::function<void(JsonWriter& writer)>& write) {
  const auto append = [](void* context, const char* bytes, size_t size_bytes) {
    auto* self = static_cast<FormatOutput*>(context);
    self->buffer_.append(bytes, size_bytes);
    self->FlushIfLarge();
    return self->status_.ok();
  };
  JsonWriter writer({append, this});
  write(writer);
  // A sink that failed has the status already.
  if (!writer.Finish() && status_.ok()) status_ = absl::InternalError(std::string(writer.failure()));
}

absl::Status FormatOutput::Finish() {
  if (compress_ && status_.ok()) {
    absl::StatusOr<std::string> packed = GzipCompress(buffer_);
    if (!packed.ok()) return packed.status();
    buffer_ = *std::move(packed);
    if (file_ != nullptr) status_ = file_->Write(buffer_);
    return status_;
  }
  Flush();
  return status_;
}

}  // namespace geckoprof
