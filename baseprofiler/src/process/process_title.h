#ifndef GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
#define GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/clock.h"
#include "geckoprof/entries/metadata_writer.h"

namespace geckoprof {

// ProcessTitle: what the process's arguments say, over which servers write what each of their processes does. The last
// one counts: it is read at the start, now and then, and once more at the end if it is another one by then.
//
//   looks:  100, 200, 400 ms, then each 400 ms; twice as seldom after each change, so that a title that is another one
//           for each request takes no room
//
// Threads: Write, Refresh and RefreshIfDue: the sampler's, one at a time. SetFirstArgument: before all others.
// HasChanged: any. Context: kernel calls only. Lifetime: constant-initialised static memory.
class ProcessTitle {
 public:
  static ProcessTitle& Get();

  // Where the first argument lies, or null.
  void SetFirstArgument(const char* argument) { first_argument_ = argument; }

  // What the kernel calls the main thread when a recording begins. Any thread.
  void SetMainName(const char (&name)[16]);

  // Writes it, whatever was written before: of a recording that begins.
  void Write(MetadataWriter& metadata, int64_t now_ns);
  // Writes it if it is another one.
  void Refresh(MetadataWriter& metadata, int64_t now_ns);
  void RefreshIfDue(MetadataWriter& metadata, int64_t now_ns) {
    if (now_ns >= next_look_ns_) Refresh(metadata, now_ns);
  }

  // Whether what was written last is no longer so, or the main thread has another name since. Opens nothing: on the
  // program's own threads.
  bool HasChanged() const;

 private:
  static constexpr uint64_t kUnknown = 0;
  static constexpr int64_t kFirstPauseNs = 100 * kNsPerMs;
  static constexpr int64_t kPauseNs = 400 * kNsPerMs;
  static constexpr int64_t kLongestPauseNs = 60'000 * kNsPerMs;

  uint64_t FirstArgumentNow() const;
  void LookAtMainName();
  void Look(MetadataWriter& metadata, int64_t now_ns, bool writes_anyway);

  const char* first_argument_ = nullptr;
  std::atomic<uint64_t> first_argument_seen_{kUnknown}, main_name_seen_{kUnknown};  // hashes; relaxed
  uint64_t written_ = kUnknown;                                                     // a hash, too
  int64_t pause_ns_ = kFirstPauseNs, usual_pause_ns_ = kPauseNs;
  int64_t next_look_ns_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_PROCESS_PROCESS_TITLE_H_
