#include "geckoprof/unwind/fde_finder.h"

#include <algorithm>

namespace geckoprof {

bool CieCache::Read(uint32_t module_id, const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description) {
  const uint64_t hash = (offset ^ (uint64_t{module_id} << 40)) * 0x9e3779b97f4a7c15;
  Entry& entry = entries_[hash >> (64 - kEntryBits)];
  if (entry.module_id != module_id || entry.offset != offset || entry.is_debug_frame != eh_frame.is_debug_frame) {
    entry.module_id = 0;
    if (!ReadCommonInformation(eh_frame, offset, entry.common) || !FindInitialRow(entry.common, entry.row))
      return false;
    entry.module_id = module_id;
    entry.offset = offset;
    entry.is_debug_frame = eh_frame.is_debug_frame;
  }
  static_cast<CommonInformation&>(description) = entry.common;
  description.initial_row = &entry.row;
  return true;
}

bool FdeFinder::Find(Module& module, uint64_t pc_avma, FrameDescription& description) {
  const uint64_t pc_svma = pc_avma - module.bias();
  return FindIn(module.unwind_sections(), module, pc_svma, description) ||
         FindIn(module.debug_frame(), module, pc_svma, description);
}

bool FdeFinder::FindIn(const UnwindSections* sections, const Module& module, uint64_t pc_svma,
                       FrameDescription& description) {
  if (sections == nullptr) return false;
  uint64_t offset = UnwindSections::kNotFound;
  if (sections->has_table()) {
    offset = sections->FindInTable(pc_svma);
  } else {
    const auto& rows = IndexOf(module.id(), sections->eh_frame()).rows;
    const auto above = std::upper_bound(rows.begin(), rows.end(), pc_svma,
                                        [](uint64_t wanted, const IndexRow& row) { return wanted < row.start_svma; });
    if (above != rows.begin()) offset = (above - 1)->offset;
  }
  if (offset == UnwindSections::kNotFound) return false;
  return ReadFde(sections->eh_frame(), offset, cies_, module.id(), description) && description.Covers(pc_svma);
}

const FdeFinder::Index& FdeFinder::IndexOf(uint32_t module_id, const SectionBytes& eh_frame) {
  for (const Index& index : indexes_) {
    if (index.module_id == module_id && index.is_debug_frame == eh_frame.is_debug_frame) return index;
  }
  Index& index = indexes_.emplace_back();
  index.module_id = module_id;
  index.is_debug_frame = eh_frame.is_debug_frame;
  uint64_t offset = 0;
  for (;;) {
    FrameDescription description;
    uint64_t next_offset = 0;
    const EntryKind kind = ReadEntry(eh_frame, offset, description, next_offset);
    if (kind == EntryKind::kFde) index.rows.push_back({description.start_svma, offset});
    if (kind == EntryKind::kEnd || next_offset <= offset) break;
    offset = next_offset;
  }
  std::sort(index.rows.begin(), index.rows.end(),
            [](const IndexRow& a, const IndexRow& b) { return a.start_svma < b.start_svma; });
  return index;
}

}  // namespace geckoprof
