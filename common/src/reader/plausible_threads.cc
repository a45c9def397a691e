#include "plausible_threads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "geckoprof/config/thread_filter.h"
#include "geckoprof/reader/profile_facts.h"
#include "row_order.h"

namespace geckoprof {
namespace {

int64_t RegisteredTime(const ThreadRow& thread) { return thread.registered_ns; }

void RemoveExcluded(ProcessProfile& profile) {
  ThreadFilter filter;
  for (const std::string& item : profile.filters) {
    if (filter.Add(item) == FilterAddResult::kFull) return;
  }
  const ProcessId pid = ProcessId::FromNumber(profile.pid);
  std::erase_if(profile.threads, [&](const ThreadRow& thread) {
    return !thread.is_main && thread.tid != profile.pid && thread.samples.empty() && thread.markers.empty() &&
           !filter.Matches(thread.name, pid);
  });
}

void ChooseMain(ProcessProfile& profile) {
  std::vector<ThreadRow>& threads = profile.threads;
  if (threads.empty()) return;
  const auto is_main = [](const ThreadRow& thread) { return thread.is_main; };
  const auto by_id = std::find_if(threads.begin(), threads.end(),
                                  [&profile](const ThreadRow& thread) { return thread.tid == profile.pid; });
  auto main = std::find_if(threads.begin(), threads.end(), is_main);
  if (main == threads.end() || (by_id != threads.end() && by_id->is_main)) main = by_id;
  if (main == threads.end()) {
    ThreadRow added;
    added.tid = profile.pid;
    added.name = ProgramName(profile);
    added.registered_ns = profile.start_ns;
    threads.push_back(std::move(added));
    main = threads.end() - 1;
  }
  for (ThreadRow& thread : threads) thread.is_main = false;
  main->is_main = true;
  // It is there from the exec on, of which a marker tells.
  if (profile.recording_ns == 0) main->registered_ns = std::min(main->registered_ns, profile.start_ns);
}

void MakeLifePlausible(ThreadRow& thread, int64_t end_ns) {
  if (thread.unregistered_ns == 0 || thread.unregistered_ns >= thread.registered_ns) return;
  if (!thread.samples.empty()) {
    thread.registered_ns = std::min(thread.registered_ns, thread.samples.front().time_ns);
    thread.unregistered_ns = std::max({thread.unregistered_ns, thread.samples.back().time_ns, int64_t{1}});
  } else if (thread.registered_ns > end_ns) {
    thread.registered_ns = thread.unregistered_ns;
  } else {
    thread.unregistered_ns = thread.registered_ns;
  }
}

// The kernel gives an id to a second thread only after the first has ended. A thread without a known end therefore ends
// there.
void EndBeforeNext(std::vector<ThreadRow>& threads) {
  const auto places = SortedPlaces(
      threads, [](const ThreadRow& thread) { return int64_t{thread.tid}; }, RegisteredTime);
  for (size_t i = 1; i < places.size(); ++i) {
    ThreadRow& before = threads[places[i - 1].index];
    ThreadRow& next = threads[places[i].index];
    if (before.tid != next.tid || (before.unregistered_ns != 0 && before.unregistered_ns <= next.registered_ns)) {
      continue;
    }
    next.registered_ns = std::max(next.registered_ns, int64_t{1});  // 0 as an end means none
    before.unregistered_ns = next.registered_ns;
    if (next.unregistered_ns != 0) next.unregistered_ns = std::max(next.unregistered_ns, next.registered_ns);
  }
}

}  // namespace

void MakeThreadsPlausible(ProcessProfile& profile) {
  ChooseMain(profile);
  RemoveExcluded(profile);
  for (ThreadRow& thread : profile.threads) MakeLifePlausible(thread, profile.end_ns);
  EndBeforeNext(profile.threads);
  const auto main_first = [](const ThreadRow& thread) { return int64_t{thread.is_main ? 0 : 1}; };
  Reorder(SortedPlaces(profile.threads, main_first, RegisteredTime), profile.threads);
}

void MakePausesPlausible(ProcessProfile& profile) {
  for (PausedRange& range : profile.paused) {
    if (range.end_ns != 0) range.end_ns = std::max(range.end_ns, range.start_ns);
  }
  const auto same = [](const PausedRange&) { return int64_t{0}; };
  const auto start = [](const PausedRange& range) { return range.start_ns; };
  Reorder(SortedPlaces(profile.paused, same, start), profile.paused);
}

}  // namespace geckoprof
