#include "tools/symbols/elf_image.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "tools/support/gzip_compress.h"
#include "tools/support/regular_file.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

// The vDSO is one or two pages; its headers tell how much of it is there.
constexpr size_t kMaxVdsoBytes = 64 * 1024;

constexpr std::string_view kPackedMark = "ZLIB";  // with which a .zdebug_* section begins

// Debug information unpacks to three to ten times its size. Small sections of zeros may have more.
constexpr uint64_t kMaxUnpackedShare = 64, kAlwaysUnpackedBytes = uint64_t{16} << 20;

// Returns the size that a section says it has after unpacking, or 0 if it is not compressed.
uint64_t UnpackedBytes(Elf_Scn* section, const GElf_Shdr& header, std::string_view name) {
  if (header.sh_type == SHT_NOBITS) return 0;
  GElf_Chdr packed;
  if ((header.sh_flags & SHF_COMPRESSED) != 0) return gelf_getchdr(section, &packed) != nullptr ? packed.ch_size : 0;
  if (!name.starts_with(".zdebug_")) return 0;
  const Elf_Data* data = elf_rawdata(section, nullptr);  // "ZLIB", and the size with its highest byte first
  if (data == nullptr || data->d_buf == nullptr || data->d_size < kPackedMark.size() + sizeof(uint64_t)) return 0;
  // Without the mark the section has been unpacked before.
  if (!std::string_view(static_cast<const char*>(data->d_buf), data->d_size).starts_with(kPackedMark)) return 0;
  const auto* bytes = static_cast<const uint8_t*>(data->d_buf) + kPackedMark.size();
  uint64_t size_bytes = 0;
  for (size_t i = 0; i < sizeof(size_bytes); ++i) size_bytes = size_bytes << 8 | bytes[i];
  return size_bytes;
}

absl::Status NotElf(const std::string& path) { return absl::InvalidArgumentError(Concat(path, " is not an ELF file")); }

}  // namespace

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::Open(const std::string& path) {
  const Fd file = OpenRegularFile(path);
  if (file.error() == EINVAL) return absl::InvalidArgumentError(Concat(path, " is not a regular file"));
  if (!file.ok()) return ErrnoStatus(file.error(), Concat("cannot open ", path));
  return OpenDescriptor(file, path);
}

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::OpenDescriptor(const Fd& file, const std::string& path) {
  if (elf_version(EV_CURRENT) == EV_NONE) return absl::InternalError("libelf is too old");
  std::unique_ptr<ElfImage> image(new ElfImage());
  image->path_ = path;
  image->file_ = Fd(fcntl(file.number(), F_DUPFD_CLOEXEC, 0));
  if (!image->file_.ok()) return ErrnoStatus(errno, Concat("cannot open ", path));
  struct stat status;
  if (fstat(image->file_.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(Concat(path, " is not a regular file"));
  }
  // Reading, not mapping: a file that shrinks meanwhile must give an error and not SIGBUS.
  image->elf_ = elf_begin(image->file_.number(), ELF_C_READ, nullptr);
  if (image->elf_ == nullptr || elf_kind(image->elf_) != ELF_K_ELF) return NotElf(path);
  // The table of sections is the last thing in a file. libelf shows one that is cut short as a file without sections.
  GElf_Ehdr header;
  if (gelf_getehdr(image->elf_, &header) == nullptr) return NotElf(path);
  const auto size_bytes = static_cast<uint64_t>(status.st_size);
  const uint64_t table_bytes = uint64_t{std::max<uint16_t>(header.e_shnum, 1)} * header.e_shentsize;
  if (header.e_shoff != 0 && (header.e_shoff > size_bytes || table_bytes > size_bytes - header.e_shoff)) {
    return absl::DataLossError(Concat(path, " is cut short: ", size_bytes, " bytes, without its table of sections"));
  }
  return image;
}

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::OwnVdso() {
  if (elf_version(EV_CURRENT) == EV_NONE) return absl::InternalError("libelf is too old");
  const auto* start = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (start == nullptr) return absl::NotFoundError("this process has no vDSO");
  ElfW(Ehdr) header;
  std::memcpy(&header, start, sizeof(header));
  const size_t size_bytes = std::max<size_t>(header.e_shoff + size_t{header.e_shnum} * header.e_shentsize,
                                             header.e_phoff + size_t{header.e_phnum} * header.e_phentsize);
  if (size_bytes > kMaxVdsoBytes) return absl::InternalError("this process's vDSO is unexpectedly large");
  return FromBytes(std::vector<char>(start, start + size_bytes));
}

absl::StatusOr<std::unique_ptr<ElfImage>> ElfImage::FromBytes(std::vector<char> bytes, const std::string& path) {
  if (elf_version(EV_CURRENT) == EV_NONE) return absl::InternalError("libelf is too old");
  std::unique_ptr<ElfImage> image(new ElfImage());
  image->path_ = path;
  image->copy_ = std::move(bytes);
  image->elf_ = elf_memory(image->copy_.data(), image->copy_.size());
  if (image->elf_ == nullptr || elf_kind(image->elf_) != ELF_K_ELF) return NotElf("memory");
  return image;
}

ElfImage::~ElfImage() {
  if (elf_ != nullptr) elf_end(elf_);
}

std::string ElfImage::BuildId() const {
  const void* bytes = nullptr;
  const ssize_t size_bytes = dwelf_elf_gnu_build_id(elf_, &bytes);
  return size_bytes > 0 ? std::string(static_cast<const char*>(bytes), static_cast<size_t>(size_bytes)) : std::string();
}

Elf_Scn* ElfImage::Section(const char* name) const {
  size_t names = 0;
  if (elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr; section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* found = elf_strptr(elf_, names, header.sh_name);
    if (found != nullptr && std::strcmp(found, name) == 0) return section;
  }
  return nullptr;
}

bool ElfImage::MayUnpackTo(uint64_t packed_bytes, uint64_t unpacked_bytes) {
  return unpacked_bytes <= kAlwaysUnpackedBytes || unpacked_bytes / kMaxUnpackedShare <= packed_bytes;
}

bool ElfImage::HasOversizedSection() const {
  size_t names = 0;
  uint64_t packed_bytes = 0, unpacked_bytes = 0;  // of all compressed sections
  if (elf_getshdrstrndx(elf_, &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr; section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf_, names, header.sh_name);
    const uint64_t unpacked = UnpackedBytes(section, header, name != nullptr ? name : "");
    if (unpacked == 0) continue;
    if (__builtin_add_overflow(packed_bytes, header.sh_size, &packed_bytes)) return true;
    if (__builtin_add_overflow(unpacked_bytes, unpacked, &unpacked_bytes)) return true;
    if (!MayUnpackTo(header.sh_size, unpacked)) return true;
  }
  return !MayUnpackTo(packed_bytes, unpacked_bytes);
}

std::span<const uint8_t> ElfImage::SectionBytes(const char* name) const {
  Elf_Scn* section = Section(name);
  const auto is_oversized = [](Elf_Scn* packed, std::string_view packed_name) {
    GElf_Shdr header;
    return gelf_getshdr(packed, &header) == nullptr ||
           !MayUnpackTo(header.sh_size, UnpackedBytes(packed, header, packed_name));
  };
  if (section != nullptr && is_oversized(section, name)) return {};
  if (section == nullptr && std::strncmp(name, ".debug_", 7) == 0) {
    const std::string old_name = std::string(".z") + (name + 1);  // GNU's older way to compress
    section = Section(old_name.c_str());
    if (section != nullptr && is_oversized(section, old_name)) return {};
    // It fails where the section has been unpacked before, by libdw or here: what is still packed says so.
    if (section != nullptr && elf_compress_gnu(section, 0, 0) < 0) {
      const Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr || data->d_buf == nullptr || data->d_size < kPackedMark.size() ||
          kPackedMark == std::string_view(static_cast<const char*>(data->d_buf), kPackedMark.size())) {
        return {};
      }
    }
  }
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) return {};
  if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(section, 0, 0) < 0) return {};
  const Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const uint8_t*>(data->d_buf), data->d_size};
}

bool ElfImage::HasDebugInfo() const {
  for (const char* name : {".debug_info", ".zdebug_info"}) {
    GElf_Shdr header;
    Elf_Scn* section = Section(name);
    if (section != nullptr && gelf_getshdr(section, &header) != nullptr && header.sh_type != SHT_NOBITS) return true;
  }
  return false;
}

bool ElfImage::HasSections() const {
  size_t count = 0;
  return elf_getshdrnum(elf_, &count) == 0 && count > 1;
}

uint64_t ElfImage::FirstMappedSvma() const {
  constexpr uint64_t kPageBytes = 4096;
  size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type == PT_LOAD) return header.p_vaddr & ~(kPageBytes - 1);
  }
  return 0;
}

int ElfImage::Machine() const {
  GElf_Ehdr header;
  return gelf_getehdr(elf_, &header) != nullptr ? header.e_machine : EM_NONE;
}

std::optional<GElf_Phdr> ElfImage::ProgramHeader(uint32_t type) const {
  size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return std::nullopt;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type == type) return header;
  }
  return std::nullopt;
}

std::vector<uint8_t> ElfImage::Loaded(uint64_t svma, uint64_t size_bytes, bool only_code) const {
  size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type != PT_LOAD || (only_code && (header.p_flags & PF_X) == 0)) continue;
    if (svma < header.p_vaddr || svma - header.p_vaddr >= header.p_filesz) continue;
    const uint64_t skipped = svma - header.p_vaddr, wanted = std::min(size_bytes, header.p_filesz - skipped);
    if (header.p_offset > INT64_MAX - skipped) return {};
    // Past the file's end libelf gives nothing.
    const Elf_Data* data =
        elf_getdata_rawchunk(elf_, static_cast<int64_t>(header.p_offset + skipped), wanted, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) return {};
    const auto* bytes = static_cast<const uint8_t*>(data->d_buf);
    return {bytes, bytes + data->d_size};
  }
  return {};
}

ElfImage::Link ElfImage::DebugLink() const {
  GElf_Word crc = 0;
  const char* name = dwelf_elf_gnu_debuglink(elf_, &crc);
  return name != nullptr ? Link{name, crc} : Link{};
}

bool ElfImage::HasCrc(uint32_t crc) const {
  std::vector<char> chunk(size_t{1} << 20);
  uint32_t sum = 0;
  for (off_t at = 0;;) {
    const ssize_t got = pread(file_.number(), chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return sum == crc;
    sum = Crc32(sum, {chunk.data(), static_cast<size_t>(got)});
    at += got;
  }
}

namespace {

constexpr uint32_t kZstd = 2;                              // ELFCOMPRESS_ZSTD, which elf.h of glibc 2.36 lacks
constexpr uint64_t kMaxSectionsBytes = uint64_t{8} << 30;  // of all sections together
constexpr size_t kFirstGrowth = 4, kDataAlignment = 16;    // how much more room than packed bytes to begin with

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
  out->resize((out->size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment);
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
  bytes.resize((bytes.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment);
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
