// The categories of base_profiler_abi.h.
#include "baseprofiler/base_profiler_abi.h"
#include "labels/category_table.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

int AndRecorded(geckoprof_category_result result) {
  if (const Segment* const segment = RecordingState::Get().SegmentOfRecording()) CategoryTable::Get().WriteTo(*segment);
  return result;
}

}  // namespace
}  // namespace geckoprof

GECKOPROF_EXPORT int geckoprof_base_add_category(const char* name, const char* color, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::AndRecorded(geckoprof::CategoryTable::Get().Add(name, color, pair != nullptr ? *pair : unwanted));
}

GECKOPROF_EXPORT int geckoprof_base_add_subcategory(uint32_t category_pair, const char* name, uint32_t* pair) {
  uint32_t unwanted = 0;
  return geckoprof::AndRecorded(
      geckoprof::CategoryTable::Get().AddSubcategory(category_pair, name, pair != nullptr ? *pair : unwanted));
}
