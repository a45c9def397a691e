#include "baseprofiler/counter_abi.h"

#include "counters/counter_table.h"
#include "recording/recording_state.h"
#include "runtime/exported_function.h"

namespace geckoprof {
namespace {

bool IsRecording() { return RecordingState::Get().IsActive(); }

}  // namespace
}  // namespace geckoprof

using geckoprof::CounterTable;
using geckoprof::IsRecording;

GECKOPROF_EXPORT geckoprof_counter* geckoprof_base_counter_create(const geckoprof_counter_description* description) {
  return CounterTable::Get().Create(description, IsRecording());
}

GECKOPROF_EXPORT geckoprof_counter* geckoprof_base_counter_create_once(
    geckoprof_counter** place, const geckoprof_counter_description* description) {
  return CounterTable::Get().CreateOnce(place, description, IsRecording());
}

GECKOPROF_EXPORT void geckoprof_base_counter_destroy(geckoprof_counter* counter) {
  if (counter != nullptr) CounterTable::Get().Destroy(counter);
}
