#ifndef GECKOPROF_BASE_OUTPUT_TARGET_H_
#define GECKOPROF_BASE_OUTPUT_TARGET_H_

#include <cstddef>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/file_place.h"

namespace geckoprof {

// OutputTarget: where a program writes a profile of itself.
//
//   Open(FILE)                    Write ...   Commit
//   .geckoprof-PID-N.tmp          bytes       renamed to FILE       a file: a reader never meets half of it
//   what is there (FilePlace)     bytes       -                     through a link of /proc, a device, a pipe, a FIFO
//        \__________ destructor without Commit: a temporary file is removed
//
// Nothing here holds up or ends the program: a FIFO that nobody reads is refused (ENXIO), a reader that takes nothing
// for `patience_ns` ends the writing (EAGAIN), one that has gone sends no SIGPIPE (EPIPE), a limit of file sizes no
// SIGXFSZ (EFBIG). A file keeps its mode, and owner and group as far as may be; a new one is its owner's alone, since
// it names files and commands. Threads: one at a time. Context: raw system calls only, no memory; errno is not touched.
// Large: some KiB.
class OutputTarget {
 public:
  explicit OutputTarget(int64_t patience_ns) : patience_ns_(patience_ns) {}
  ~OutputTarget();
  OutputTarget(const OutputTarget&) = delete;
  OutputTarget& operator=(const OutputTarget&) = delete;

  // Each returns 0, or what errno(3) says of it. Write: the same again after a failure.
  int Open(const char* path);
  int Write(const char* bytes, size_t size_bytes);
  int Commit();

 private:
  int OpenReplacement();
  int OpenInPlace(const char* path);
  int WriteAll(const char* bytes, size_t size_bytes);
  bool MayWriteSoon() const;

  const int64_t patience_ns_;
  FilePlace place_;
  Fd folder_, file_;
  char temporary_[64] = {};  // in folder_; empty: there is none
  uint64_t room_bytes_ = UINT64_MAX;
  bool begun_ = false;  // what was there before is gone, if it is written in place
  int error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_OUTPUT_TARGET_H_
