#ifndef GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_SAMPLER_H_
#define GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_SAMPLER_H_

#include <cstdint>

#include "geckoprof/entries/sample_writer.h"
#include "markers/marker_stacks.h"
#include "sampler/module_recorder.h"
#include "sampler/stack_builder.h"

namespace geckoprof {

// MarkerStackSampler: the sampler's side of MarkerStacks: unwinds what marking threads have copied, and tells them for
// which list of modules its rules hold. Threads: the sampler. Context: not signal context.
class MarkerStackSampler {
 public:
  // `stacks` unwinds by the rules of `shared`.
  MarkerStackSampler(MarkerStacks* shared, StackBuilder* stacks, ModuleRecorder* modules, SampleWriter* samples)
      : shared_(*shared), stacks_(*stacks), modules_(*modules), samples_(*samples) {}

  // Writes the stacks that were copied so far. To be called before modules are forgotten that they may go through.
  void Take(bool native);

  // The list of modules is up to date, or is said to be stale (ModuleRecorder): after so many libraries were unloaded.
  void ShareRules(uint32_t unloads);

 private:
  void TakeOne(uint64_t id, const CaptureBuffer& copy);

  MarkerStacks& shared_;
  StackBuilder& stacks_;
  ModuleRecorder& modules_;
  SampleWriter& samples_;
  int64_t now_ns_ = 0;
  bool native_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_MARKERS_MARKER_STACK_SAMPLER_H_
