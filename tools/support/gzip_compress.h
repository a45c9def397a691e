#ifndef GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
#define GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace geckoprof {

// The level of our profiles. They are repetitive. Higher levels take twice the time for a few percent less.
inline constexpr int kGzipLevel = 4;

// The text as one gzip member. One, not several: the browsers' own decompressor refuses bytes after the first member.
absl::StatusOr<std::string> GzipCompress(std::string_view text);

// The CRC-32 of gzip and .gnu_debuglink, over `bytes` behind those that gave `sum`; 0 at the start.
uint32_t Crc32(uint32_t sum, std::string_view bytes);

// GzipStream: compresses a text that comes in pieces into one gzip member (GzipCompress).
//
//   text up to kMostWholeBytes   it is kept and compressed as a whole, which is two to three times as fast
//   a longer text                it is compressed as it comes, so that it needs no memory
//
// Threads: one at a time.
class GzipStream {
 public:
  static constexpr size_t kMostWholeBytes = size_t{32} << 20;
  using Sink = std::function<absl::Status(std::string_view packed)>;

  // `sink` receives the compressed bytes, in order.
  explicit GzipStream(Sink sink, size_t most_whole_bytes = kMostWholeBytes);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  absl::Status Write(std::string_view text);
  // Must be called after the last Write.
  absl::Status Finish();

 private:
  struct Deflater;

  absl::Status Deflate(std::string_view text, bool is_last);

  const Sink sink_;
  const size_t most_whole_bytes_;
  std::string text_;                    // while there is no deflater
  std::unique_ptr<Deflater> deflater_;  // of a long text
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
