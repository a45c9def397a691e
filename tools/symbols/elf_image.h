#ifndef GECKOPROF_TOOLS_SYMBOLS_ELF_IMAGE_H_
#define GECKOPROF_TOOLS_SYMBOLS_ELF_IMAGE_H_

#include <gelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// Many symbols may point into one string, so the names of a file can take far more room than the file. The largest
// libraries have 100 MiB of names, the longest of which have 30 KiB.
inline constexpr size_t kMaxSymbolNameBytes = size_t{64} << 10, kMaxAllSymbolNamesBytes = size_t{1} << 30;

// ElfImage is an ELF file opened through elfutils, or one in memory. The latter is the vDSO of this process, a unit of
// a .dwp file, or a file whose sections were unpacked. It closes the files that it opened. Threads: one at a time.
class ElfImage {
 public:
  static absl::StatusOr<std::unique_ptr<ElfImage>> Open(const std::string& path);
  // Opens a file that is open already, whatever its path leads to by now. `path` is for messages and neighbours.
  static absl::StatusOr<std::unique_ptr<ElfImage>> OpenDescriptor(const Fd& file, const std::string& path);
  static absl::StatusOr<std::unique_ptr<ElfImage>> OwnVdso();
  static absl::StatusOr<std::unique_ptr<ElfImage>> FromBytes(std::vector<char> bytes, const std::string& path = {});
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  // Opens the same file once more, also where its path leads to another one by now.
  absl::StatusOr<std::unique_ptr<ElfImage>> OpenAgain() const { return OpenDescriptor(file_, path_); }

  Elf* elf() const { return elf_; }
  // The path of the file. It is empty for an image that never was a file of its own.
  const std::string& path() const { return path_; }
  // Returns the raw bytes of the GNU build id, which are empty if there is none.
  std::string BuildId() const;
  // Returns the section of this name, or null.
  Elf_Scn* Section(const char* name) const;
  // Returns the bytes of the section of this name, unpacked if they are compressed. They are empty if there is none,
  // and where zstd is the compression (UnpackedImage).
  std::span<const uint8_t> SectionBytes(const char* name) const;
  // Returns whether a compressed section, or all of them together, claim to unpack to far more than real debug
  // information does. SectionBytes does not unpack such a section, and libdw must not see the file.
  bool HasOversizedSection() const;
  // Returns whether a section with this many bytes in the file may unpack to `unpacked_bytes`.
  static bool MayUnpackTo(uint64_t packed_bytes, uint64_t unpacked_bytes);
  // Returns whether the file itself has debug information.
  bool HasDebugInfo() const;
  // Returns whether the file has a table of sections.
  bool HasSections() const;
  // Returns the address of the first byte that the loader maps. The addresses in profiles count from it.
  uint64_t FirstMappedSvma() const;

  // EM_X86_64, EM_AARCH64, ...
  int Machine() const;
  // Returns the machine code from `svma` on, up to `size_bytes`. It is shorter where the segment ends in the file.
  std::vector<uint8_t> Code(uint64_t svma, uint64_t size_bytes) const {
    return Loaded(svma, size_bytes, /*only_code=*/true);
  }
  // Returns the bytes of any segment that is loaded from the file, in the same way.
  std::vector<uint8_t> Data(uint64_t svma, uint64_t size_bytes) const {
    return Loaded(svma, size_bytes, /*only_code=*/false);
  }
  // Returns the first program header of a type, such as PT_DYNAMIC.
  std::optional<GElf_Phdr> ProgramHeader(uint32_t type) const;

  struct Link {
    std::string name;  // empty: there is none
    uint32_t crc = 0;
  };
  // Returns .gnu_debuglink, which has the name of the separate debug file and its checksum.
  Link DebugLink() const;
  // Returns whether the file's bytes have this CRC-32. It is false if they cannot be read.
  bool HasCrc(uint32_t crc) const;

 private:
  ElfImage() = default;
  std::vector<uint8_t> Loaded(uint64_t svma, uint64_t size_bytes, bool only_code) const;

  std::string path_;
  Fd file_;
  std::vector<char> copy_;
  Elf* elf_ = nullptr;
};

// Returns the image itself, or, if a section is compressed with zstd (ELFCOMPRESS_ZSTD), a copy in memory with all
// such sections unpacked. libelf and libdw of Debian 12 know zlib alone. The copy has what debug information needs, so
// the sections that are loaded into memory are empty in it, as in a separate debug file.
//
// Hostile bytes: a section that is not what its header says stays out. Memory grows with what was unpacked, and not
// with the size that a header claims.
std::unique_ptr<ElfImage> WithUnpackedSections(std::unique_ptr<ElfImage> image);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_ELF_IMAGE_H_
