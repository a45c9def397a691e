#ifndef GECKOPROF_TOOLS_RECORD_SESSION_DIRECTORY_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_DIRECTORY_H_

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "tools/support/private_folder.h"

namespace geckoprof {

// The name of a session ends so while it is removed.
inline constexpr char kRemovedSessionSuffix[] = ".old";

// SessionDirectory: the folder in which all processes of one recording keep their segments.
//
//   <parent>/geckoprof-XXXXXX/          0700, an unpredictable name
//       4711-0.segment                  pid 4711, the first program it ran
//       4711-1.segment                  the same process after its first exec
//       note-4712 -> "reason"           why process 4712 made no segment
//       filtered                        empty; read by processes that a seccomp filter keeps from being recorded
//       command                         the recorded command line, each word with a zero byte behind it
//
// The first one of PrivateFolder::Parents with room for a full segment serves, else the one with the most room.
// Lifetime: the destructor removes the folder, unless Keep was called. As long as it lives it holds a lock (flock(2))
// on the folder, by which others see that the recorder has not gone.
class SessionDirectory {
 public:
  static absl::StatusOr<SessionDirectory> Create(uint64_t capacity_bytes);
  // The same among the given parents; empty ones are passed over.
  static absl::StatusOr<SessionDirectory> CreateBelow(const std::vector<std::string>& parents, uint64_t capacity_bytes);

  ~SessionDirectory() { Remove(); }
  SessionDirectory(SessionDirectory&& other) noexcept
      : path_(std::exchange(other.path_, "")), free_bytes_(other.free_bytes_), lock_(std::move(other.lock_)) {}
  SessionDirectory& operator=(SessionDirectory&&) = delete;

  const std::string& path() const { return path_; }
  // Returns a path through the open folder. Another user may own the folder, and may then exchange what has its name.
  std::string held_path() const;
  uint64_t free_bytes() const { return free_bytes_; }  // when it was made

  // Writes the command line down, for `geckoprof recover`. Without room for it recover asks the processes.
  void NoteCommand(std::span<char* const> words) const;
  static constexpr char kCommandName[] = "command";
  // The name of each directory begins so (PrivateFolder).
  static constexpr char kPrefix[] = "geckoprof-";

  // Leaves the folder where it is.
  void Keep() { path_.clear(); }
  // What the destructor does; nothing after Keep.
  void Remove();

 private:
  SessionDirectory(PrivateFolder folder, uint64_t free_bytes);
  // Returns a new file for our own use, which is not ok() if there is no room.
  Fd MakeFile(const char* name) const;

  std::string path_;  // empty: nothing to remove
  uint64_t free_bytes_ = 0;
  Fd lock_;
};

// Returns the bytes that a file takes of its file system. A segment has holes, so its length says nothing. The unit of
// st_blocks is 512 bytes on Linux, whatever st_blksize is (inode(7)).
inline uint64_t AllocatedBytes(const struct stat& info) { return static_cast<uint64_t>(info.st_blocks) * 512; }

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_DIRECTORY_H_
