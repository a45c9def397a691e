#include "geckoprof/modules/module.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

namespace {

// What is read of a file's beginning: one page, which holds the headers and, as linkers lay it out, the build id.
constexpr size_t kHeadBytes = kPageBytes;
// What two files are told apart by: headers, and in nearly all files the build id (it ends below 1,000 bytes).
constexpr size_t kHashedBytes = 1024;
constexpr size_t kMaxNoteBytes = 64 * 1024;

// Multiply-and-fold over words; not against an adversary, who could as well change the program itself.
uint64_t Hash(std::span<const uint8_t> bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

// fstat through the raw system call; on both 64-bit architectures libc's struct is the kernel's.
bool ReadFileStatus(const Fd& fd, struct stat& status) {
  return !IsSyscallError(RawSyscall(SYS_fstat, fd.number(), &status));
}

}  // namespace

std::unique_ptr<Module> Module::Open(uint32_t id, const MapsLine& first, const ProcessMemory& memory, int64_t now_ns) {
  std::unique_ptr<Module> module(new Module());
  module->id_ = id;
  module->range_ = {first.start_avma, first.end_avma};
  module->path_ = UnescapeMapsPath(first.path);
  module->is_vdso_ = first.path == "[vdso]";
  module->deleted_ = first.deleted;
  module->inode_ = first.inode;
  module->dev_major_ = first.dev_major;
  module->dev_minor_ = first.dev_minor;
  module->mapped_ns_ = now_ns;
  module->memory_ = memory;
  if (!module->ReadLayout(memory)) return nullptr;
  return module;
}

std::unique_ptr<Module> Module::ForTest(uint32_t id, AddressRange range, uint64_t bias, const SectionBytes& header,
                                        const SectionBytes& eh_frame) {
  std::unique_ptr<Module> module(new Module());
  module->id_ = id;
  module->range_ = range;
  module->bias_ = bias;
  module->path_ = "/test";
  module->text_ranges_.push_back(range);
  module->tried_unwind_sections_ = true;
  module->unwind_sections_.LoadFromBytes(header, eh_frame);
  return module;
}

bool Module::IsSameMapping(const MapsLine& first) const {
  return first.start_avma == range_.start_avma && first.inode == inode_ && first.dev_major == dev_major_ &&
         first.dev_minor == dev_minor_ && first.path == path_;
}

bool Module::ReadLayout(const ProcessMemory& memory) {
  std::array<uint8_t, kHeadBytes> head;
  if (!memory.Read(range_.start_avma, head)) return false;
  head_hash_ = Hash(std::span(head).first(kHashedBytes));
  ElfHeaderTable table;
  if (!ReadElfHeader(head, layout_, table)) return false;
  if (table.file_offset <= head.size() && table.size_bytes <= head.size() - table.file_offset) {
    if (!ReadProgramHeaders(std::span(head).subspan(table.file_offset, table.size_bytes), layout_)) return false;
  } else {
    // Tools that edit ELF files move the table to the end of the file.
    std::vector<uint8_t> bytes(table.size_bytes);
    if (!ReadFileBytes(table.file_offset, bytes) || !ReadProgramHeaders(bytes, layout_)) return false;
  }
  // The segment that the file's first page belongs to says where the object was put.
  const ElfRange& first_load = layout_.loads.front();
  if (first_load.file_offset >= kPageBytes) return false;
  const uint64_t first_page_svma = (first_load.svma - first_load.file_offset) & ~uint64_t{kPageBytes - 1};
  bias_ = range_.start_avma - first_page_svma;
  const uint64_t end_avma = bias_ + RoundUpTo(layout_.end_svma, kPageBytes);
  if (end_avma <= range_.start_avma) return false;
  range_.end_avma = end_avma;
  if (layout_.entry_svma != 0) entry_avma_ = layout_.entry_svma + bias_;
  ReadBuildId(head);
  return true;
}

void Module::ReadBuildId(std::span<const uint8_t> head) {
  std::vector<uint8_t> bytes;
  for (const ElfRange& note : layout_.notes) {
    const size_t size_bytes = std::min<uint64_t>(note.file_bytes, kMaxNoteBytes);
    if (note.file_offset <= head.size() && size_bytes <= head.size() - note.file_offset) {
      if (FindBuildId(head.subspan(note.file_offset, size_bytes), build_id_)) return;
    } else {
      bytes.resize(size_bytes);
      if (memory_.Read(note.svma + bias_, bytes) && FindBuildId(bytes, build_id_)) return;
    }
  }
}

bool Module::ReadFileBytes(uint64_t file_offset, std::span<uint8_t> out) const {
  const Fd fd = OpenFileIfSame();
  return fd.ok() && fd.ReadAt(file_offset, out) == static_cast<int64_t>(out.size());
}

// The file by its name, if that is still the file that is mapped. Inode and device settle it; where the device of the
// mapping is not the one that stat shows (overlayfs, btrfs), or the file was replaced by an equal one, its first bytes
// do.
Fd Module::OpenFileIfSame() const {
  if (path_.empty() || path_[0] != '/') return Fd();
  // O_NONBLOCK: the name may by now be that of a FIFO.
  Fd fd = Fd::Open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd.ok()) return fd;
  struct stat status {};
  if (!ReadFileStatus(fd, status) || !S_ISREG(status.st_mode)) return Fd();
  const bool same_device = major(status.st_dev) == dev_major_ && minor(status.st_dev) == dev_minor_;
  if (same_device && status.st_ino == inode_ && !deleted_) return fd;
  std::array<uint8_t, kHashedBytes> head;
  if (fd.ReadAt(0, head) != static_cast<int64_t>(head.size()) || Hash(head) != head_hash_) return Fd();
  return fd;
}

const UnwindSections* Module::unwind_sections() {
  if (!tried_unwind_sections_) {
    tried_unwind_sections_ = true;
    LoadUnwindSections();
  }
  return unwind_sections_.usable() ? &unwind_sections_ : nullptr;
}

void Module::LoadUnwindSections() {
  if (unwind_sections_.LoadFromMemory(memory_, bias_, layout_)) return;
  unwind_sections_ = UnwindSections();
  const Fd fd = OpenFileIfSame();
  if (fd.ok() && !unwind_sections_.LoadBySectionTable(fd, memory_, bias_, layout_)) {
    unwind_sections_ = UnwindSections();
  }
}

}  // namespace geckoprof
