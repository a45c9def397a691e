// Base's side of the handover.
#ifndef GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_
#define GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_

#include <cstdint>

#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// Handover: changes the owner of base's recording. The owner is told of ticks and of state changes.
//
//             TakeOver(owner)                       HandBack(owner)
//   no owner ----------------> owner's ticks ---------------------> no owner      (each at a tick boundary)
//
// Each change is a marker interval "Profilers handover" on the calling thread, from the call to the change.
//
// Invariants: the sampler thread calls the owner's `tick`. A thread that changes the state calls `state_changed` under
// OwnerLink's lock. No function of the owner runs after HandBack has returned, because HandBack takes that lock too.
// Threads: any, one at a time.
// Context: not signal context.
class Handover {
 public:
  static HandoverResult TakeOver(const OwnerTable* owner, int64_t timeout_ns);
  static HandoverResult HandBack(const OwnerTable* owner, int64_t timeout_ns);

  static const HandoverTable& Table();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_
