#include "tools/convert/perf_events.h"

#include <algorithm>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostListedEvents = 20;

// What may follow an event's name: the modes that are counted, precision and the like.
bool AreModifiers(std::string_view text) { return text.find_first_not_of("ukhGHIpPSDWebRX") == std::string_view::npos; }

// Groups whose tracepoints users name, perhaps by letters that are modifiers elsewhere: "probe_app:hup".
bool IsProbeGroup(std::string_view group) {
  return group.find("probe") != std::string_view::npos || group.starts_with("sdt_");
}

// "cycles" of "cycles,period=5000".
std::string_view FirstTerm(std::string_view name) { return name.substr(0, name.find_first_of(",/")); }

std::string Listed(const std::vector<PerfEvents::Event>& events) {
  std::string list;
  for (size_t i = 0; i < std::min(events.size(), kMostListedEvents); ++i) {
    const std::string_view name = events[i].written.empty() ? "(no name)" : events[i].written;
    list += Concat(i == 0 ? "" : ", ", name, " (", events[i].count, ")");
  }
  if (events.size() > kMostListedEvents) list += Concat(", ... and ", events.size() - kMostListedEvents, " more");
  return list;
}

void SortByCount(std::vector<PerfEvents::Event>* events) {
  std::stable_sort(events->begin(), events->end(), [](const auto& a, const auto& b) { return a.count > b.count; });
}

}  // namespace

std::string_view PerfEventName(std::string_view written) {
  const size_t open = written.find('/'), close = written.rfind('/'), colon = written.rfind(':');
  if (open != close) {  // "cpu_core/cycles/P"
    if (open == 0 || written.substr(0, open).find(':') != std::string_view::npos ||
        !AreModifiers(written.substr(close + 1))) {
      return written;
    }
    const std::string_view terms = written.substr(open + 1, close - open - 1), first = FirstTerm(terms);
    return first.empty() || first.find('=') != std::string_view::npos ? written.substr(0, close + 1) : terms;
  }
  if (colon == std::string_view::npos || colon == 0 || !AreModifiers(written.substr(colon + 1))) return written;
  const std::string_view name = written.substr(0, colon);
  return name.find(':') == std::string_view::npos && IsProbeGroup(name) ? written : name;
}

bool IsPerfClockEvent(std::string_view name) {
  const std::string_view term = FirstTerm(name);
  return term == "cpu-clock" || term == "task-clock";
}

bool IsPerfTimeEvent(std::string_view name) {
  const std::string_view term = FirstTerm(name);
  return IsPerfClockEvent(name) || term == "cycles" || term == "cpu-cycles";
}

size_t PerfEvents::Add(std::string_view written, int64_t period) {
  const auto [known, is_new_spelling] = rows_as_written_.try_emplace(written, 0);
  if (is_new_spelling) {
    const std::string_view name = PerfEventName(written);
    const auto [row, is_new] = rows_.try_emplace(name, events_.size());
    if (is_new) {
      events_.push_back({name, written});
    } else {
      events_[row->second].written = name;
    }
    known->second = row->second;
  }
  Event& event = events_[known->second];
  ++event.count;
  if (period >= 0) {
    event.least_period = event.least_period < 0 ? period : std::min(event.least_period, period);
    event.most_period = std::max(event.most_period, period);
  }
  return known->second;
}

absl::StatusOr<size_t> PerfEvents::Choose(std::string_view wanted) const {
  if (!wanted.empty()) {
    const auto found = rows_.find(PerfEventName(wanted));
    if (found != rows_.end()) return found->second;
    std::vector<Event> events = events_;
    SortByCount(&events);
    return absl::NotFoundError(Concat("there is no event \"", wanted, "\", but ", Listed(events)));
  }
  size_t best = 0;
  for (size_t row = 1; row < events_.size(); ++row) {
    const bool is_time = IsPerfTimeEvent(events_[row].name), best_is_time = IsPerfTimeEvent(events_[best].name);
    if (is_time == best_is_time ? events_[row].count > events_[best].count : is_time) best = row;
  }
  return best;
}

std::string PerfEvents::ListOthers(size_t row) const {
  std::vector<Event> others = events_;
  others.erase(others.begin() + static_cast<ptrdiff_t>(row));
  SortByCount(&others);
  return Listed(others);
}

std::string PerfEvents::ListPeriods(size_t row) const {
  const Event& event = events_[row];
  if (IsPerfTimeEvent(event.name) || event.least_period == event.most_period) return "";
  return Concat(event.least_period, " to ", event.most_period);
}

uint64_t PerfEvents::CountOthers(size_t row) const {
  uint64_t count = 0;
  for (const Event& event : events_) count += event.count;
  return count - events_[row].count;
}

}  // namespace geckoprof
