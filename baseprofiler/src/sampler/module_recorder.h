#ifndef GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/modules/module_table.h"

namespace geckoprof {

// ModuleRecorder: keeps the module table up to date and writes what was mapped, and when it went, into the metadata.
//
// The list is read again when an address was met that nothing maps, when the program called dlclose, and once a second
// for what nobody told us. Never more often than every 5 ms: reading it costs about a microsecond a mapping. Threads:
// owned by the sampler; NoteUnload: any. Context: not signal context.
class ModuleRecorder {
 public:
  explicit ModuleRecorder(MetadataWriter* metadata) : metadata_(metadata) {}

  // Reads the list now. Returns where modules were that have gone: addresses there that were recorded so far belong to
  // the old list (SampleWriter::NoteUnmapped). Valid until the next call.
  std::span<const AddressRange> Refresh(int64_t now_ns);

  // What the sampler calls at each tick; the same result.
  std::span<const AddressRange> RefreshIfNeeded(int64_t now_ns, bool unload_noted);

  // An address was met that is in no known mapping.
  void NoteUnknownAddress() { wanted_ = true; }

  // Whether the list is known to be stale.
  bool is_wanted() const { return wanted_; }

  // When it was read.
  int64_t last_read_ns() const { return last_ns_; }

  ModuleTable& table() { return table_; }

 private:
  static constexpr int64_t kShortestPauseNs = 5'000'000;
  static constexpr int64_t kLongestPauseNs = 1'000'000'000;

  MetadataWriter* const metadata_;
  ModuleTable table_;
  std::string maps_;
  std::vector<AddressRange> removed_ranges_;  // by the last reading
  int64_t last_ns_ = 0;
  bool wanted_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_MODULE_RECORDER_H_
