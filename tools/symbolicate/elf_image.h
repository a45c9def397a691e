#ifndef GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_

#include <libelf.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace geckoprof {

// ElfImage: an ELF file opened through elfutils, or the vDSO of this process copied out of memory. It closes what it
// opened. Threads: one at a time.
class ElfImage {
 public:
  static absl::StatusOr<std::unique_ptr<ElfImage>> Open(const std::string& path);
  static absl::StatusOr<std::unique_ptr<ElfImage>> OwnVdso();
  ~ElfImage();
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  Elf* elf() const { return elf_; }
  // Raw bytes of the GNU build id; empty if there is none.
  std::string BuildId() const;
  // The section of this name, or null.
  Elf_Scn* Section(const char* name) const;
  // The file name in .gnu_debuglink; empty if there is none.
  std::string DebugLink() const;

 private:
  ElfImage() = default;

  int fd_ = -1;
  std::vector<char> copy_;
  Elf* elf_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_ELF_IMAGE_H_
