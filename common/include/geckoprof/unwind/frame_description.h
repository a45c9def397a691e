// Entries of .eh_frame and .debug_frame, decoded up to their instructions.
#ifndef GECKOPROF_UNWIND_FRAME_DESCRIPTION_H_
#define GECKOPROF_UNWIND_FRAME_DESCRIPTION_H_

#include <cstdint>

#include "geckoprof/modules/cfi_reader.h"
#include "geckoprof/modules/unwind_sections.h"

namespace geckoprof {

struct CfiRow;
class CieCache;

// CommonInformation is a CIE. It holds the part that many FDEs share. It borrows the section's bytes.
//
//   length | 0 | version | "zPLRS" | code, data alignment | return address column | augmentation data | instructions
//
// In .debug_frame (DWARF 5, 6.4.1) the second field is 0xffffffff.
struct CommonInformation {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint64_t return_address_column = 0;
  uint8_t pointer_encoding = 0;
  bool is_signal_frame = false;  // the caller was interrupted, so its pc is exact
  bool has_augmentation_data = false;
  CfiReader initial_instructions;
};

// FrameDescription is an FDE together with the CIE that it names. It borrows the section's bytes.
//
//   length | distance back to the CIE | pc_begin | pc_range | augmentation data | instructions
//
// In .debug_frame the second field is the offset of the CIE.
struct FrameDescription : CommonInformation {
  uint64_t start_svma = 0;
  uint64_t end_svma = 0;
  CfiReader instructions;
  PointerBases instruction_bases;  // of `instructions`, for DW_CFA_set_loc
  bool is_of_debug_frame = false;
  const CfiRow* initial_row = nullptr;  // the row of initial_instructions, borrowed from a CieCache, or null

  bool Covers(uint64_t pc_svma) const { return pc_svma - start_svma < end_svma - start_svma; }
};

enum class EntryKind : uint8_t { kFde, kCie, kEnd, kDamaged };

// Decodes the entry at `offset`. Sets `next_offset` unless the entry is kEnd. If the length is damaged, it becomes the
// offset itself. `description` is filled in only for kFde.
EntryKind ReadEntry(const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description,
                    uint64_t& next_offset);

// Reads the FDE at `offset`, with its CIE through `cies`. Returns false if there is none or if it is damaged.
bool ReadFde(const SectionBytes& eh_frame, uint64_t offset, CieCache& cies, uint32_t module_id,
             FrameDescription& description);

// Returns false if there is no CIE at `offset` or if it is damaged.
bool ReadCommonInformation(const SectionBytes& eh_frame, uint64_t offset, CommonInformation& common);

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_FRAME_DESCRIPTION_H_
