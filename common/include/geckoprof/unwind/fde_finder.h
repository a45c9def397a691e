// Finds the entry that describes an address.
#ifndef GECKOPROF_UNWIND_FDE_FINDER_H_
#define GECKOPROF_UNWIND_FDE_FINDER_H_

#include <array>
#include <cstdint>
#include <vector>

#include "geckoprof/modules/module.h"
#include "geckoprof/unwind/cfi_row.h"
#include "geckoprof/unwind/frame_description.h"

namespace geckoprof {

// CieCache holds the decoded CIEs that were used last, each with the row that its instructions describe. A module has
// few CIEs. Even a compiler with all its libraries has nine. Decoding one is a third of the work for a new address.
//
// Rows point into the module's section. An entry is valid while its module exists, and module ids are never reused.
//
// Threads: owned by the sampler thread. Context: no allocation.
class CieCache {
 public:
  // Fills in the common part of `description` from the CIE at `offset`, and its initial_row, which is valid until the
  // next call. Returns false if the CIE is damaged.
  bool Read(uint32_t module_id, const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description);

 private:
  struct Entry {
    uint32_t module_id = 0;  // 0: empty
    uint64_t offset = 0;
    bool is_debug_frame = false;
    CommonInformation common;
    CfiRow row;
  };
  static constexpr unsigned kEntryBits = 4;

  std::array<Entry, 1u << kEntryBits> entries_;
};

// FdeFinder uses the linker's search table if the module has one. A section without a table is rare. FdeFinder then
// reads all of its entries once, at the first request, and makes an index. If .eh_frame has no entry for an address, it
// looks in .debug_frame, which has no table.
//
// Threads: owned by the sampler thread. Context: it allocates, but only for a section without a table.
class FdeFinder {
 public:
  // Returns true if `module` has an entry that covers `pc_avma`. Addresses in `description` are svmas. It is valid
  // until the next call.
  bool Find(Module& module, uint64_t pc_avma, FrameDescription& description);

 private:
  struct IndexRow {
    uint64_t start_svma;
    uint64_t offset;
  };
  struct Index {
    uint32_t module_id = 0;
    bool is_debug_frame = false;
    std::vector<IndexRow> rows;  // sorted by start_svma
  };
  bool FindIn(const UnwindSections* sections, const Module& module, uint64_t pc_svma, FrameDescription& description);
  const Index& IndexOf(uint32_t module_id, const SectionBytes& eh_frame);

  CieCache cies_;
  std::vector<Index> indexes_;  // of modules without a table, dead ones included: ids are not used again
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FDE_FINDER_H_
