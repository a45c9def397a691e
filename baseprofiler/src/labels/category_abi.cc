// baseprofiler/category_abi.h.
#include "baseprofiler/category_abi.h"

#include "core/exported_function.h"
#include "core/profiler_core.h"
#include "labels/category_table.h"

GECKOPROF_EXPORT int geckoprof_base_add_category(const char* name, const char* color, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::CategoryTable::Get().Add(name, color, geckoprof::ProfilerCore::Get().SegmentOfRecording(),
                                             pair != nullptr ? *pair : unwanted);
}

GECKOPROF_EXPORT int geckoprof_base_add_subcategory(uint32_t category_pair, const char* name, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::CategoryTable::Get().AddSubcategory(
      category_pair, name, geckoprof::ProfilerCore::Get().SegmentOfRecording(), pair != nullptr ? *pair : unwanted);
}
