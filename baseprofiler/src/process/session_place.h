#ifndef GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "geckoprof/base/ids.h"
#include "geckoprof/segment/segment.h"
#include "process/process_control.h"

namespace geckoprof {

// Finds or creates geckoprof-<uid> in /dev/shm, else in /tmp, and writes its path. The folder has mode 0700, and the
// user owns it. All processes of the user without a session directory share it. A process that exits removes its own
// file. The file of a killed process stays for `geckoprof recover`. If another user has taken the name, the process
// gets geckoprof-<uid>-<time> for itself, and `is_taken` becomes true.
//
// `next_parent` is 0 at first. Later calls continue after the folder of the call before, because its file system has no
// room. Returns false with an empty path if there is no such folder. The segment is then anonymous memory.
bool UserSessionDirectory(std::span<char> path, uint32_t& next_parent, bool& is_taken);

// Writes to the session directory why this process has no segment (segment_format.h). The note needs no space for data,
// so it works on a full file system.
void WriteStopNote(const char* directory, ProcessId pid, const char* reason);

// Tells the recorder that a process under a seccomp filter is left alone (segment_format.h). It makes only calls that
// the loader has just made itself.
void ShowFiltered(const char* directory);

// Returns true if the recorder has closed the session for further processes.
bool IsSessionFull(const char* directory);

// Returns true if the recorder has ended, and so many processes have ended since that nobody removes their segments.
bool IsAbandonedAndFull(const char* directory, uint64_t capacity_bytes);

// Returns true if the folder does not exist. The recorder has ended then, and would not collect any data.
bool IsSessionGone(const char* directory);

// Removes the segment's file, and the directory if it is empty then.
void RemoveSession(const char* segment_path, const char* directory);

// SessionPlace: the folder of a process's segments, and their fate there.
//
//   given   GECKOPROF_SESSION_DIR        all files stay for the recorder; a note says why a segment is missing
//   own     the user's geckoprof-<uid>   a normal end removes the segment; it stays after a crash, or if the profile
//           (in /dev/shm, or in /tmp)    was not written
//   none    no folder has room           anonymous memory; the process can still write its profile at its end, and the
//                                        profile mentions this if a folder was given
//
// Threads: one at a time.
// Context: kernel calls only.
class SessionPlace {
 public:
  // `given` is empty if the environment names no folder. It is borrowed.
  void Choose(const char* given);

  bool is_own() const { return is_own_; }
  // Returns true if a recorder gathers the marks of forked children in the folder.
  bool is_given() const { return given_[0] != '\0'; }
  // Returns true if the recorder accepts no further processes, or if there is none any more, and no room.
  bool IsFull(uint64_t capacity_bytes) const;
  // Sets the folder for forked children of a process without a given one. It is borrowed, and empty if there is none.
  void SetForChildren(const char* folder) { for_children_ = folder; }
  const char* for_children() const { return for_children_; }
  // Makes the segment, in the first own folder that has room if no folder was given. Returns false if there is none. A
  // note then tells the recorder the reason.
  bool Create(Segment& segment, uint64_t capacity_bytes, ProcessId pid, ProcessId parent);
  // The folder for marks of forked children. Empty if nothing would read them.
  const char* MarkDirectory() const { return is_own_ ? "" : given_; }
  // Removes the segment if the folder is the process's own.
  void Remove(const Segment& segment) const;

 private:
  const char* directory() const { return is_own_ ? own_ : given_; }
  SegmentLayout Layout(uint64_t capacity_bytes) const;
  void ChooseNext();

  const char* given_ = "";
  const char* for_children_ = "";
  bool is_own_ = false;
  bool is_taken_ = false;     // another user has the name of an own folder
  uint32_t next_parent_ = 0;  // index of the next own folder to try
  char own_[64] = {};
};

// ForkRecord: a mark in the session directory for a forked child, from the fork until the child has a segment
// (segment_format.h). The child's sampler thread makes the segment. On a busy machine that thread may not get a core
// before the child ends. Then the mark is the only trace of the child.
//
//   Create (the fork) ---> Remove (its segment is there)
//                     ---> End (the child ends first): the name then has the time, status and resources
//
// Each function makes one system call of a few microseconds. A mark needs no memory and no data blocks, so a full file
// system accepts it. A process leaves marks for at most kMax children, so that a fork loop cannot fill the directory.
//
// Threads: one thread at a time calls CountFork. Create runs while the child has one thread. Any thread may call Remove
// and End, and the first call counts.
// Context: signal context.
class ForkRecord {
 public:
  static constexpr uint32_t kMax = 4096;

  // Called in the parent before each fork. Returns false if this child leaves no mark.
  bool CountFork() { return ++forks_ <= kMax; }

  // Called in the child, because the mark in its memory belongs to the parent.
  void Forget() { exists_.store(false, std::memory_order_relaxed); }
  void Create(const char* directory, ProcessId pid, ProcessId parent, int64_t begin_ns);
  void Remove();
  void End(int64_t end_ns, const ProcessEnd& end);

  bool exists() const { return exists_.load(std::memory_order_relaxed); }

 private:
  bool Claim() { return exists() && exists_.exchange(false, std::memory_order_acquire); }

  std::atomic<bool> exists_{false};  // release: path_ is complete
  char path_[256] = {};              // written only by Create
  uint32_t forks_ = 0;               // counted in this process
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_SESSION_PLACE_H_
