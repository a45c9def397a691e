#include "sampler/status_field.h"

#include <errno.h>
#include <fcntl.h>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

std::string_view ReadStatusField(const char* path, std::string_view key, std::span<char> room) {
  const Fd file = Fd::Open(path, O_RDONLY);
  char block[4096];
  size_t matched = 0, used = 0;
  while (file.ok()) {
    const long got = RawSyscall(SYS_read, file.number(), block, sizeof(block));
    if (got == -EINTR) continue;
    if (got <= 0) break;
    for (const char c : std::string_view(block, static_cast<size_t>(got))) {
      if (matched < key.size()) {
        // The newline at the beginning of the key is its only one, so no other restart is possible.
        matched = c == key[matched] ? matched + 1 : c == key[0] ? 1 : 0;
        continue;
      }
      if (c == '\n' || used == room.size()) return {room.data(), used};
      room[used++] = c;
    }
  }
  return {};
}

}  // namespace geckoprof
