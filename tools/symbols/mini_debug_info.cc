#include "tools/symbols/mini_debug_info.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace geckoprof {
namespace {

constexpr size_t kMaxUnpackedBytes = size_t{64} << 20;
constexpr uint64_t kMaxDecoderBytes = uint64_t{128} << 20;  // xz -9 needs 65 MiB

}  // namespace

std::unique_ptr<ElfImage> ReadMiniDebugInfo(const ElfImage& image) {
  const std::span<const uint8_t> packed = image.SectionBytes(".gnu_debugdata");
  if (packed.empty()) return nullptr;
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDecoderBytes, 0) != LZMA_OK) return nullptr;
  std::vector<char> bytes;
  stream.next_in = packed.data();
  stream.avail_in = packed.size();
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && bytes.size() < kMaxUnpackedBytes) {
    const size_t written = bytes.size();
    bytes.resize(std::min(std::max<size_t>(2 * written, packed.size() * 4), kMaxUnpackedBytes));
    stream.next_out = reinterpret_cast<uint8_t*>(bytes.data()) + written;
    stream.avail_out = bytes.size() - written;
    result = lzma_code(&stream, LZMA_FINISH);
    bytes.resize(bytes.size() - stream.avail_out);
    if (stream.avail_out != 0) break;  // it is at its end, or wants what is not there
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) return nullptr;
  absl::StatusOr<std::unique_ptr<ElfImage>> unpacked = ElfImage::FromBytes(std::move(bytes));
  return unpacked.ok() ? *std::move(unpacked) : nullptr;
}

}  // namespace geckoprof
