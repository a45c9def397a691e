#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/metadata_writer.h"

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

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
