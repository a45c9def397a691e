#include "geckoprof/unwind/cie_cache.h"

namespace geckoprof {

bool CieCache::Read(uint32_t module_id, const SectionBytes& eh_frame, uint64_t offset, FrameDescription& description) {
  const uint64_t hash = (offset ^ (uint64_t{module_id} << 40)) * 0x9e3779b97f4a7c15;
  Entry& entry = entries_[hash >> (64 - kEntryBits)];
  if (entry.module_id != module_id || entry.offset != offset) {
    entry.module_id = 0;
    if (!ReadCommonInformation(eh_frame, offset, entry.common) || !FindInitialRow(entry.common, entry.row))
      return false;
    entry.module_id = module_id;
    entry.offset = offset;
  }
  static_cast<CommonInformation&>(description) = entry.common;
  description.initial_row = &entry.row;
  return true;
}

}  // namespace geckoprof
