#ifndef GECKOPROF_BASEPROFILER_FLOW_H_
#define GECKOPROF_BASEPROFILER_FLOW_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// The id of something that is passed on between threads or processes: the viewer joins markers with the same one.
class Flow {
 public:
  // Of an object of this process.
  static Flow FromPointer(const void* object) { return ProcessScoped(reinterpret_cast<uintptr_t>(object)); }
  // Unique within this process only: mixed with what tells it from others.
  static Flow ProcessScoped(uint64_t id) { return Flow(id ^ geckoprof_base_process_salt()); }
  // Unique wherever the profile comes from.
  static constexpr Flow Global(uint64_t id) { return Flow(id); }
  constexpr uint64_t id() const { return id_; }

 private:
  explicit constexpr Flow(uint64_t id) : id_(id) {}
  uint64_t id_;
};

// The flow that a marker belongs to, whatever its type: an option of markers.
class MarkerFlow {
 public:
  constexpr MarkerFlow() = default;  // none
  explicit constexpr MarkerFlow(Flow flow) : id_(flow.id()), flags_(GECKOPROF_MARKER_HAS_FLOW) {}
  // The flow ends with this marker.
  static constexpr MarkerFlow Terminating(Flow flow) {
    MarkerFlow ended(flow);
    ended.flags_ |= GECKOPROF_MARKER_ENDS_FLOW;
    return ended;
  }
  constexpr bool IsNoFlow() const { return flags_ == 0; }
  constexpr uint64_t id() const { return id_; }
  constexpr uint32_t flags() const { return flags_; }

 private:
  uint64_t id_ = 0;
  uint32_t flags_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_FLOW_H_
