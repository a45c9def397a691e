#ifndef GECKOPROF_GECKOPROFILER_CHILDREN_FOLLOWED_CHILDREN_H_
#define GECKOPROF_GECKOPROFILER_CHILDREN_FOLLOWED_CHILDREN_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/gathering.h"
#include "children/children_folder.h"
#include "geckoprof/base/recursive_lock.h"
#include "geckoprof/control/followed_processes.h"
#include "handover/base_link.h"

namespace geckoprof {

// FollowedChildren: the children of this process that record with it (docs/design/gathering.md).
//
//           Begin                                      Look, some times a second                  End
//   (off) --------> folder for children; all that     new programs start, ended children  -----> (off)
//                   are there already start            expire
//
// Children are all descendants that have base, and that belong to the same user. A child that has ended is kept until
// the parent's buffer has nothing that is as old. Ended children take no more memory than the parent's buffer.
//
// Invariant: an object belongs to the process that began. In the child of a fork it is off, and it leaves the parent's
// folder alone.
// Threads: any. One lock serialises all, and no function of the program is called with it held.
// Context: not signal context. Look needs descriptors, so it runs on a thread that has descriptors of its own.
class FollowedChildren {
 public:
  explicit FollowedChildren(const BaseLink* base) : base_(*base) {}
  FollowedChildren(const FollowedChildren&) = delete;
  FollowedChildren& operator=(const FollowedChildren&) = delete;

  // The recording of this process. `state` has the bits of HandoverTable::state.
  struct Recording {
    int64_t started_ns = 0;
    uint32_t state = 0;
    RecordingParameters parameters = {};
  };
  // Begins to follow, or goes on if it is the same recording. Children have the same pauses afterwards.
  void Follow(const Recording& recording);
  // BaseLink::IsCountedByRecorder, while no other thread changes the folder.
  bool IsCountedByRecorder();
  // Ends, and removes the folder. Children that record there end by themselves. With `stops_children` all are told to.
  void End(bool stops_children);
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  // Starts new programs, and lets ended children expire. Returns the ns until the next look.
  int64_t Look();

  // Asks all children to write what they have, and returns the segments: of ended children first. Children that do not
  // answer soon are noted in `log`.
  std::vector<ChildSegment> Collect(EventLog& log);
  EventLog log();
  // Returns the variables with which a child begins to record by itself, as "NAME=VALUE".
  std::vector<std::string> Environment();

  // Called in the child of a fork.
  void AfterForkInChild(int32_t parent_thread) {
    is_on_.store(false, std::memory_order_relaxed);
    lock_.AdoptInForkedChild(parent_thread);
  }

 private:
  struct Child {
    SegmentName name;
    uint64_t start_ticks = 0;
    bool has_ended = false;
    bool is_expired = false;
    int64_t ended_ns = 0;
    uint64_t bytes = 0;  // that an ended child's segment takes
  };
  struct State {
    pid_t process = 0;  // that these are the children of
    std::optional<FollowedProcesses> followed;
    ChildrenFolder folder;
    std::vector<std::string> settings;
    int64_t started_ns = 0;
    uint32_t pauses = 0;
    std::vector<Child> children;          // by name
    std::vector<ChildSegment> elsewhere;  // of living children, which cannot be linked
    EventLog log;
    char folder_text[256] = {};  // base borrows it
  };

  // Holds the lock. A state that is another process's is forgotten, and not destroyed: its objects may be in use by a
  // thread that does not exist here.
  class Access {
   public:
    explicit Access(FollowedChildren* self);

   private:
    const RecursiveLockHolder holder_;
  };

  bool Begin(const Recording& recording);
  void SetPauses(uint32_t state);
  void FindNew();
  void Update();
  bool IsDescendant(const SegmentName& name, int32_t parent_pid) const;
  void NoteEnd(Child& child);
  void Expire();
  static void FoundRecording(void* self, const ControllableProcess& process, const RunningSegment& segment);

  const BaseLink& base_;
  std::atomic<bool> is_on_{false};
  RecursiveLock lock_;
  State state_;  // guarded by lock_
};

// Returns the lines of an environment with which another process records likewise, in `folder`.
std::vector<std::string> SettingsOf(const RecordingParameters& parameters, const std::string& folder);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CHILDREN_FOLLOWED_CHILDREN_H_
