// From an address to the entry that describes it.
#ifndef GECKOPROF_UNWIND_FDE_FINDER_H_
#define GECKOPROF_UNWIND_FDE_FINDER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "geckoprof/modules/module.h"
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

// FdeFinder: through the linker's search table where there is one; else through an index of its own, made by reading
// all of the module's entries once, when first asked (a module without a table is rare). Threads: owned by the sampler
// thread. Context: allocates, but only for a module without a table.
class FdeFinder {
 public:
  // True if `module` has an entry that covers `pc_avma`. Addresses in `description` are svmas. It holds until the next
  // call.
  bool Find(Module& module, uint64_t pc_avma, FrameDescription& description);

 private:
  struct IndexRow {
    uint64_t start_svma;
    uint64_t offset;
  };
  struct Index {
    uint32_t module_id = 0;
    std::vector<IndexRow> rows;  // sorted by start_svma
  };
  const Index& IndexOf(uint32_t module_id, const SectionBytes& eh_frame);

  CieCache cies_;
  std::vector<Index> indexes_;  // of modules without a table, dead ones included: ids are not used again
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FDE_FINDER_H_
