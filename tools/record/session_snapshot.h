#ifndef GECKOPROF_TOOLS_RECORD_SESSION_SNAPSHOT_H_
#define GECKOPROF_TOOLS_RECORD_SESSION_SNAPSHOT_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// SessionSnapshot: a second folder with the files of a session, as hard links, so that a profile can be made while the
// recorder goes on. Live processes write to their segments. Nothing that the recorder moves, archives or removes is
// gone.
//
//   <parent>/geckoprof-a1B2c3/        4711-0.segment  ended  ended-data  child-... ->     the session
//   <parent>/geckoprof-d4E5f6.old/    4711-0.segment  ended  ended-data  child-... ->     the same files
//
// It has the name of a session that is being removed, so that `geckoprof recover --remove-stale` removes one that a
// killed recorder has left. It costs some microseconds for each file, and the memory of the segments that are archived
// meanwhile.
//
// Threads: one. Lifetime: the destructor removes the folder.
class SessionSnapshot {
 public:
  // `session` may lead through an open folder. The snapshot is made in the folder `parent` of the same file system.
  static absl::StatusOr<SessionSnapshot> Make(const std::string& session, const std::string& parent);

  ~SessionSnapshot() { Remove(); }
  SessionSnapshot(SessionSnapshot&& other) noexcept
      : path_(std::exchange(other.path_, "")), lock_(std::move(other.lock_)) {}
  SessionSnapshot& operator=(SessionSnapshot&&) = delete;

  const std::string& path() const { return path_; }
  // Does what the destructor does.
  void Remove();

 private:
  SessionSnapshot(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;  // empty: nothing to remove
  Fd lock_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_SESSION_SNAPSHOT_H_
