// The machine code around return addresses.
#ifndef GECKOPROF_UNWIND_RETURN_SITES_H_
#define GECKOPROF_UNWIND_RETURN_SITES_H_

#include <cstdint>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/machine_code.h"

namespace geckoprof {

// ReturnSite describes the code around one address.
//
//   | call target | <- the address | add $8, %rsp; ret |
//     follows_call                   return_slot
struct ReturnSite {
  bool follows_call;
  bool is_signal_trampoline;  // the code at the address calls rt_sigreturn at once: a handler returns there
  bool has_return_slot;
  ReturnSlot return_slot;
  uint64_t call_target;  // of a direct call before the address; 0 if there is none
};

// ReturnSites reads the code around addresses. A read costs a system call, so results are cached until the modules
// change.
//
// Threads: owned by the sampler thread. Context: system calls. The first use allocates 32 KiB of address space. Without
// memory the last result alone is kept.
class ReturnSites {
 public:
  explicit ReturnSites(const ModuleTable& modules) : modules_(modules) {}

  // Describes `avma`, which may be any word. The description of an address outside executable memory is empty. The
  // result is valid until the next call.
  const ReturnSite& At(uint64_t avma);

  // Returns true if the address lies in executable memory, after a call instruction or at a signal trampoline.
  bool IsReturnAddress(uint64_t avma) {
    const ReturnSite& site = At(avma);
    return site.follows_call || site.is_signal_trampoline;
  }

 private:
  static constexpr unsigned kCacheBits = 9;
  struct Known {
    uint64_t avma;
    uint32_t generation;
    ReturnSite site;
  };

  Known& PlaceOf(uint64_t avma);
  ReturnSite Read(uint64_t avma, uint64_t bytes_before) const;

  const ModuleTable& modules_;
  PageMemory memory_;  // Zeros are an empty table, because no code lies at address 0.
  Known last_ = {};    // used if there is no memory
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_RETURN_SITES_H_
