#ifndef GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
#define GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace geckoprof {

// The level of our profiles. They are repetitive. Higher levels take twice the time for a few percent less.
inline constexpr int kGzipLevel = 4;

// The text as one gzip member. One, not several: the browsers' own decompressor refuses bytes after the first member.
absl::StatusOr<std::string> GzipCompress(std::string_view text);

// The CRC-32 of gzip and .gnu_debuglink, over `bytes` behind those that gave `sum`; 0 at the start.
uint32_t Crc32(uint32_t sum, std::string_view bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_GZIP_COMPRESS_H_
