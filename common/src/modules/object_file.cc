#include "geckoprof/modules/object_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cstring>
#include <utility>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

namespace {

// Multiplies and folds words. The hash does not resist an adversary, but an adversary could change the program itself.
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

// Calls fstat as a raw system call. On both 64-bit architectures the struct of libc is equal to the kernel's.
bool ReadFileStatus(const Fd& fd, struct stat& status) {
  return !IsSyscallError(RawSyscall(SYS_fstat, fd.number(), &status));
}

}  // namespace

ObjectFile::ObjectFile(const MapsLine& first, std::span<const uint8_t> head)
    : path_(UnescapeMapsPath(first.path)),
      deleted_(first.deleted),
      inode_(first.inode),
      dev_major_(first.dev_major),
      dev_minor_(first.dev_minor),
      head_hash_(Hash(head)) {}

bool ObjectFile::IsMappedBy(const MapsLine& first) const {
  return first.inode == inode_ && first.dev_major == dev_major_ && first.dev_minor == dev_minor_ && first.path == path_;
}

bool ObjectFile::Open() const {
  if (!tried_) {
    tried_ = true;
    if (opened_note_ != nullptr) *opened_note_ = true;
    fd_ = OpenIfSame();
  }
  return fd_.ok();
}

bool ObjectFile::ReadAt(uint64_t file_offset, std::span<uint8_t> out) const {
  return Open() && fd_.ReadAt(file_offset, out) == static_cast<int64_t>(out.size());
}

bool ObjectFile::HasOtherBeginning() const { return Open() && is_mapped_inode_ && !HasSameHead(fd_); }

void ObjectFile::Close() const {
  fd_.Close();
  tried_ = false;
}

Fd ObjectFile::OpenIfSame() const {
  if (path_.empty() || path_[0] != '/') return Fd();
  // O_NONBLOCK avoids waiting if the name now belongs to a FIFO.
  Fd fd = Fd::Open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd.ok()) return fd;
  struct stat status {};
  if (!ReadFileStatus(fd, status) || !S_ISREG(status.st_mode)) return Fd();
  const bool same_device = major(status.st_dev) == dev_major_ && minor(status.st_dev) == dev_minor_;
  is_mapped_inode_ = same_device && status.st_ino == inode_ && !deleted_;
  if (is_mapped_inode_) return fd;
  return HasSameHead(fd) ? std::move(fd) : Fd();
}

bool ObjectFile::HasSameHead(const Fd& fd) const {
  std::array<uint8_t, kHeadBytes> head;
  return fd.ReadAt(0, head) == static_cast<int64_t>(head.size()) && Hash(head) == head_hash_;
}

}  // namespace geckoprof
