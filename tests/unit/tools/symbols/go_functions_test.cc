#include "tools/symbols/go_functions.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/tools/symbols/debug_info_sample.h"
#include "tests/unit/tools/symbols/elf_file_builder.h"
#include "tools/symbols/symbol_table.h"

namespace geckoprof {
namespace {

constexpr uint64_t kText = 0x401000, kTableSvma = 0x500000;
const std::vector<std::string> kNames = {"runtime.text", "main.main", "main.(*Server).handle"};

template <typename Number>
void Put(std::string* bytes, uint64_t number) {
  *bytes += BytesOf(static_cast<Number>(number));
}

// Names, a table of functions of 64 bytes each, and their records.
struct Parts {
  std::string names, functions, records;
};

template <typename Address>
Parts MakeParts(uint64_t base, uint64_t records_at) {
  Parts parts;
  std::vector<uint64_t> offsets;
  for (const std::string& name : kNames) {
    offsets.push_back(parts.names.size());
    parts.names += name + '\0';
  }
  for (size_t i = 0; i < kNames.size(); ++i) {
    Put<Address>(&parts.functions, base + 64 * i);
    Put<Address>(&parts.functions, records_at + parts.records.size());
    Put<Address>(&parts.records, base + 64 * i);
    Put<uint32_t>(&parts.records, offsets[i]);
    parts.records += std::string(32, '\0');
  }
  Put<Address>(&parts.functions, base + 64 * kNames.size());
  return parts;
}

std::string Head(uint32_t magic) {
  std::string bytes;
  Put<uint32_t>(&bytes, magic);
  return bytes + std::string("\0\0\1\10", 4);
}

// From Go 1.16 on. `text`: what the header says of the first function's address.
std::string Table(uint32_t magic, uint64_t text = kText) {
  const bool has_offsets = magic != 0xfffffffa;
  std::string bytes = Head(magic);
  Put<uint64_t>(&bytes, kNames.size());
  Put<uint64_t>(&bytes, 1);
  if (has_offsets) Put<uint64_t>(&bytes, text);
  const uint64_t names_at = bytes.size() + 5 * 8;
  constexpr size_t kRoom = 64;
  const auto functions_bytes = (2 * kNames.size() + 1) * (has_offsets ? 4 : 8);
  const Parts parts =
      has_offsets ? MakeParts<uint32_t>(0, functions_bytes) : MakeParts<uint64_t>(kText, functions_bytes);
  for (const uint64_t offset : {names_at, uint64_t{0}, uint64_t{0}, uint64_t{0}, names_at + kRoom}) {
    Put<uint64_t>(&bytes, offset);
  }
  REQUIRE(parts.names.size() <= kRoom);
  return bytes + parts.names + std::string(kRoom - parts.names.size(), '\0') + parts.functions + parts.records;
}

std::string OldTable() {
  std::string bytes = Head(0xfffffffb);
  Put<uint64_t>(&bytes, kNames.size());
  const uint64_t records_at = bytes.size() + (2 * kNames.size() + 1) * 8;
  Parts parts = MakeParts<uint64_t>(kText, records_at);
  // Names are counted from the begin of the table.
  const uint64_t names_at = records_at + parts.records.size();
  for (size_t i = 0; i < kNames.size(); ++i) {
    uint32_t offset;
    char* const place = parts.records.data() + i * 44 + 8;
    std::memcpy(&offset, place, sizeof(offset));
    offset += static_cast<uint32_t>(names_at);
    std::memcpy(place, &offset, sizeof(offset));
  }
  return bytes + parts.functions + parts.records + parts.names;
}

std::vector<GoFunction> Read(const std::string& table, const char* section = ".gopclntab", bool has_sections = true) {
  ElfFileBuilder file;
  // The program headers come first, so that their place is known: one of code, one with the table.
  constexpr uint64_t kHeadersAt = sizeof(Elf64_Ehdr);
  Elf64_Phdr code = {}, data = {};
  code.p_type = data.p_type = PT_LOAD;
  code.p_flags = PF_R | PF_X;
  code.p_vaddr = kText;
  code.p_memsz = code.p_filesz = 64;
  code.p_memsz = 1000;
  data.p_flags = PF_R;
  data.p_offset = kHeadersAt + 2 * sizeof(Elf64_Phdr);
  data.p_vaddr = kTableSvma;
  data.p_filesz = data.p_memsz = table.size();
  file.Add(".headers", SHT_PROGBITS, BytesOf(code) + BytesOf(data));
  file.Add(section, SHT_PROGBITS, table, kTableSvma);
  file.Add(".text", SHT_PROGBITS, "", kText);
  file.Header().e_phoff = kHeadersAt;
  file.Header().e_phnum = 2;
  file.Header().e_phentsize = sizeof(Elf64_Phdr);
  const std::string path = file.Write();
  if (!has_sections) {
    std::string bytes = FileBytes(path);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.e_shoff = 0;
    header.e_shnum = header.e_shstrndx = 0;
    WriteBytes(path, bytes.replace(0, sizeof(header), BytesOf(header)));
  }
  const auto image = ElfImage::Open(path);
  return image.ok() ? ReadGoFunctions(**image) : std::vector<GoFunction>();
}

void CheckAll(const std::vector<GoFunction>& functions) {
  REQUIRE(functions.size() == kNames.size());
  for (size_t i = 0; i < kNames.size(); ++i) {
    CHECK(functions[i].name == kNames[i]);
    CHECK(functions[i].start_svma == kText + 64 * i);
    CHECK(functions[i].size_bytes == 64);
  }
}

TEST_CASE("Go functions of every known format are found") {
  CheckAll(Read(Table(0xfffffff1)));
  CheckAll(Read(Table(0xfffffff0)));
  CheckAll(Read(Table(0xfffffffa)));
  CheckAll(Read(OldTable()));
  CheckAll(Read(Table(0xfffffff1), ".data.rel.ro.gopclntab"));
  CheckAll(Read(Table(0xfffffff1, 0)));  // .text tells where it begins
  CheckAll(Read(Table(0xfffffff1), ".gopclntab", /*has_sections=*/false));
  CHECK(Read(Table(0xfffffff5)).empty());
  CHECK(Read(Table(0xfffffff1), ".other").empty());
}

TEST_CASE("tables that lie give no function outside of the code") {
  CHECK(Read("").empty());
  CHECK(Read(Table(0xfffffff1, 0x1000)).empty());
  CHECK(Read(Table(0xfffffff1, UINT64_MAX - 10)).empty());
  for (const std::string& table : {Table(0xfffffff1), Table(0xfffffffa), OldTable()}) {
    for (size_t cut = 0; cut < table.size(); ++cut) Read(table.substr(0, cut));
    for (size_t at = 0; at < table.size(); ++at) {
      for (const int change : {0x01, 0x40, 0xff}) {
        std::string spoiled = table;
        spoiled[at] = static_cast<char>(spoiled[at] ^ change);
        uint64_t end = 0;
        for (const GoFunction& function : Read(spoiled)) {
          CHECK(function.start_svma >= std::max(end, kText));
          end = function.start_svma + function.size_bytes;
          CHECK(end <= kText + 1000);
        }
      }
    }
  }
}

TEST_CASE("a stripped Go program has names") {
  DebugInfoSample sample;
  if (!DebugInfoSample::HasTool("go")) {
    WARN("no Go compiler");
    return;
  }
  WriteBytes(
      sample.folder() + "/main.go",
      "package main\nimport \"os\"\n//go:noinline\nfunc spin(n int) int { s := 0; for i := 0; i < n; i++ { s += i "
      "* i }; return s }\nfunc main() { os.Exit(spin(len(os.Args)) & 1) }\n");
  const std::string mode = GENERATE("exe", "pie");
  REQUIRE(sample.Run("GOCACHE=$PWD/cache CGO_ENABLED=0 GO111MODULE=off go build -buildmode=" + mode +
                     " -ldflags='-s -w' -o program main.go"));
  const auto image = ElfImage::Open(sample.folder() + "/program");
  REQUIRE(image.ok());
  SymbolTable table(**image, nullptr);
  const std::vector<GoFunction> functions = ReadGoFunctions(**image);
  CHECK(functions.size() > 1000);
  const auto spin = std::find_if(functions.begin(), functions.end(),
                                 [](const GoFunction& function) { return function.name == "main.spin"; });
  REQUIRE(spin != functions.end());
  const auto found = table.Find(spin->start_svma + spin->size_bytes / 2);
  REQUIRE(found.has_value());
  CHECK(found->name == "main.spin");
  // The first instructions of the function are at the address that the table says.
  CHECK((*image)->Code(spin->start_svma, 4).size() == 4);
}

}  // namespace
}  // namespace geckoprof
