#include "tools/symbols/unpacked_image.h"

#include <elf.h>
#include <gelf.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"

namespace geckoprof {
namespace {

constexpr uint32_t kZstd = 2;                              // ELFCOMPRESS_ZSTD, which elf.h of glibc 2.36 lacks
constexpr uint64_t kMaxSectionsBytes = uint64_t{8} << 30;  // of all sections together
constexpr size_t kFirstGrowth = 4, kAlignment = 16;        // how much more room than packed bytes to begin with

std::span<const uint8_t> RawBytes(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const uint8_t*>(data->d_buf), data->d_size};
}

// Returns the header of a section that is compressed with zstd, or nothing for any other section.
std::optional<Elf64_Chdr> ZstdHeader(Elf_Scn* section, const GElf_Shdr& header) {
  if ((header.sh_flags & SHF_COMPRESSED) == 0 || header.sh_type == SHT_NOBITS) return std::nullopt;
  const std::span<const uint8_t> bytes = RawBytes(section);
  Elf64_Chdr packed;
  if (bytes.size() < sizeof(packed)) return std::nullopt;
  std::memcpy(&packed, bytes.data(), sizeof(packed));
  if (packed.ch_type != kZstd) return std::nullopt;
  return packed;
}

bool HasZstd(const ElfImage& image) {
  GElf_Ehdr file;
  if (gelf_getehdr(image.elf(), &file) == nullptr || file.e_ident[EI_CLASS] != ELFCLASS64 ||
      file.e_ident[EI_DATA] != ELFDATA2LSB) {
    return false;
  }
  for (Elf_Scn* section = elf_nextscn(image.elf(), nullptr); section != nullptr;
       section = elf_nextscn(image.elf(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr && ZstdHeader(section, header).has_value()) return true;
  }
  return false;
}

// Appends what the frames of `packed` hold. Returns false, and leaves `out` as it is, if that is
// not exactly `size_bytes`.
bool AppendUnpacked(std::span<const uint8_t> packed, uint64_t size_bytes, std::vector<char>* out) {
  const size_t begin = out->size();
  if (!ElfImage::MayUnpackTo(packed.size(), size_bytes)) return false;
  if (size_bytes > kMaxSectionsBytes - std::min<uint64_t>(kMaxSectionsBytes, begin)) return false;
  ZSTD_DStream* const stream = ZSTD_createDStream();
  if (stream == nullptr) return false;
  const auto free_stream = absl::MakeCleanup([stream] { ZSTD_freeDStream(stream); });
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  size_t done = 0, room = 0, rest = 1;
  while (rest != 0 || in.pos < in.size) {
    if (done == room && room < size_bytes) {
      room = std::min<uint64_t>(std::max(2 * room, kFirstGrowth * packed.size()), size_bytes);
      out->resize(begin + room);
    }
    ZSTD_outBuffer place = {out->data() + begin, room, done};
    const size_t read_before = in.pos;
    rest = ZSTD_decompressStream(stream, &place, &in);
    const bool has_moved = in.pos != read_before || place.pos != done;
    done = place.pos;
    if (ZSTD_isError(rest) != 0 || !has_moved) break;
  }
  const bool is_whole = done == size_bytes && rest == 0;
  out->resize(is_whole ? begin + done : begin);
  return is_whole;
}

// Appends the bytes of a section as they are to be in the copy, and changes its header to fit.
void AppendSection(Elf_Scn* section, Elf64_Shdr* header, std::vector<char>* out) {
  out->resize((out->size() + kAlignment - 1) / kAlignment * kAlignment);
  const uint64_t offset = out->size();
  const std::span<const uint8_t> bytes = RawBytes(section);
  bool is_there = false;
  if (const std::optional<Elf64_Chdr> packed = ZstdHeader(section, *header)) {
    is_there = AppendUnpacked(bytes.subspan(sizeof(Elf64_Chdr)), packed->ch_size, out);
    header->sh_flags &= ~uint64_t{SHF_COMPRESSED};
    header->sh_addralign = packed->ch_addralign;
  } else if (header->sh_type != SHT_NOBITS && (header->sh_flags & SHF_ALLOC) == 0) {
    is_there = bytes.size() <= kMaxSectionsBytes - std::min<uint64_t>(kMaxSectionsBytes, offset);
    if (is_there) out->insert(out->end(), bytes.begin(), bytes.end());
  }
  header->sh_offset = offset;
  if (is_there) {
    header->sh_size = out->size() - offset;
  } else {
    header->sh_type = SHT_NOBITS;
  }
}

}  // namespace

std::unique_ptr<ElfImage> WithUnpackedSections(std::unique_ptr<ElfImage> image) {
  if (!HasZstd(*image)) return image;
  Elf64_Ehdr file;
  size_t count = 0, names = 0;
  GElf_Ehdr read;
  if (gelf_getehdr(image->elf(), &read) == nullptr || elf_getshdrnum(image->elf(), &count) != 0 ||
      elf_getshdrstrndx(image->elf(), &names) != 0 || count >= SHN_LORESERVE) {
    return image;
  }
  static_assert(sizeof(GElf_Ehdr) == sizeof(Elf64_Ehdr) && sizeof(GElf_Shdr) == sizeof(Elf64_Shdr));
  std::memcpy(&file, &read, sizeof(file));
  std::vector<Elf64_Shdr> headers(count);
  std::vector<char> bytes(sizeof(file));
  for (size_t i = 1; i < count; ++i) {
    Elf_Scn* const section = elf_getscn(image->elf(), i);
    GElf_Shdr header;
    if (section == nullptr || gelf_getshdr(section, &header) == nullptr) continue;
    std::memcpy(&headers[i], &header, sizeof(header));
    AppendSection(section, &headers[i], &bytes);
  }
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  file.e_phoff = 0;
  file.e_phnum = 0;
  file.e_shoff = bytes.size();
  file.e_shnum = static_cast<uint16_t>(count);
  file.e_shstrndx = static_cast<uint16_t>(names);
  std::memcpy(bytes.data(), &file, sizeof(file));
  const auto* const table = reinterpret_cast<const char*>(headers.data());
  bytes.insert(bytes.end(), table, table + headers.size() * sizeof(Elf64_Shdr));
  absl::StatusOr<std::unique_ptr<ElfImage>> copy = ElfImage::FromBytes(std::move(bytes), image->path());
  return copy.ok() ? *std::move(copy) : std::move(image);
}

}  // namespace geckoprof
