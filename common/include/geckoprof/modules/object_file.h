// The file that a module was mapped from.
#ifndef GECKOPROF_MODULES_OBJECT_FILE_H_
#define GECKOPROF_MODULES_OBJECT_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "geckoprof/base/fd.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

// ObjectFile: reads the file by its name, as long as that is still the file which is mapped. Inode and device settle
// it; where the device of the mapping is not the one that stat shows (overlayfs, btrfs), or the file was replaced by an
// equal one, its first bytes do.
//
// It is opened when first read and stays open until Close, which the sampler calls at the end of each tick: the number
// belongs to the descriptor table of the thread that reads, a program may want to unmount a file system whose library
// it has just unloaded, and descriptors are few. Threads: owned by the sampler thread. Context: not signal context.
class ObjectFile {
 public:
  // What two files are told apart by: headers, and in nearly all files the build id (it ends below 1,000 bytes).
  static constexpr size_t kHeadBytes = 1024;

  ObjectFile() = default;
  // `head`: the first kHeadBytes that are mapped.
  ObjectFile(const MapsLine& first, std::span<const uint8_t> head);

  const std::string& path() const { return path_; }  // "[vdso]" for the vDSO
  bool IsMappedBy(const MapsLine& first) const;

  // False if there is none, or another one has its name.
  bool Open() const;
  // True if all of `out` could be read.
  bool ReadAt(uint64_t file_offset, std::span<uint8_t> out) const;
  // Whether all of its bytes are those that are mapped, not only its head: known by inode and device, or by a build id
  // in the head.
  bool HoldsMappedBytes() const { return Open() && (is_mapped_inode_ || head_has_build_id_); }
  // Whether what is mapped cannot be the file's: that is the one of this inode and device, and begins otherwise.
  bool BeginsOtherwise() const;
  void set_head_has_build_id() { head_has_build_id_ = true; }
  void Close() const;
  // `note`: set whenever Close has something to do, from now on; it outlives this.
  void NoteOpening(bool* note) {
    opened_note_ = note;
    if (tried_) *note = true;
  }

 private:
  Fd OpenIfSame() const;
  bool HasSameHead(const Fd& fd) const;

  std::string path_;
  bool deleted_ = false;
  uint64_t inode_ = 0;
  uint32_t dev_major_ = 0;
  uint32_t dev_minor_ = 0;
  uint64_t head_hash_ = 0;
  mutable Fd fd_;
  mutable bool tried_ = false;
  bool* opened_note_ = nullptr;
  mutable bool is_mapped_inode_ = false;  // of fd_
  bool head_has_build_id_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_OBJECT_FILE_H_
