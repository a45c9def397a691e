#include "tools/support/gzip_compress.h"

#include <libdeflate.h>

#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace geckoprof
