#include "tools/support/gzip_compress.h"

#include <libdeflate.h>

#include <memory>

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

}  // namespace geckoprof
