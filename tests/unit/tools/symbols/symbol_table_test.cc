#include "tools/symbols/symbol_table.h"

#include <dlfcn.h>
#include <link.h>
#include <lzma.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"

extern "C" __attribute__((noinline, used)) int GeckoprofKnownFunction(int x) { return x * 3 + 1; }

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
    Demangler demangler;
    return ReadPltStubs(**image, &demangler);
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

uint64_t SvmaOf(const void* address, std::string* path = nullptr) {
  Dl_info info = {};
  link_map* map = nullptr;
  REQUIRE(dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0);
  if (path != nullptr) *path = info.dli_fname;
  return reinterpret_cast<uint64_t>(address) - map->l_addr;
}

TEST_CASE("the function that covers an address of this program") {
  const auto image = ElfImage::Open("/proc/self/exe");
  REQUIRE(image.ok());
  SymbolTable table(**image, nullptr);
  const uint64_t svma = SvmaOf(reinterpret_cast<const void*>(&GeckoprofKnownFunction));
  const auto function = table.Find(svma + 1);
  REQUIRE(function.has_value());
  CHECK(function->name == "GeckoprofKnownFunction");
  CHECK(function->start_svma == svma);
  CHECK(function->size_bytes > 1);
  CHECK_FALSE(table.Find(1).has_value());
  CHECK_FALSE(table.Find(UINT64_MAX).has_value());
}

TEST_CASE("exported names of a stripped library, and bounds from its unwind data") {
  std::string path;
  const uint64_t svma = SvmaOf(dlsym(RTLD_DEFAULT, "qsort"), &path);
  const auto image = ElfImage::Open(path);
  REQUIRE(image.ok());
  SymbolTable table(**image, nullptr);
  const auto function = table.Find(svma);
  REQUIRE(function.has_value());
  CHECK(function->name == "qsort");
  // Every address of a large library's code has some name: walk over the function and look behind it.
  int named = 0;
  for (uint64_t at = svma; at < svma + 4096; at += 16) named += table.Find(at).has_value() ? 1 : 0;
  CHECK(named > 200);
}

TEST_CASE("of an exported function's versions the one that programs are linked with today gives the name") {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  REQUIRE(libc != nullptr);
  std::string path;
  const uint64_t svma = SvmaOf(dlsym(libc, "free"), &path);  // on x86-64 cfree@GLIBC_2.2.5, too
  const auto image = ElfImage::Open(path);
  REQUIRE(image.ok());
  const auto function = SymbolTable(**image, nullptr).Find(svma);
  REQUIRE(function.has_value());
  CHECK(function->name == "free");
}

TEST_CASE("the vDSO's functions come from this process's own") {
  const auto image = ElfImage::OwnVdso();
  REQUIRE(image.ok());
  const SymbolTable table(**image, nullptr);
  CHECK(table.symbol_count() > 0);
}

TEST_CASE("names that share one long string do not take room without end") {
  ElfFileBuilder file;
  const uint32_t symbols = file.AddSymbols(".symtab", SHT_SYMTAB, {std::string(100'000, 'x'), "short"});
  {
    const auto image = ElfImage::Open(file.Write());
    REQUIRE(image.ok());
    SymbolTable table(**image, nullptr);
    CHECK(table.symbol_count() == 1);
    CHECK(table.Find(0x1010)->name == "short");
  }
  file.Section(symbols - 1).sh_size = 100'000;  // the strings have no end any more
  const auto image = ElfImage::Open(file.Write());
  if (image.ok()) CHECK(SymbolTable(**image, nullptr).symbol_count() == 0);
}

TEST_CASE("a stripped file's names come from its debug file") {
  ElfFileBuilder stripped, debug;
  stripped.Add(".text", SHT_PROGBITS, "code");
  debug.AddSymbols(".symtab", SHT_SYMTAB, {"from_debug_file"});
  const auto image = ElfImage::Open(stripped.Write()), other = ElfImage::Open(debug.Write());
  REQUIRE((image.ok() && other.ok()));
  CHECK_FALSE(SymbolTable(**image, nullptr).Find(0x1000).has_value());
  CHECK(SymbolTable(**image, other->get()).Find(0x1000)->name == "from_debug_file");
}

TEST_CASE("of a function's names the one that people know is told") {
  struct Alias {
    const char* name;
    int binding, type;
    uint64_t size_bytes;
  };
  // The better one comes last, though not by the alphabet.
  for (const auto& [other, known] : std::vector<std::pair<Alias, Alias>>{
           {{"a_local", STB_LOCAL, STT_FUNC, 16}, {"b_weak", STB_WEAK, STT_FUNC, 16}},
           {{"a_old@V1", STB_GLOBAL, STT_FUNC, 16}, {"b_new@@V2", STB_WEAK, STT_FUNC, 16}},
           {{"a_local", STB_LOCAL, STT_FUNC, 16}, {"b_old@V1", STB_GLOBAL, STT_FUNC, 16}},
           {{"a_weak", STB_WEAK, STT_FUNC, 16}, {"b_global", STB_GLOBAL, STT_FUNC, 16}},
           {{"a_without_size", STB_GLOBAL, STT_FUNC, 0}, {"b_local", STB_LOCAL, STT_FUNC, 16}},
           {{"a_label", STB_GLOBAL, STT_NOTYPE, 16}, {"b_function", STB_LOCAL, STT_FUNC, 16}},
           {{"__a_inner", STB_GLOBAL, STT_FUNC, 16}, {"b_plain", STB_WEAK, STT_FUNC, 16}}}) {
    INFO(known.name);
    ElfFileBuilder file;
    const uint32_t text = file.Add(".text", SHT_PROGBITS, std::string(0x100, 'c'), 0x1000);
    file.Section(text).sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    std::string names(1, '\0'), symbols = BytesOf(Elf64_Sym{});
    for (const Alias& alias : {other, known}) {
      Elf64_Sym symbol = {};
      symbol.st_name = static_cast<uint32_t>(names.size());
      symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(alias.binding, alias.type));
      symbol.st_shndx = static_cast<uint16_t>(text);
      symbol.st_value = 0x1000;
      symbol.st_size = alias.size_bytes;
      symbols += BytesOf(symbol);
      names.append(alias.name).push_back('\0');
    }
    const uint32_t link = file.Add(".strtab", SHT_STRTAB, names);
    file.Add(".symtab", SHT_SYMTAB, symbols, 0, link);
    const auto image = ElfImage::Open(file.Write());
    REQUIRE(image.ok());
    const std::string_view name = known.name;
    CHECK(SymbolTable(**image, nullptr).Find(0x1000)->name == name.substr(0, name.find('@')));
  }
}

TEST_CASE("stubs that lead into other libraries have their functions' names") {
  ElfFileBuilder file;
  const uint32_t symbols = file.AddSymbols(".dynsym", SHT_DYNSYM, {"memcpy"});
  const Elf64_Rela relocation = {0, ELF64_R_INFO(uint64_t{1}, R_X86_64_JUMP_SLOT), 0};
  file.Add(".rela.plt", SHT_RELA, BytesOf(relocation), 0, symbols);
  file.Add(".plt.sec", SHT_PROGBITS, std::string(16, '\xcc'), 0x2000);
  const auto image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  SymbolTable table(**image, nullptr);
  const auto stub = table.Find(0x2008);
  REQUIRE(stub.has_value());
  CHECK(stub->name == "memcpy@plt");
  CHECK(stub->start_svma == 0x2000);
}

TEST_CASE("a symbol without a size goes up to the next one of its section") {
  ElfFileBuilder file;
  const uint32_t text = file.Add(".text", SHT_PROGBITS, std::string(0x100, 'c'), 0x1000);
  file.Section(text).sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  std::string names(1, '\0'), symbols = BytesOf(Elf64_Sym{});
  const auto add = [&](std::string_view name, int type, uint64_t svma, uint64_t size_bytes) {
    Elf64_Sym symbol = {};
    symbol.st_name = static_cast<uint32_t>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, type);
    symbol.st_shndx = static_cast<uint16_t>(text);
    symbol.st_value = svma;
    symbol.st_size = size_bytes;
    symbols += BytesOf(symbol);
    names.append(name).push_back('\0');
  };
  add("of_assembly", STT_FUNC, 0x1000, 0);
  add("plain_label", STT_NOTYPE, 0x1020, 0);
  add("compiled", STT_FUNC, 0x1040, 0x20);
  add("inner_label", STT_NOTYPE, 0x1048, 0);
  add("last", STT_NOTYPE, 0x1080, 0);
  const uint32_t link = file.Add(".strtab", SHT_STRTAB, names);
  file.Add(".symtab", SHT_SYMTAB, symbols, 0, link);
  const auto image = ElfImage::Open(file.Write());
  REQUIRE(image.ok());
  SymbolTable table(**image, nullptr);
  const auto name_at = [&](uint64_t svma) {
    const auto function = table.Find(svma);
    return function.has_value() ? function->name : "";
  };
  CHECK(name_at(0x101f) == "of_assembly");
  CHECK(table.Find(0x1010)->size_bytes == 0x20);
  CHECK(name_at(0x1020) == "plain_label");
  CHECK(name_at(0x103f) == "plain_label");
  CHECK(name_at(0x105f) == "compiled");  // a label in a function is none
  CHECK(name_at(0x10ff) == "last");
  CHECK(name_at(0x1100).empty());  // behind the section
  CHECK(name_at(0xfff).empty());
}

TEST_CASE("broken files give an error or nothing, and no crash") {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string bytes(200'000, '\0');
  self.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  uint32_t random = 12345;
  for (int round = 0; round < 60; ++round) {
    std::string broken = bytes.substr(0, 100 + static_cast<size_t>(round) * 3'000);
    for (int i = 0; i < 40; ++i) {
      random = random * 1664525 + 1013904223;
      broken[16 + (random >> 8) % (i < 20 ? 48 : broken.size() - 16)] = static_cast<char>(random);
    }
    char path[] = "/tmp/symbol_table_test.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, broken.data(), broken.size()) == static_cast<ssize_t>(broken.size()));
    close(fd);
    const auto image = ElfImage::Open(path);
    if (image.ok()) SymbolTable(**image, nullptr).Find(0x1000);
    unlink(path);
  }
}

}  // namespace
}  // namespace geckoprof
