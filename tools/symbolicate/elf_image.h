#ifndef GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

// ElfImage: an ELF file opened through elfutils, or one in memory (the vDSO of this process, a unit taken out of a .dwp
// file). It closes what it opened. Threads: one at a time.
class ElfImage {
 public:
  static absl::StatusOr<std::unique_ptr<ElfImage>> Open(const std::string& path);
  static absl::StatusOr<std::unique_ptr<ElfImage>> OwnVdso();
  static absl::StatusOr<std::unique_ptr<ElfImage>> FromBytes(std::vector<char> bytes);
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  Elf* elf() const { return elf_; }
  // Where it was opened; empty for one in memory.
  const std::string& path() const { return path_; }
  // Raw bytes of the GNU build id; empty if there is none.
  std::string BuildId() const;
  // The section of this name, or null.
  Elf_Scn* Section(const char* name) const;
  // The bytes of the section of this name, unpacked if they are compressed; empty if there is none.
  std::span<const uint8_t> SectionBytes(const char* name) const;
  // Whether there is debug information in the file itself.
  bool HasDebugInfo() const;
  // Where the first byte that the loader maps lies: what the addresses in profiles count from.
  uint64_t FirstMappedSvma() const;

  // EM_X86_64, EM_AARCH64, ...
  int Machine() const;
  // The machine code from `svma` on, up to `size_bytes` of it; less where the executable segment ends in the file.
  std::vector<uint8_t> Code(uint64_t svma, uint64_t size_bytes) const;

  struct Link {
    std::string name;  // empty: there is none
    uint32_t crc = 0;
  };
  // .gnu_debuglink: the name of the separate debug file and the checksum of its bytes.
  Link DebugLink() const;
  // The CRC-32 of the file's bytes; false if they cannot be read.
  bool HasCrc(uint32_t crc) const;

 private:
  ElfImage() = default;

  std::string path_;
  int fd_ = -1;
  std::vector<char> copy_;
  Elf* elf_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_
