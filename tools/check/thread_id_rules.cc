#include "tools/check/thread_id_rules.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "tools/profile/model_builder.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

struct ThreadLife {
  std::string pid, tid;
  double begin_ms, end_ms;
  size_t thread;
};

}  // namespace

void CheckThreadIds(JsonView threads, const JsonPath& path, ValueChecker* checker) {
  std::vector<ThreadLife> lives;
  for (size_t i = 0; i < threads.size(); ++i) {
    const JsonView thread = threads.At(i);
    const std::string tid = TextOf(thread["tid"]);
    const auto begin_ms = thread["registerTime"].AsNumber();
    if (tid.empty() || !begin_ms.has_value()) continue;
    const double end_ms = thread["unregisterTime"].NumberOr(std::numeric_limits<double>::infinity());
    lives.push_back({TextOf(thread["pid"]), tid, *begin_ms, end_ms, i});
  }
  std::sort(lives.begin(), lives.end(), [](const ThreadLife& a, const ThreadLife& b) {
    return std::tie(a.pid, a.tid, a.begin_ms, a.thread) < std::tie(b.pid, b.tid, b.begin_ms, b.thread);
  });
  const ThreadLife* longest = nullptr;  // of those of the same ids so far
  for (const ThreadLife& life : lives) {
    const bool same = longest != nullptr && longest->pid == life.pid && longest->tid == life.tid;
    if (same && life.begin_ms < longest->end_ms) {
      const JsonPath thread_path = path / life.thread;
      checker->Warning(thread_path / "tid",
                       Concat(life.tid, " is that of thread ", longest->thread, ", too, which lives at the same time"));
    }
    if (!same || life.end_ms > longest->end_ms) longest = &life;
  }
}

}  // namespace geckoprof
