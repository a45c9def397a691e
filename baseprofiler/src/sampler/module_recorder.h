#ifndef GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/modules/module_table.h"

namespace geckoprof {

// ModuleRecorder: keeps the module table up to date, and records when each module was mapped and unmapped. It writes
// this into the metadata. It also marks in the sampler's stream that addresses mean something else from then on.
//
//   captured while library A was there | dlclose(A), dlopen(B) at the same place | captured in B
//                                        noted: earlier captures are unwound and  unwound and written
//                                        written first, by the old list; then     by the new list
//                                        the list is read
//
// The list is read again after an unknown address and after dlclose of the program. It is also read once a second,
// because other changes go unnoticed. Reading costs about a microsecond a mapping. It takes at most a twentieth of the
// time, and a read that is due is never put off for more than 5 ms. After a read without news, an unknown address
// causes no read for 5 ms.
//
// Threads: owned by the sampler.
// Context: not signal context.
class ModuleRecorder {
 public:
  // `unloads` is the counter in SamplerControl.
  ModuleRecorder(MetadataWriter* metadata, SampleWriter* samples, const std::atomic<uint32_t>* unloads)
      : metadata_(*metadata), samples_(*samples), unloads_(*unloads) {}

  // Reads the list now. Its time is at least a nanosecond after the last read. After an unload, the caller must first
  // write the stacks that were captured before it.
  void Refresh(int64_t now_ns);

  // Returns whether a read is due.
  bool IsDue(int64_t now_ns) const;
  // Returns whether a read would be due if an unknown address was noted now.
  bool MayBeWanted(int64_t now_ns) const { return now_ns - last_ns_ >= (any_news_ ? pause_ns_ : kUsualPauseNs); }

  // Notes that an address lies in no known mapping.
  void NoteUnknownAddress() { wanted_ = true; }
  // Returns true if an unknown address was noted since the last read.
  bool is_wanted() const { return wanted_; }
  // Returns true if the list is known to be out of date.
  bool is_stale() const { return wanted_ || AnyUnloadNoted(); }

  // The time of the last read, and the shortest pause after it.
  int64_t last_read_ns() const { return last_ns_; }
  int64_t pause_ns() const { return pause_ns_; }

  ModuleTable& table() { return table_; }

 private:
  static constexpr int64_t kShortestPauseNs = 1'000'000;
  static constexpr int64_t kUsualPauseNs = 5'000'000;
  static constexpr int64_t kLongestPauseNs = 1'000'000'000;
  static constexpr int64_t kMaxShare = 20;  // the largest share of time is one in this many

  bool AnyUnloadNoted() const { return unloads_.load(std::memory_order_relaxed) != unloads_seen_; }

  MetadataWriter& metadata_;
  SampleWriter& samples_;
  const std::atomic<uint32_t>& unloads_;
  ModuleTable table_;
  std::string maps_;
  int64_t last_ns_ = -1;
  int64_t pause_ns_ = kUsualPauseNs;
  uint32_t unloads_seen_ = 0;  // at the last read
  size_t region_count_ = 0;
  bool wanted_ = false;
  bool any_news_ = true;  // from the last read
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
