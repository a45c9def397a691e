// What entries of .eh_frame have in common, decoded once.
#ifndef GECKOPROF_UNWIND_CIE_CACHE_H_
#define GECKOPROF_UNWIND_CIE_CACHE_H_

#include <array>
#include <cstdint>

#include "geckoprof/unwind/cfi_row.h"
#include "geckoprof/unwind/frame_description.h"

namespace geckoprof {

// CieCache: the decoded CIEs that were met last, each with the row that its instructions give. A module has few, a
// compiler with all its libraries nine; decoding one and running its instructions is a third of the work for a new
// address.
//
// Rows point into the module's section: an entry may be used as long as its module is there, and module ids are not
// used again. Threads: owned by the sampler thread. Context: no allocation.
class CieCache {
 public:
  // Fills in the common part of `description` from the CIE at `offset`, and its initial_row, which holds until the next
  // call. False if the CIE is damaged.
  bool Read(uint32_t module_id, const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description);

 private:
  struct Entry {
    uint32_t module_id = 0;  // 0: empty
    uint64_t offset = 0;
    CommonInformation common;
    CfiRow row;
  };
  static constexpr unsigned kEntryBits = 4;

  std::array<Entry, 1u << kEntryBits> entries_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CIE_CACHE_H_
