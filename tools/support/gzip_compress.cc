#include "tools/support/gzip_compress.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"

namespace geckoprof {

absl::StatusOr<std::string> GzipCompress(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kGzipLevel), &libdeflate_free_compressor);
  if (compressor == nullptr) return absl::ResourceExhaustedError("not enough memory to compress the output");
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  const size_t size_bytes =
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(), packed.size());
  if (size_bytes == 0) return absl::InternalError("the output cannot be compressed");
  packed.resize(size_bytes);
  return packed;
}

uint32_t Crc32(uint32_t sum, std::string_view bytes) { return libdeflate_crc32(sum, bytes.data(), bytes.size()); }

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, and the header of gzip
constexpr size_t kPieceBytes = size_t{64} << 10;

}  // namespace

struct GzipStream::Deflater {
  z_stream stream = {};
  bool is_open = false;
  std::string packed = std::string(kPieceBytes, '\0');

  Deflater() {
    is_open = deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (is_open) deflateEnd(&stream);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

GzipStream::GzipStream(Sink sink, size_t most_whole_bytes)
    : sink_(std::move(sink)), most_whole_bytes_(most_whole_bytes) {}
GzipStream::~GzipStream() = default;

absl::Status GzipStream::Write(std::string_view text) {
  if (deflater_ == nullptr && text_.size() + text.size() <= most_whole_bytes_) {
    // Pages that are reserved and not used take no memory, whereas growth by doubling has two copies for a while.
    if (text_.size() + text.size() > kPieceBytes) text_.reserve(most_whole_bytes_);
    text_.append(text);
    return absl::OkStatus();
  }
  if (deflater_ == nullptr) {
    deflater_ = std::make_unique<Deflater>();
    if (!deflater_->is_open) return absl::ResourceExhaustedError("not enough memory to compress the output");
    const std::string first = std::exchange(text_, {});
    if (absl::Status status = Deflate(first, false); !status.ok()) return status;
  }
  return Deflate(text, false);
}

absl::Status GzipStream::Finish() {
  if (deflater_ != nullptr) return Deflate({}, true);
  absl::StatusOr<std::string> packed = GzipCompress(text_);
  return packed.ok() ? sink_(*packed) : packed.status();
}

absl::Status GzipStream::Deflate(std::string_view text, bool is_last) {
  z_stream& stream = deflater_->stream;
  std::string& packed = deflater_->packed;
  do {
    const size_t piece = std::min<size_t>(text.size(), kPieceBytes);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(piece);
    const bool ends = is_last && piece == text.size();
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      if (deflate(&stream, ends ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) {
        return absl::InternalError("the output cannot be compressed");
      }
      const absl::Status status = sink_({packed.data(), packed.size() - stream.avail_out});
      if (!status.ok()) return status;
    } while (stream.avail_out == 0);
    text.remove_prefix(piece);
  } while (!text.empty());
  return absl::OkStatus();
}

}  // namespace geckoprof
