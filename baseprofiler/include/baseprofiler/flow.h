#ifndef GECKOPROF_BASEPROFILER_FLOW_H_
#define GECKOPROF_BASEPROFILER_FLOW_H_

#include <cstdint>

#include "baseprofiler/marker_abi.h"

namespace geckoprof {

// Flow is the id of an object that moves between threads or processes. The viewer connects markers with the same id.
class Flow {
 public:
  // Returns the flow of an object of this process.
  static Flow FromPointer(const void* object) { return ProcessScoped(reinterpret_cast<uintptr_t>(object)); }
  // The id is unique in this process only, so it is mixed with a number of the process.
  static Flow ProcessScoped(uint64_t id) { return Flow(id ^ geckoprof_base_process_salt()); }
  // The id is unique in all processes of a profile.
  static constexpr Flow Global(uint64_t id) { return Flow(id); }
  constexpr uint64_t id() const { return id_; }

 private:
  explicit constexpr Flow(uint64_t id) : id_(id) {}
  uint64_t id_;
};

// MarkerFlow is the option that adds a marker of any type to a flow.
class MarkerFlow {
 public:
  constexpr MarkerFlow() = default;  // No flow.
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
