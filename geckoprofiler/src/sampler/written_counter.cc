#include "sampler/written_counter.h"

// Weak: null in a program without libbaseprofiler.so.
#pragma weak geckoprof_base_counter_create
#pragma weak geckoprof_base_counter_destroy

namespace geckoprof {

void WrittenCounter::Make(geckoprof_detailed_counter_description& description, int64_t first) {
  if (was_asked_for_ || geckoprof_base_counter_create == nullptr) return;
  was_asked_for_ = true;
  description.shown.size_bytes = sizeof(description);
  description.first_count = first;
  counter_ = geckoprof_base_counter_create(&description.shown);
}

void WrittenCounter::Add(geckoprof_detailed_counter_description description, int64_t delta) {
  if (delta == 0) return;
  Make(description, 0);
  geckoprof_base_counter_add_amount(counter_, delta);
}

void WrittenCounter::Set(geckoprof_detailed_counter_description description, int64_t before, int64_t value) {
  if (counter_ == nullptr && value == before) return;
  Make(description, before);
  geckoprof_base_counter_set(counter_, value);
}

void WrittenCounter::End() {
  if (counter_ != nullptr) geckoprof_base_counter_destroy(counter_);
  counter_ = nullptr;
  was_asked_for_ = false;
}

}  // namespace geckoprof
