#include "fake_base.h"

#include <algorithm>

#include "baseprofiler/c/geckoprof_markers.h"

namespace geckoprof {
namespace {

FakeBase& Base() { return *FakeBase::current; }

int32_t Start(const HandoverParameters* wanted) {
  Base().calls.emplace_back("start");
  if (Base().start_result != 0) return Base().start_result;
  if (Base().state != 0) return 1;
  Base().Keep(*wanted);
  Base().state = kStateActive;
  ++Base().started_ns;
  Base().NotifyOwner();
  return 0;
}

int32_t Stop() {
  Base().calls.emplace_back("stop");
  const bool was_active = Base().state != 0;
  Base().state = 0;
  if (was_active) Base().NotifyOwner();
  return was_active ? 1 : 0;
}

// One label, and no stack.
int32_t Sample(int32_t tid, int64_t, void (*take)(void* context, const HandoverStack* stack), void* context) {
  Base().calls.push_back("sample " + std::to_string(tid));
  if (Base().sample_result != 0) return Base().sample_result;
  const HandoverLabel label = {1, "fake label", 10, 0x100};
  HandoverStack stack = {};
  stack.size_bytes = sizeof(stack);
  stack.is_main = 1;
  stack.pc = 0x1234;
  stack.labels = &label;
  stack.label_count = 1;
  stack.label_size_bytes = sizeof(label);
  take(context, &stack);
  return 0;
}

int32_t SetPaused(uint32_t kinds) {
  Base().calls.push_back("paused " + std::to_string(kinds));
  const uint32_t before = Base().state;
  if (before == 0) return 0;
  Base().state = kStateActive | kinds;
  if (Base().state == before) return 0;
  Base().NotifyOwner();
  return 1;
}

}  // namespace

FakeBase* FakeBase::current = nullptr;

const FakeBase::Counter* FakeBase::FindCounter(const std::string& name) {
  const std::lock_guard<std::mutex> lock(counters_lock);
  const auto found =
      std::find_if(counters.rbegin(), counters.rend(), [&](const auto& one) { return one->name == name; });
  return found != counters.rend() ? found->get() : nullptr;
}

FakeBase::FakeBase() {
  current = this;
  table = {};
  table.magic = kHandoverMagic;
  table.size_bytes = sizeof(HandoverTable);
  table.version = kHandoverVersion;
  table.take_over = [](const OwnerTable* new_owner, int64_t) {
    if (Base().take_over_result == 0) Base().owner = new_owner;
    return Base().take_over_result;
  };
  table.hand_back = [](const OwnerTable*, int64_t) {
    if (Base().hand_back_result == 0) Base().owner = nullptr;
    return Base().hand_back_result;
  };
  table.start = &Start;
  table.stop = &Stop;
  table.set_paused = &SetPaused;
  table.state = [] { return Base().state.load(); };
  table.reconfigure = [](const HandoverParameters* wanted) {
    Base().calls.emplace_back("reconfigure");
    Base().Keep(*wanted);
    return Base().state != 0 ? 1 : 0;
  };
  table.visit_parameters = [](void (*visit)(void*, const HandoverParameters*), void* context) {
    if (Base().state == 0) return 0;
    const std::lock_guard<std::mutex> holder(Base().parameters_lock);
    visit(context, &Base().parameters);
    return 1;
  };
  table.segment_at = [](uint64_t offset, uint64_t* bytes) -> const void* {
    const bool has = Base().segment != nullptr && offset < Base().segment_bytes;
    *bytes = has ? Base().segment_bytes - offset : 0;
    return has ? static_cast<const uint8_t*>(Base().segment) + offset : nullptr;
  };
  table.started_ns = [] { return Base().started_ns.load(); };
  table.sample_thread = &Sample;
  table.owner = [] { return Base().owner.load(); };
}

FakeBase::~FakeBase() { current = nullptr; }

void FakeBase::Keep(const HandoverParameters& wanted) {
  const std::lock_guard<std::mutex> holder(parameters_lock);
  parameters = wanted;
  filters.clear();
  filter_pointers.clear();
  for (uint32_t i = 0; i < wanted.filter_count; ++i) filters.emplace_back(wanted.filters[i]);
  for (const std::string& filter : filters) filter_pointers.push_back(filter.c_str());
  parameters.filters = filter_pointers.data();
}

void FakeBase::StartByBase() {
  ++started_ns;
  ChangeByBase(kStateActive);
}

void FakeBase::StopByBase() { ChangeByBase(0); }

void FakeBase::ChangeByBase(uint32_t new_state) {
  state = new_state;
  NotifyOwner();
}

}  // namespace geckoprof

// Base's API, as far as the library uses it.
extern "C" int geckoprof_base_mark_text(const char* name, uint32_t, const geckoprof_marker_options*, const char* text,
                                        uint64_t text_bytes) {
  if (geckoprof::FakeBase::current == nullptr) return GECKOPROF_NOT_RECORDING;
  geckoprof::FakeBase::current->markers.push_back(std::string(name) + ": " + std::string(text, text_bytes));
  return GECKOPROF_MARKED;
}

extern "C" geckoprof_counter* geckoprof_base_counter_create(const geckoprof_counter_description* description) {
  using geckoprof::FakeBase;
  if (FakeBase::current == nullptr) return nullptr;
  const auto* const details = reinterpret_cast<const geckoprof_detailed_counter_description*>(description);
  auto counter = std::make_unique<FakeBase::Counter>();
  counter->name = description->name;
  counter->unit = description->unit;
  counter->flags = description->flags;
  counter->first = counter->cell.count = details->first_count;
  counter->period_ns = details->period_ns;
  const std::lock_guard<std::mutex> lock(FakeBase::current->counters_lock);
  if (FakeBase::current->counters.size() >= FakeBase::current->most_counters) return nullptr;
  FakeBase::current->counters.push_back(std::move(counter));
  return &FakeBase::current->counters.back()->cell;
}

extern "C" void geckoprof_base_counter_destroy(geckoprof_counter* cell) {
  using geckoprof::FakeBase;
  if (FakeBase::current == nullptr) return;
  const std::lock_guard<std::mutex> lock(FakeBase::current->counters_lock);
  for (const auto& counter : FakeBase::current->counters) {
    if (&counter->cell == cell) counter->has_ended = true;
  }
}
