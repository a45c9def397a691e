#include "recording/recording_state.h"

#include <type_traits>

namespace geckoprof {

constinit RecordingState RecordingState::the_state_;
static_assert(std::is_trivially_destructible_v<RecordingState>);

}  // namespace geckoprof
