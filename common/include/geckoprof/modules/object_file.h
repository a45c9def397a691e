// The file from which a module was mapped.
#ifndef GECKOPROF_MODULES_OBJECT_FILE_H_
#define GECKOPROF_MODULES_OBJECT_FILE_H_

#include <cstdint>
#include <span>
#include <string>

#include "geckoprof/base/fd.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

// ObjectFile reads a file by name, as long as the name still leads to the mapped file. Usually inode and device prove
// this. They fail if stat(2) shows another device than the mapping (overlayfs, btrfs), or if an equal file replaced the
// mapped one. In these cases the first bytes decide.
//
// The file is opened by the first read and stays open until Close, which the sampler calls at the end of each tick.
// There are three reasons to close it so early. The number belongs to the descriptor table of the reading thread. A
// program may unload a library and then unmount its file system. The number of descriptors is limited.
//
// Threads: the sampler thread owns the object.
// Context: not signal context.
class ObjectFile {
 public:
  // The bytes by which two files are compared. They hold the headers and, in nearly all files, the build id, which ends
  // below 1,000 bytes.
  static constexpr size_t kHeadBytes = 1024;

  ObjectFile() = default;
  // `head` holds the first kHeadBytes of the mapping.
  ObjectFile(const MapsLine& first, std::span<const uint8_t> head);

  const std::string& path() const { return path_; }  // "[vdso]" for the vDSO
  bool IsMappedBy(const MapsLine& first) const;

  // Returns false if the file does not exist or its name belongs to another file.
  bool Open() const;
  // Returns true if all of `out` could be read.
  bool ReadAt(uint64_t file_offset, std::span<uint8_t> out) const;
  // Returns true if all bytes of the file are equal to the mapped ones, not only the head. Inode and device prove this,
  // or a build id in the head.
  bool HasMappedBytes() const { return Open() && (is_mapped_inode_ || head_has_build_id_); }
  // Returns true if the mapping cannot be of this file, which has the listed inode and device but begins with other
  // bytes.
  bool HasOtherBeginning() const;
  void set_head_has_build_id() { head_has_build_id_ = true; }
  void Close() const;
  // Registers a flag that is set whenever Close has work to do. The flag must outlive this object.
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
  mutable bool is_mapped_inode_ = false;  // refers to fd_
  bool head_has_build_id_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_OBJECT_FILE_H_
