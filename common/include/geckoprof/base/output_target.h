#ifndef GECKOPROF_BASE_OUTPUT_TARGET_H_
#define GECKOPROF_BASE_OUTPUT_TARGET_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/file_place.h"

namespace geckoprof {

// OutputTarget writes a program's profile of itself to a file, pipe or device.
//
//   Open(FILE)                    Write ...   Commit
//   .geckoprof-RANDOM.tmp         bytes       renamed to FILE       a regular file: no reader sees a part of it
//   the target of FilePlace       bytes       -                     a link in /proc, a device, a pipe, a FIFO
//        \__________ destructor without Commit: the temporary file is removed
//
// Nothing here blocks or ends the program:
//   - Open refuses a FIFO that has no reader (ENXIO).
//   - If a reader takes no byte for `patience_ns`, writing ends (EAGAIN).
//   - A reader that has gone causes EPIPE and no SIGPIPE.
//   - A limit on file sizes causes EFBIG and no SIGXFSZ.
//
// A replaced file keeps its mode and, as far as possible, its owner and group. A new file is readable by its owner
// alone, because it names files and commands. An object has some KiB.
//
// Threads: one thread at a time.
// Context: raw system calls only. The code allocates no memory and does not touch errno.
class OutputTarget {
 public:
  explicit OutputTarget(int64_t patience_ns) : patience_ns_(patience_ns) {}
  ~OutputTarget();
  OutputTarget(const OutputTarget&) = delete;
  OutputTarget& operator=(const OutputTarget&) = delete;

  // Each function returns 0 or an error number of errno(3). After a failure, Write and Commit return the same error
  // again.
  int Open(const char* path);
  int Write(const char* bytes, size_t size_bytes);
  int Commit();

 private:
  int OpenReplacement();
  int OpenInPlace();
  int WriteAll(const char* bytes, size_t size_bytes);
  bool MayWriteSoon() const;

  const int64_t patience_ns_;
  FilePlace place_;
  Fd file_;
  char temporary_[64] = {};  // a name in place_.folder, or empty if there is no such file
  uint64_t room_bytes_ = UINT64_MAX;
  bool begun_ = false;  // the file's old contents are gone (files that are written in place)
  int error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_OUTPUT_TARGET_H_
