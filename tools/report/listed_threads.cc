#include "tools/report/listed_threads.h"

#include <algorithm>

namespace geckoprof {
namespace {

struct Amounts {
  double cpu_ns = 0, rows = 0, bytes = 0;
};

Amounts AmountsOf(const ProfileSummary::Thread& thread) {
  return {static_cast<double>(thread.cpu_ns.value_or(0)), thread.samples + thread.idle_samples,
          thread.allocations.bytes};
}

bool IsTiny(const ProfileSummary::Thread& thread, const Amounts& most) {
  constexpr double kShare = 100;
  const Amounts own = AmountsOf(thread);
  return thread.markers == 0 && own.cpu_ns * kShare <= most.cpu_ns && own.rows * kShare <= most.rows &&
         own.bytes * kShare <= most.bytes;
}

}  // namespace

ListedThreads ListThreads(const ProfileSummary& summary, size_t most) {
  Amounts largest;
  for (const ProfileSummary::Thread& thread : summary.threads) {
    const Amounts own = AmountsOf(thread);
    largest.cpu_ns = std::max(largest.cpu_ns, own.cpu_ns);
    largest.rows = std::max(largest.rows, own.rows);
    largest.bytes = std::max(largest.bytes, own.bytes);
  }
  const bool is_empty = largest.cpu_ns == 0 && largest.rows == 0 && largest.bytes == 0;
  const bool all_fit = summary.threads.size() <= most;
  ListedThreads listed;
  for (size_t i = 0; i < summary.threads.size(); ++i) {
    const ProfileSummary::Thread& thread = summary.threads[i];
    if (listed.rows.size() < most && (all_fit || is_empty || !IsTiny(thread, largest))) {
      listed.rows.push_back(i);
      continue;
    }
    ++listed.others;
    listed.samples += thread.samples;
    if (thread.cpu_ns.has_value()) listed.cpu_ns = listed.cpu_ns.value_or(0) + *thread.cpu_ns;
  }
  return listed;
}

}  // namespace geckoprof
