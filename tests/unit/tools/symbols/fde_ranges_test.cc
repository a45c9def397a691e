#include "tools/symbols/fde_ranges.h"

#include <dwarf.h>

#include <catch2/catch.hpp>

#include "tests/unit/tools/symbols/elf_file_builder.h"

namespace geckoprof {
namespace {

constexpr uint64_t kSectionSvma = 0x4000;

// The bytes of an .eh_frame, entry by entry.
class EhFrameBytes {
 public:
  // A CIE with these augmentation letters and data; returns its offset.
  size_t Cie(const std::string& letters, const std::string& data) {
    std::string body = BytesOf(uint32_t{0}) + '\x01' + letters + '\0' + "\x01\x78\x10";
    if (letters.starts_with("z")) body += static_cast<char>(data.size()) + data;
    return Entry(body);
  }
  // An FDE of the CIE at `cie`: `fields` are its address and length.
  size_t Fde(size_t cie, const std::string& fields) {
    const uint32_t back = static_cast<uint32_t>(bytes_.size() + 4 - cie);
    return Entry(BytesOf(back) + fields + '\0');
  }
  // The usual kind: address relative to its own place, 4 bytes each.
  size_t RelativeFde(size_t cie, uint64_t start_svma, uint32_t length) {
    const uint64_t place = kSectionSvma + bytes_.size() + 8;
    return Fde(cie, BytesOf(static_cast<int32_t>(start_svma - place)) + BytesOf(length));
  }
  size_t Raw(const std::string& bytes) {
    bytes_ += bytes;
    return bytes_.size() - bytes.size();
  }
  std::string& bytes() { return bytes_; }

  std::vector<FdeRange> Read(uint32_t type = SHT_PROGBITS) {
    ElfFileBuilder file;
    file.Add(".eh_frame", type, bytes_, kSectionSvma);
    const auto image = ElfImage::Open(file.Write());
    REQUIRE(image.ok());
    return ReadFdeRanges(**image);
  }

 private:
  size_t Entry(std::string body) {
    while (body.size() % 4 != 0) body.push_back('\0');
    return Raw(BytesOf(static_cast<uint32_t>(body.size())) + body);
  }
  std::string bytes_;
};

const std::string kRelative(1, static_cast<char>(DW_EH_PE_pcrel | DW_EH_PE_sdata4));

TEST_CASE("functions' bounds, sorted by start") {
  EhFrameBytes frames;
  const size_t cie = frames.Cie("zR", kRelative);
  frames.RelativeFde(cie, 0x3000, 0x20);
  frames.RelativeFde(cie, 0x1000, 0x80);
  frames.RelativeFde(cie, 0x8000, 0x10);  // above the section
  const std::vector<FdeRange> ranges = frames.Read();
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].start_svma == 0x1000);
  CHECK(ranges[0].end_svma == 0x1080);
  CHECK(ranges[1].start_svma == 0x3000);
  CHECK(ranges[2].end_svma == 0x8010);
}

TEST_CASE("each CIE says how its FDEs write addresses") {
  EhFrameBytes frames;
  const size_t absolute = frames.Cie("", "");
  // A personality (4 bytes) and a language-specific encoding stand before the addresses' own.
  const size_t personality = frames.Cie("zPLR", std::string("\x1b\0\0\0\0\x1b", 6) + kRelative);
  const size_t small = frames.Cie("zR", std::string(1, DW_EH_PE_udata2));
  const size_t signal = frames.Cie("zRS", kRelative);
  frames.Fde(absolute, BytesOf(uint64_t{0x5000}) + BytesOf(uint64_t{0x100}));
  frames.RelativeFde(personality, 0x6000, 0x10);
  frames.Fde(small, BytesOf(uint16_t{0x7000}) + BytesOf(uint16_t{0x8000}));
  frames.RelativeFde(signal, 0x9000, 9);
  const std::vector<FdeRange> ranges = frames.Read();
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0].start_svma == 0x5000);
  CHECK(ranges[1].start_svma == 0x6000);
  CHECK(ranges[2].end_svma == 0xf000);  // a length has no sign
  CHECK(ranges[3].end_svma == 0x9009);
}

TEST_CASE("entries that cannot be understood are left out, the others are read") {
  EhFrameBytes frames;
  const size_t good = frames.Cie("zR", kRelative);
  const size_t unknown_letter = frames.Cie("zQR", kRelative);
  const size_t data_relative = frames.Cie("zR", std::string(1, DW_EH_PE_datarel | DW_EH_PE_sdata4));
  const size_t no_data = frames.Cie("zR", "");
  const size_t personality_cut = frames.Cie("zPR", std::string("\x1c\0\0", 3));
  const size_t variable = frames.Cie("zR", std::string(1, DW_EH_PE_uleb128));
  for (const size_t cie : {unknown_letter, data_relative, no_data, personality_cut, variable}) {
    frames.RelativeFde(cie, 0x2000, 0x10);
  }
  frames.RelativeFde(good, 0x2000, 0);  // no length
  frames.Fde(good, "\x01");             // no room for two fields
  frames.RelativeFde(good, 0x1000, 0x10);
  const size_t absolute = frames.Cie("", "");
  frames.Fde(absolute, BytesOf(UINT64_MAX - 4) + BytesOf(uint64_t{100}));  // wraps around
  frames.Fde(absolute, BytesOf(uint64_t{0}) + BytesOf(uint64_t{100}));     // removed by the linker
  const std::vector<FdeRange> ranges = frames.Read();
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].start_svma == 0x1000);
}

TEST_CASE("overlapping ranges are all kept") {
  EhFrameBytes frames;
  const size_t cie = frames.Cie("zR", kRelative);
  frames.RelativeFde(cie, 0x1000, 0x1000);
  frames.RelativeFde(cie, 0x1010, 0x10);
  frames.RelativeFde(cie, 0x1000, 0x1000);
  CHECK(frames.Read().size() == 3);
}

TEST_CASE("an FDE whose CIE is elsewhere has no bounds") {
  EhFrameBytes frames;
  const size_t cie = frames.Cie("zR", kRelative);
  const size_t fde = frames.RelativeFde(cie, 0x1000, 0x10);
  const auto back = GENERATE(uint32_t{0x7fffffff}, uint32_t{0xfffffff0}, uint32_t{1}, uint32_t{4});
  frames.bytes().replace(fde + 4, 4, BytesOf(back));
  CHECK(frames.Read().empty());
}

TEST_CASE("lengths that run out of the section end the walk") {
  EhFrameBytes frames;
  const size_t cie = frames.Cie("zR", kRelative);
  frames.RelativeFde(cie, 0x1000, 0x10);
  const size_t last = frames.RelativeFde(cie, 0x2000, 0x10);
  const auto length = GENERATE(std::string("\xff\xff\xff\x7f", 4), std::string("\xff\xff\xff\xff", 4),
                               std::string(4, '\0'), std::string("\x01\0\0\0", 4), BytesOf(uint32_t{64}));
  frames.bytes().replace(last, 4, length);
  const std::vector<FdeRange> ranges = frames.Read();
  REQUIRE(ranges.size() <= 1);
  if (!ranges.empty()) CHECK(ranges[0].start_svma == 0x1000);
}

TEST_CASE("a section cut off anywhere gives what is whole before the cut") {
  EhFrameBytes frames;
  const size_t cie = frames.Cie("zPLR", std::string("\x1b\0\0\0\0\x1b", 6) + kRelative);
  for (uint64_t i = 0; i < 8; ++i) frames.RelativeFde(cie, 0x1000 + 16 * i, 16);
  const std::string whole = frames.bytes();
  size_t last = 0;
  for (size_t size = 0; size <= whole.size(); ++size) {
    frames.bytes() = whole.substr(0, size);
    const size_t count = frames.Read().size();
    CHECK(count >= last);
    CHECK(count <= 8);
    last = count;
  }
  CHECK(last == 8);
}

TEST_CASE("files in which there is nothing to read") {
  EhFrameBytes frames;
  frames.RelativeFde(frames.Cie("zR", kRelative), 0x1000, 0x10);
  CHECK(frames.Read(SHT_NOBITS).empty());
  ElfFileBuilder none;
  CHECK(ReadFdeRanges(**ElfImage::Open(none.Write())).empty());
  ElfFileBuilder outside;
  outside.Section(outside.Add(".eh_frame", SHT_PROGBITS, frames.bytes(), kSectionSvma)).sh_size = uint64_t{1} << 50;
  CHECK(ReadFdeRanges(**ElfImage::Open(outside.Write())).empty());
  ElfFileBuilder foreign;  // bytes in the other order
  foreign.Header().e_ident[EI_DATA] = ELFDATA2MSB;
  foreign.Add(".eh_frame", SHT_PROGBITS, frames.bytes(), kSectionSvma);
  const auto image = ElfImage::Open(foreign.Write());
  if (image.ok()) CHECK(ReadFdeRanges(**image).empty());
}

}  // namespace
}  // namespace geckoprof
