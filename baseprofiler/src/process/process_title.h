#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// ProcessTitle: the process's arguments, which servers overwrite to show the work of each process. The last title
// counts. It is read at the start, now and then, and again at the end if it has changed by then.
//
//   pauses:  100, 200, 400 ms, then always 400 ms. Each change doubles the usual pause (at most a minute), so that
//            a title that changes with each request takes little room
//
// Threads: the sampler calls Write, Refresh and RefreshIfDue. LeaveOut runs first, if at all, then SetFirstArgument,
// and then the other functions. Any thread may call HasChanged and SetMainName.
// Context: kernel calls only.
// Lifetime: constant-initialised static memory.
class ProcessTitle {
 public:
  static ProcessTitle& Get();

  // Sets the address of the first argument, or null. `bytes` is the size of all arguments, which follow each other.
  void SetFirstArgument(const char* argument, size_t bytes = 0) {
    if (leaves_out_) return;
    first_argument_ = argument;
    argument_bytes_ = bytes;
  }

  // Records no arguments of this process from now on.
  void LeaveOut() { leaves_out_ = true; }

  // Copies the arguments to `out`, each with its zero byte, as far as there is room. Returns the number of bytes. Any
  // thread may call it.
  size_t CopyArguments(std::span<char> out) const;

  // Sets the kernel's name of the main thread at the start of a recording. Any thread may call it.
  void SetMainName(const char (&name)[16]);

  // Writes the title at the start of a recording, even if it is unchanged.
  void Write(MetadataWriter& metadata, int64_t now_ns);
  // Writes the title if it has changed.
  void Refresh(MetadataWriter& metadata, int64_t now_ns);
  void RefreshIfDue(MetadataWriter& metadata, int64_t now_ns) {
    if (now_ns >= next_check_ns_) Refresh(metadata, now_ns);
  }

  // Returns true if the title or the main thread's name has changed since the last write. It opens no file, so the
  // program's own threads may call it.
  bool HasChanged() const;

 private:
  static constexpr uint64_t kUnknown = 0;
  static constexpr int64_t kFirstPauseNs = 100 * kNsPerMs;
  static constexpr int64_t kPauseNs = 400 * kNsPerMs;
  static constexpr int64_t kLongestPauseNs = 60'000 * kNsPerMs;

  uint64_t FirstArgumentNow() const;
  void CheckMainName();
  void Update(MetadataWriter& metadata, int64_t now_ns, bool writes_anyway);

  const char* first_argument_ = nullptr;
  size_t argument_bytes_ = 0;
  bool leaves_out_ = false;
  std::atomic<uint64_t> first_argument_seen_{kUnknown}, main_name_seen_{kUnknown};  // hashes; relaxed
  uint64_t written_ = kUnknown;                                                     // a hash
  int64_t pause_ns_ = kFirstPauseNs, usual_pause_ns_ = kPauseNs;
  int64_t next_check_ns_ = 0;
};

// ProcessNameOverride: the name that the program gives its process in profiles. Several processes may run one program
// and do different work. The name holds in each recording until the program changes it. A forked child begins with its
// parent's name.
//
// Threads: any, under a lock that is held only for copying.
// Context: not signal context.
// Lifetime: constant-initialised static memory.
class ProcessNameOverride {
 public:
  static constexpr uint32_t kMaxBytes = 95;

  static ProcessNameOverride& Get();

  // Sets the name, cut between characters at kMaxBytes. Null or an empty name restores the program's own name. A
  // caller then calls WriteTo for the current recording.
  void Set(const char* name);
  // Writes the name if the recording does not have it. A start calls this if
  // HasPersistent(PersistentState::kProcessName).
  void WriteTo(const Segment& segment);
  void AfterForkInChild();

 private:
  TableLock lock_;
  // lock_ guards the members below.
  char name_[kMaxBytes + 1] = {};
  bool was_set_ = false;
  bool is_written_ = false;  // in the recording that stream_ writes to
  StreamWriter stream_;
  uint32_t serial_ = 0;  // identifies that recording
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
