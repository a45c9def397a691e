// Base's side of the handover.
#ifndef GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_
#define GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_

#include <cstdint>

#include "geckoprof/handover/handover_table.h"

namespace geckoprof {

// Handover: who owns base's recording, and what the owner is told.
//
//             TakeOver(owner)                       HandBack(owner)
//   nobody ---------------------> owner's ticks ---------------------> nobody      (each at a tick boundary)
//
// Either is a marker interval "Profilers handover" on the calling thread, from the call to the change. The owner's
// table is called by the sampler thread (tick) and by who changed the state (state_changed), never after HandBack has
// returned: the second under owner_lock_, which HandBack takes too. Threads: any, one at a time. Context: not signal
// context. Lifetime: static, zero-initialised.
class Handover {
 public:
  static HandoverResult TakeOver(const OwnerTable* owner, int64_t timeout_ns);
  static HandoverResult HandBack(const OwnerTable* owner, int64_t timeout_ns);

  static const HandoverTable& Table();
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_HANDOVER_HANDOVER_H_
