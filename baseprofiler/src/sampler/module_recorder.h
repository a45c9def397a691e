#ifndef GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/entries/sample_writer.h"
#include "geckoprof/modules/module_table.h"

namespace geckoprof {

// ModuleRecorder: keeps the module table up to date, and writes what was mapped, and when it went: into the metadata,
// and as a mark into the sampler's stream, where addresses mean something else from then on.
//
//   captured while library A was there | dlclose(A), dlopen(B) at the same place | captured in B
//                                        noted: what was captured before is       unwound and written
//                                        unwound and written first, by the        by the new list
//                                        old list; then the list is read
//
// The list is read again when an address was met that nothing maps, when the program called dlclose, and once a second
// for what nobody told us. Reading it costs about a microsecond a mapping: it takes a twentieth of the time at most,
// but is never put off for more than 5 ms; and for an unknown address not within 5 ms of a time when that told nothing
// new. Threads: owned by the sampler. Context: not signal context.
class ModuleRecorder {
 public:
  // `unloads`: as of SamplerControl.
  ModuleRecorder(MetadataWriter* metadata, SampleWriter* samples, const std::atomic<uint32_t>* unloads)
      : metadata_(*metadata), samples_(*samples), unloads_(*unloads) {}

  // What is called before the list is read after something was unloaded. It may use the table, but not have it read.
  void CallBefore(void (*call)(void* context), void* context) {
    before_ = call;
    before_context_ = context;
  }

  // Reads the list now. It counts as read a nanosecond after the one before, at least.
  void Refresh(int64_t now_ns);

  // Reads it if that is due. True if it was read.
  bool RefreshIfDue(int64_t now_ns);

  // An address was met that is in no known mapping.
  void NoteUnknownAddress() { wanted_ = true; }
  // One was met since the list was read.
  bool is_wanted() const { return wanted_; }
  // The list is known to be out of date.
  bool is_stale() const { return wanted_ || AnyUnloadNoted(); }

  // When it was read, and how long after that it is due at the earliest.
  int64_t last_read_ns() const { return last_ns_; }
  int64_t pause_ns() const { return pause_ns_; }

  ModuleTable& table() { return table_; }

 private:
  static constexpr int64_t kShortestPauseNs = 1'000'000;
  static constexpr int64_t kUsualPauseNs = 5'000'000;
  static constexpr int64_t kLongestPauseNs = 1'000'000'000;
  static constexpr int64_t kMostShare = 20;  // a part in so many of the time

  bool AnyUnloadNoted() const { return unloads_.load(std::memory_order_relaxed) != unloads_seen_; }

  MetadataWriter& metadata_;
  SampleWriter& samples_;
  const std::atomic<uint32_t>& unloads_;
  void (*before_)(void* context) = nullptr;
  void* before_context_ = nullptr;
  ModuleTable table_;
  std::string maps_;
  int64_t last_ns_ = -1;
  int64_t pause_ns_ = kUsualPauseNs;
  uint32_t unloads_seen_ = 0;  // when it was read
  size_t region_count_ = 0;
  bool wanted_ = false;
  bool any_news_ = true;  // by the last reading
  bool is_in_before_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
