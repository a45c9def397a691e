#include "tools/symbols/elf_plt.h"

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {
namespace {

Elf64_Rela JumpSlot(uint32_t symbol) { return {0, ELF64_R_INFO(uint64_t{symbol}, R_X86_64_JUMP_SLOT), 0}; }

// A file with relocations for the symbols named, 1-based, and the linkage table's section of `plt_bytes`.
struct PltFile {
  PltFile(const std::vector<uint32_t>& relocated, const std::string& plt_name, size_t plt_bytes) {
    symbols = builder.AddSymbols(".dynsym", SHT_DYNSYM, {"memcpy", "_ZN3foo3barEi", "qsort@@GLIBC_2.2.5"});
    std::string relocations;
    for (const uint32_t symbol : relocated) relocations += BytesOf(JumpSlot(symbol));
    rela = builder.Add(".rela.plt", SHT_RELA, relocations, 0, symbols);
    plt = builder.Add(plt_name, SHT_PROGBITS, std::string(plt_bytes, '\xcc'), 0x2000);
  }
  std::vector<PltStub> Read() {
    const auto image = ElfImage::Open(builder.Write());
    REQUIRE(image.ok());
    return ReadPltStubs(**image);
  }
  ElfFileBuilder builder;
  uint32_t symbols, rela, plt;
};

TEST_CASE("stubs follow the table's header, one a relocation") {
  const std::vector<PltStub> stubs = PltFile({1, 2, 3}, ".plt", 64).Read();
  REQUIRE(stubs.size() == 3);
  CHECK(stubs[0].name == "memcpy@plt");
  CHECK(stubs[0].svma == 0x2010);
  CHECK(stubs[0].size_bytes == 16);
  CHECK(stubs[1].name == "foo::bar(int)@plt");
  CHECK(stubs[2].name == "qsort@plt");
  CHECK(stubs[2].svma == 0x2030);
  CHECK(PltFile({1, 2, 3}, ".plt", 32 + 48).Read()[0].svma == 0x2020);  // aarch64's header has 32 bytes
}

TEST_CASE("with a second table, its stubs begin at once") {
  const std::vector<PltStub> stubs = PltFile({3, 1}, ".plt.sec", 32).Read();
  REQUIRE(stubs.size() == 2);
  CHECK(stubs[0].name == "qsort@plt");
  CHECK(stubs[0].svma == 0x2000);
}

TEST_CASE("a table of another layout has no stubs") {
  CHECK(PltFile({1, 2, 3}, ".plt", 40).Read().empty());
  CHECK(PltFile({1, 2, 3}, ".plt", 48 + 48).Read().empty());
  CHECK(PltFile({1, 2, 3}, ".plt.sec", 64).Read().empty());
  CHECK(PltFile({1}, ".other", 64).Read().empty());
  CHECK(PltFile({}, ".plt", 16).Read().empty());
}

TEST_CASE("relocations that name nothing are left out, the others keep their places") {
  const std::vector<PltStub> stubs = PltFile({0, 4, 0xffffffff, 0x7fffffff, 2}, ".plt", 96).Read();
  REQUIRE(stubs.size() == 1);
  CHECK(stubs[0].name == "foo::bar(int)@plt");
  CHECK(stubs[0].svma == 0x2010 + 4 * 16);
}

TEST_CASE("a hostile linkage table has no stubs and reads nothing outside") {
  const auto spoil = GENERATE(0, 1, 2, 3, 4, 5, 6);
  PltFile file({1, 2, 3}, ".plt", 64);
  Elf64_Shdr& rela = file.builder.Section(file.rela);
  switch (spoil) {
    case 0:
      rela.sh_size = uint64_t{1} << 60;
      break;
    case 1:
      rela.sh_offset = uint64_t{1} << 40;
      break;
    case 2:
      rela.sh_link = 0xffffffff;
      break;
    case 3:
      rela.sh_link = file.plt;
      break;  // no symbols there
    case 4:
      rela.sh_type = SHT_PROGBITS;
      break;
    case 5:
      file.builder.Section(file.symbols).sh_link = 0xfffffff0;
      break;
    default:
      file.builder.Section(file.plt).sh_size = UINT64_MAX;
      break;
  }
  INFO("spoil " << spoil);
  CHECK(file.Read().empty());
}

TEST_CASE("names that end behind their section are left out") {
  PltFile file({1, 2, 3}, ".plt", 64);
  file.builder.Section(file.symbols - 1).sh_size = 3;  // the strings: "\0me"
  CHECK(file.Read().empty());
}

}  // namespace
}  // namespace geckoprof
