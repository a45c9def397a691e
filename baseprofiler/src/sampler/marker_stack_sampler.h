#ifndef GECKOPROF_BASEPROFILER_SAMPLER_MARKER_STACK_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_MARKER_STACK_SAMPLER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "geckoprof/entries/sample_writer.h"
#include "markers/pending_marker_stacks.h"
#include "sampler/module_recorder.h"
#include "sampler/stack_builder.h"

namespace geckoprof {

// MarkerStackSampler: the sampler's side of PendingMarkerStacks. It unwinds the stacks that marking threads have
// copied, and it tells those threads for which list of modules its rules hold.
//
// Threads: the sampler.
// Context: not signal context.
class MarkerStackSampler {
 public:
  // `stacks` unwinds by the rules of `shared`. `unloads` is the counter in SamplerControl.
  MarkerStackSampler(const Segment* segment, PendingMarkerStacks* shared, StackBuilder* stacks, ModuleRecorder* modules,
                     SampleWriter* samples, const std::atomic<uint32_t>* unloads)
      : segment_(*segment),
        shared_(*shared),
        stacks_(*stacks),
        modules_(*modules),
        samples_(*samples),
        unloads_(*unloads) {}

  // Writes the stacks that were copied so far. It must be called before modules that they go through are forgotten.
  void WritePending(bool native);
  // Returns whether there are such stacks.
  bool AnyPending() const { return shared_.AnyPublished(); }

  // Called when the list of modules is up to date after `unloads` unloads, or known to be stale (ModuleRecorder).
  void ShareRules(uint32_t unloads);

 private:
  void WriteOne(uint64_t id, const CaptureBuffer& copy);
  bool UsesOtherModules(uint32_t unloads) const;
  void ReadList();
  void NoteRead(uint32_t unloads);
  static bool IsBefore(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) < 0; }

  const Segment& segment_;
  PendingMarkerStacks& shared_;
  StackBuilder& stacks_;
  ModuleRecorder& modules_;
  SampleWriter& samples_;
  const std::atomic<uint32_t>& unloads_;
  // The last reads of the list of modules that followed further unloads, in order.
  struct ListRead {
    uint32_t unloads = 0;
    int64_t time_ns = 0;
  };
  std::array<ListRead, 16> list_reads_;
  int64_t now_ns_ = 0;
  bool native_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_MARKER_STACK_SAMPLER_H_
