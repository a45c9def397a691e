#ifndef GECKOPROF_TOOLS_RECORD_ALLOCATED_BYTES_H_
#define GECKOPROF_TOOLS_RECORD_ALLOCATED_BYTES_H_

#include <sys/stat.h>

#include <cstdint>

namespace geckoprof {

// What a file really takes of its file system, whatever its length: a segment has holes. The unit of st_blocks is 512
// bytes on Linux, whatever st_blksize says (inode(7)).
inline uint64_t AllocatedBytes(const struct stat& info) { return static_cast<uint64_t>(info.st_blocks) * 512; }

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_ALLOCATED_BYTES_H_
