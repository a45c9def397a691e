// The entries of a directory, by raw system calls. Hooks of libc's functions do not see them.
#ifndef GECKOPROF_BASE_DIRECTORY_H_
#define GECKOPROF_BASE_DIRECTORY_H_

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

// The record that getdents64(2) returns.
struct KernelDirent {
  uint64_t inode;
  int64_t offset;
  uint16_t record_bytes;
  uint8_t type;
  char name[1];
};

// Calls visit(name) for each entry, "." and ".." included, from the start of the directory. Returns 0 or an errno.
//
// Threads: one at a time for a descriptor. Context: any, if that holds for `visit`. Allocates nothing.
template <typename Visit>
int ForEachEntry(const Fd& directory, const Visit& visit) {
  RawSyscall(SYS_lseek, directory.number(), 0, SEEK_SET);
  alignas(KernelDirent) char room[4096];
  for (;;) {
    const long got = RawSyscall(SYS_getdents64, directory.number(), room, sizeof(room));
    if (got <= 0) return static_cast<int>(-got);
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const KernelDirent*>(room + at);
      at += entry->record_bytes;
      visit(entry->name);
    }
  }
}

// Returns the number that is the name of an entry, such as a thread's id in /proc/PID/task, or 0.
inline int32_t NumberInName(const char* name) {
  int32_t number = 0;
  for (; *name >= '0' && *name <= '9'; ++name) number = number * 10 + (*name - '0');
  return *name == '\0' ? number : 0;
}

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_DIRECTORY_H_
