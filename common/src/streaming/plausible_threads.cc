#include "plausible_threads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "geckoprof/config/thread_filter.h"
#include "geckoprof/streaming/program_name.h"

namespace geckoprof {
namespace {

void LeaveOutExcluded(ProcessProfile& profile) {
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
    main = threads.insert(threads.begin(), std::move(added));
  }
  for (ThreadRow& thread : threads) thread.is_main = false;
  main->is_main = true;
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

// The kernel gives an id to a second thread only when the first has ended: one that is not known to have done so did.
void EndBeforeNext(std::vector<ThreadRow>& threads) {
  std::vector<ThreadRow*> rows;
  rows.reserve(threads.size());
  for (ThreadRow& thread : threads) rows.push_back(&thread);
  std::stable_sort(rows.begin(), rows.end(), [](const ThreadRow* a, const ThreadRow* b) {
    return a->tid != b->tid ? a->tid < b->tid : a->registered_ns < b->registered_ns;
  });
  for (size_t i = 1; i < rows.size(); ++i) {
    ThreadRow& before = *rows[i - 1];
    ThreadRow& next = *rows[i];
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
  LeaveOutExcluded(profile);
  for (ThreadRow& thread : profile.threads) MakeLifePlausible(thread, profile.end_ns);
  EndBeforeNext(profile.threads);
  std::stable_sort(profile.threads.begin(), profile.threads.end(), [](const ThreadRow& a, const ThreadRow& b) {
    if (a.is_main != b.is_main) return a.is_main;
    return a.registered_ns < b.registered_ns;
  });
}

void MakePausesPlausible(ProcessProfile& profile) {
  for (PausedRange& range : profile.paused) {
    if (range.end_ns != 0) range.end_ns = std::max(range.end_ns, range.start_ns);
  }
  std::stable_sort(profile.paused.begin(), profile.paused.end(),
                   [](const PausedRange& a, const PausedRange& b) { return a.start_ns < b.start_ns; });
}

}  // namespace geckoprof
