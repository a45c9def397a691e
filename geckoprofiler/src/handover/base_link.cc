#include "handover/base_link.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprof/control/counter_file_name.h"
#include "geckoprof/segment/segment_counts.h"

// The table is looked up by name, so that this library also loads beside a base that has no table.
#define GECKOPROF_HAS(member) (GECKOPROF_TABLE_HAS(*table_, HandoverTable, member) && table_->member != nullptr)

namespace geckoprof {
namespace {

// A table that is larger than a page is damaged.
constexpr uint32_t kLargestTableBytes = 4096;

ProfilerOutcome FromHandover(int32_t result) {
  switch (static_cast<HandoverResult>(result)) {
    case HandoverResult::kDone:
      return {};
    case HandoverResult::kOwned:
      return {ProfilerStatus::kOwned, {}};
    case HandoverResult::kNotOwner:
      return {ProfilerStatus::kUnchanged, {}};
    case HandoverResult::kTimeout:
      return {ProfilerStatus::kTimeout, {}};
    case HandoverResult::kWrongThread:
      return {ProfilerStatus::kWrongThread, {}};
    case HandoverResult::kMismatch:
      return {ProfilerStatus::kOtherVersion, "base does not know this library's version of the handover"};
  }
  return {ProfilerStatus::kRefused, "base answered " + std::to_string(result)};
}

ProfilerOutcome FromStart(int32_t result) {
  switch (result) {  // geckoprof_base_start
    case GECKOPROF_STARTED:
      return {};
    case GECKOPROF_ALREADY_ACTIVE:
      return {ProfilerStatus::kUnchanged, {}};
    case GECKOPROF_EXCLUDED:
      return {ProfilerStatus::kExcluded, {}};
    case GECKOPROF_NO_SEGMENT:
      return {ProfilerStatus::kNoSegment, {}};
    case GECKOPROF_NO_THREAD:
      return {ProfilerStatus::kNoThread, {}};
    case GECKOPROF_UNPREPARED:
      return {ProfilerStatus::kRefused,
              "this is the child of a fork that libc does not know, or base is a copy that dlmopen loaded"};
    default:
      return {ProfilerStatus::kRefused, "base answered " + std::to_string(result)};
  }
}

ProfilerOutcome FromSample(int32_t result) {
  switch (static_cast<HandoverSample>(result)) {
    case HandoverSample::kTaken:
      return {};
    case HandoverSample::kNoThread:
      return {ProfilerStatus::kThreadGone, {}};
    case HandoverSample::kSignalBlocked:
      return {ProfilerStatus::kThreadSignalBlocked, {}};
    case HandoverSample::kTimeout:
      return {ProfilerStatus::kTimeout, "the thread did not answer in time"};
    case HandoverSample::kWrongThread:
      return {ProfilerStatus::kWrongThread, "asked inside of another capture, or in a child that base was not told of"};
    case HandoverSample::kNoMemory:
      return {ProfilerStatus::kRefused, "base has no memory, or no buffer, for another stack"};
    case HandoverSample::kUnreadable:
      return {ProfilerStatus::kRefused, "the thread is blocked, and the kernel does not show where"};
    case HandoverSample::kForbidden:
      return {ProfilerStatus::kRefused, "a seccomp filter forbids what is needed"};
  }
  return {ProfilerStatus::kRefused, "base answered " + std::to_string(result)};
}

ProfilerOutcome MissingFunction(const char* what) {
  return {ProfilerStatus::kOldBase, std::string("the loaded libbaseprofiler.so is too old to ") + what};
}

// The parameters in the form of the table. It refers to the texts of `from`.
struct TableParameters {
  explicit TableParameters(const RecordingParameters& from) {
    for (const std::string& filter : from.filters) filters.push_back(filter.c_str());
    table.size_bytes = sizeof(table);
    table.features = from.features;
    table.capacity_bytes = from.capacity_bytes;
    table.interval_ns = from.interval_ns;
    table.duration_ns = from.duration_ns;
    table.filters = filters.empty() ? nullptr : filters.data();
    table.filter_count = static_cast<uint32_t>(filters.size());
    table.requested_features = from.requested_features;
  }
  std::vector<const char*> filters;
  HandoverParameters table = {};
};

// Returns filters that select the same threads, in a normal form. The result is empty if they select everything.
std::vector<std::string> NormalizedFilters(std::vector<std::string> filters) {
  for (std::string& filter : filters) {
    if (filter.empty() || filter == "*") return {};
    for (char& c : filter) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  }
  std::sort(filters.begin(), filters.end());
  filters.erase(std::unique(filters.begin(), filters.end()), filters.end());
  return filters;
}

}  // namespace

bool RecordingParameters::HasSameEffectAs(const RecordingParameters& other) const {
  return capacity_bytes == other.capacity_bytes && interval_ns == other.interval_ns &&
         duration_ns == other.duration_ns && features == other.features &&
         NormalizedFilters(filters) == NormalizedFilters(other.filters);
}

const HandoverTable* BaseLink::FindTable() {
  // RTLD_DEFAULT also finds this library's dependencies, however it was loaded.
  const auto get = reinterpret_cast<HandoverTableFunction*>(dlsym(RTLD_DEFAULT, kHandoverTableFunction));
  return get != nullptr ? get() : nullptr;
}

BaseLink::BaseLink(const HandoverTable* table) : table_(table), usable_(Check()) {}

ProfilerOutcome BaseLink::Check() const {
  if (table_ == nullptr) return {ProfilerStatus::kNoBase, {}};
  if (table_->magic != kHandoverMagic) {
    return {ProfilerStatus::kBaseUnusable, "base's table does not begin as one: another library has its name"};
  }
  // The size is checked first, because it tells whether the table has a version.
  if (!GECKOPROF_TABLE_HAS(*table_, HandoverTable, version) || table_->size_bytes > kLargestTableBytes) {
    return {ProfilerStatus::kBaseUnusable,
            "base's table says to be of " + std::to_string(table_->size_bytes) + " bytes"};
  }
  if (table_->version != kHandoverVersion) {
    return {ProfilerStatus::kOtherVersion, "base's table is of version " + std::to_string(table_->version) +
                                               ", this library's of " + std::to_string(kHandoverVersion)};
  }
  const bool enough = GECKOPROF_HAS(take_over) && GECKOPROF_HAS(hand_back) && GECKOPROF_HAS(start) &&
                      GECKOPROF_HAS(stop) && GECKOPROF_HAS(set_paused) && GECKOPROF_HAS(state);
  if (!enough) return {ProfilerStatus::kBaseUnusable, "base's table lacks functions of control"};
  return {};
}

ProfilerOutcome BaseLink::TakeOver(const OwnerTable& owner, int64_t timeout_ns) const {
  return usable_ ? FromHandover(table_->take_over(&owner, timeout_ns)) : usable_;
}

ProfilerOutcome BaseLink::HandBack(const OwnerTable& owner, int64_t timeout_ns) const {
  return usable_ ? FromHandover(table_->hand_back(&owner, timeout_ns)) : usable_;
}

ProfilerOutcome BaseLink::Start(const RecordingParameters& parameters) const {
  if (!usable_) return usable_;
  const TableParameters asked(parameters);
  return FromStart(table_->start(&asked.table));
}

ProfilerOutcome BaseLink::Stop() const {
  if (!usable_) return usable_;
  return {table_->stop() != 0 ? ProfilerStatus::kDone : ProfilerStatus::kUnchanged, {}};
}

ProfilerOutcome BaseLink::SetPaused(uint32_t kinds) const {
  if (!usable_) return usable_;
  return {table_->set_paused(kinds) != 0 ? ProfilerStatus::kDone : ProfilerStatus::kUnchanged, {}};
}

ProfilerOutcome BaseLink::Reconfigure(const RecordingParameters& parameters) const {
  if (!usable_) return usable_;
  if (!GECKOPROF_HAS(reconfigure)) return MissingFunction("change the parameters of a recording that runs");
  const TableParameters asked(parameters);
  return {table_->reconfigure(&asked.table) == 1 ? ProfilerStatus::kDone : ProfilerStatus::kInactive, {}};
}

ProfilerResult<RecordingParameters> BaseLink::Parameters() const {
  if (!usable_) return usable_;
  if (!GECKOPROF_HAS(visit_parameters)) return MissingFunction("say what it records with");
  ParametersCopy copy;
  if (!ReadParameters(copy)) return ProfilerStatus::kInactive;
  const HandoverParameters& values = copy.values;
  RecordingParameters out;
  const uint64_t held_bytes = capacity_bytes();
  out.capacity_bytes = held_bytes != 0 ? std::min(held_bytes, values.capacity_bytes) : values.capacity_bytes;
  out.interval_ns = values.interval_ns;
  out.duration_ns = values.duration_ns;
  out.features = values.features;
  out.requested_features = values.requested_features;
  for (size_t i = 0; i < copy.filter.size(); ++i) out.filters.emplace_back(copy.filter.item(i));
  return out;
}

bool BaseLink::ReadParameters(ParametersCopy& out) const {
  const auto copy = [](void* to, const HandoverParameters* from) {
    auto& [values, filter] = *static_cast<ParametersCopy*>(to);
    values = *from;
    for (uint32_t i = 0; i < from->filter_count; ++i) (void)filter.Add(from->filters[i]);
    values.filters = nullptr;
    values.filter_count = 0;
  };
  return usable_ && GECKOPROF_HAS(visit_parameters) && table_->visit_parameters(copy, &out) != 0;
}

bool BaseLink::has_segment() const { return usable_ && GECKOPROF_HAS(segment_at); }

const void* BaseLink::SegmentAt(uint64_t offset, uint64_t* bytes) const {
  *bytes = 0;
  return has_segment() ? table_->segment_at(offset, bytes) : nullptr;
}

uint64_t BaseLink::capacity_bytes() const {
  uint64_t size_bytes = 0;
  const void* const segment = SegmentAt(0, &size_bytes);
  return SegmentCapacityBytes(segment, size_bytes);
}

int64_t BaseLink::started_ns() const { return usable_ && GECKOPROF_HAS(started_ns) ? table_->started_ns() : 0; }

int64_t BaseLink::process_start_ns() const {
  return usable_ && GECKOPROF_HAS(process_start_ns) ? table_->process_start_ns() : 0;
}

void BaseLink::WaitUntilWritten(int64_t most_ns) const {
  if (usable_ && GECKOPROF_HAS(settle)) table_->settle(most_ns);
}

const char* BaseLink::ChildrenFolder(const char* folder) const {
  return usable_ && GECKOPROF_HAS(children_folder) ? table_->children_folder(folder) : nullptr;
}

bool BaseLink::IsCountedByRecorder() const {
  const char* const folder = ChildrenFolder(nullptr);
  if (folder == nullptr || folder[0] == '\0') return false;
  return access((std::string(folder) + "/" + kCounterFileName).c_str(), F_OK) == 0;
}

void BaseLink::TickSoon() const {
  if (usable_ && GECKOPROF_HAS(tick_soon)) table_->tick_soon();
}

ProfilerOutcome BaseLink::SampleThread(int32_t tid, int64_t timeout_ns, StackVisitor* take, void* context) const {
  if (!usable_) return usable_;
  if (!GECKOPROF_HAS(sample_thread)) return MissingFunction("capture a stack on demand");
  return FromSample(table_->sample_thread(tid, timeout_ns, take, context));
}

bool BaseLink::HoldForFork() const {
  return usable_ && GECKOPROF_HAS(hold_for_fork) && GECKOPROF_HAS(let_go) && table_->hold_for_fork() != 0;
}

void BaseLink::ReleaseAfterFork() const { table_->let_go(); }

bool BaseLink::IsSampler(int32_t tid, bool otherwise) const {
  return usable_ && GECKOPROF_HAS(is_sampler) ? table_->is_sampler(tid) != 0 : otherwise;
}

bool BaseLink::IsOwnedByAnother(const OwnerTable& own) const {
  const OwnerTable* const owner = usable_ && GECKOPROF_HAS(owner) ? table_->owner() : nullptr;
  return owner != nullptr && owner != &own;
}

const void* BaseLink::code() const {
  return usable_ && GECKOPROF_HAS(sample_thread) ? reinterpret_cast<const void*>(table_->sample_thread) : nullptr;
}

}  // namespace geckoprof
