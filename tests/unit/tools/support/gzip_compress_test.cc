#include "tools/support/gzip_compress.h"

#include <libdeflate.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace geckoprof {
namespace {

TEST_CASE("packed text unpacks to itself, as one member") {
  for (size_t size_bytes : {size_t{0}, size_t{1}, size_t{3'000'000}}) {
    std::string text;
    for (size_t i = 0; i < size_bytes; ++i) text.push_back(static_cast<char>('a' + i * i % 23));
    const auto packed = GzipCompress(text);
    REQUIRE(packed.ok());
    std::string unpacked(size_bytes + 1, '\0');
    libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
    size_t read = 0;
    size_t written = 0;
    CHECK(libdeflate_gzip_decompress_ex(decompressor, packed->data(), packed->size(), unpacked.data(), unpacked.size(),
                                        &read, &written) == LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(decompressor);
    unpacked.resize(written);
    CHECK(unpacked == text);
    CHECK(read == packed->size());
  }
}

constexpr size_t kLimit = 1000;

std::string Packed(const std::string& text, size_t piece_bytes) {
  std::string packed;
  GzipStream stream(
      [&packed](std::string_view bytes) {
        packed += bytes;
        return absl::OkStatus();
      },
      kLimit);
  for (size_t at = 0; at < text.size(); at += piece_bytes) {
    CHECK(stream.Write(std::string_view(text).substr(at, piece_bytes)).ok());
  }
  CHECK(stream.Finish().ok());
  return packed;
}

// The text of one gzip member, which must be all there is.
std::string Unpacked(const std::string& packed, size_t size_bytes) {
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  std::string text(size_bytes + 1, '\0');
  size_t read = 0, written = 0;
  REQUIRE(libdeflate_gzip_decompress_ex(decompressor.get(), packed.data(), packed.size(), text.data(), text.size(),
                                        &read, &written) == LIBDEFLATE_SUCCESS);
  CHECK(read == packed.size());
  text.resize(written);
  return text;
}

TEST_CASE("texts of any length and in any pieces become one gzip member") {
  for (const size_t size_bytes : {size_t{0}, size_t{1}, kLimit, kLimit + 1, size_t{300'000}}) {
    std::string text;
    for (size_t i = 0; text.size() < size_bytes; ++i) text += std::to_string(i * i) + ",";
    text.resize(size_bytes);
    for (const size_t piece_bytes : {size_t{7}, kLimit, size_t{200'000}}) {
      INFO(size_bytes << " bytes in pieces of " << piece_bytes);
      const std::string packed = Packed(text, piece_bytes);
      CHECK(Unpacked(packed, size_bytes) == text);
      if (size_bytes > 10'000) CHECK(packed.size() < size_bytes / 2);
    }
  }
}

TEST_CASE("a sink that fails is an error of a write or of the end") {
  const auto fail = [](std::string_view) { return absl::UnavailableError("full"); };
  GzipStream small(fail, kLimit);
  CHECK(small.Write("text").ok());
  CHECK_FALSE(small.Finish().ok());
  GzipStream large(fail, kLimit);
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 1'000'000; ++i) noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  CHECK_FALSE(large.Write(noise).ok());
}

}  // namespace
}  // namespace geckoprof
