#include "tools/symbols/mini_debug_info.h"

#include <lzma.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"
#include "tools/symbols/symbol_table.h"

namespace geckoprof {
namespace {

std::string Packed(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  size_t size_bytes = 0;
  REQUIRE(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()),
                                  bytes.size(), reinterpret_cast<uint8_t*>(packed.data()), &size_bytes,
                                  packed.size()) == LZMA_OK);
  packed.resize(size_bytes);
  return packed;
}

// The name at 0x1000 of a stripped file with this section.
std::string NameWith(const std::string& section) {
  ElfFileBuilder file;
  file.Add(".text", SHT_PROGBITS, "code");
  file.AddSymbols(".dynsym", SHT_DYNSYM, {});
  file.Add(".gnu_debugdata", SHT_PROGBITS, section);
  const auto image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  const auto function = SymbolTable(**image, nullptr).Find(0x1000);
  return function.has_value() ? function->name : "";
}

TEST_CASE("names of a stripped file come from the symbols packed into it") {
  ElfFileBuilder inner;
  inner.AddSymbols(".symtab", SHT_SYMTAB, {"hidden_function"});
  const std::string bytes = FileBytes(inner.Write()), packed = Packed(bytes);
  CHECK(NameWith(packed) == "hidden_function");
  for (size_t cut = 0; cut < packed.size(); cut += 7) CHECK(NameWith(packed.substr(0, cut)).empty());
  for (size_t at = 0; at < packed.size(); at += 3) {
    std::string spoiled = packed;
    spoiled[at] = static_cast<char>(spoiled[at] ^ 0x55);
    NameWith(spoiled);
  }
  CHECK(NameWith("nonsense").empty());
  CHECK(NameWith(Packed("no ELF file")).empty());
  CHECK(NameWith(Packed(std::string(100'000, '\0'))).empty());
}

TEST_CASE("what would fill the memory is left") {
  CHECK(NameWith(Packed(std::string((size_t{64} << 20) + 1, '\0'))).empty());
}

}  // namespace
}  // namespace geckoprof
