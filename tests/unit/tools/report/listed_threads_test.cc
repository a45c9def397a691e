#include "tools/report/listed_threads.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

using Rows = std::vector<size_t>;

ProfileSummary::Thread Thread(std::optional<int64_t> cpu_ns, double samples, double idle_samples = 0) {
  ProfileSummary::Thread thread;
  thread.cpu_ns = cpu_ns;
  thread.samples = samples;
  thread.idle_samples = idle_samples;
  return thread;
}

ProfileSummary Helpers(size_t count) {
  ProfileSummary summary;
  summary.threads = {Thread(1'000'000, 1000), Thread(20'000, 20)};
  summary.threads.insert(summary.threads.end(), count, Thread(3'000, 2));
  return summary;
}

TEST_CASE("what fits is listed, however little it is") {
  const ListedThreads listed = ListThreads(Helpers(3), 5);
  CHECK(listed.rows == Rows{0, 1, 2, 3, 4});
  CHECK(listed.others == 0);
}

TEST_CASE("of more, tiny ones are summed up") {
  const ListedThreads listed = ListThreads(Helpers(60), 5);
  CHECK(listed.rows == Rows{0, 1});
  CHECK(listed.others == 60);
  CHECK(listed.cpu_ns == 180'000);
  CHECK(listed.samples == 120);
}

TEST_CASE("threads that lived, have markers or bytes are not tiny") {
  ProfileSummary summary = Helpers(4);
  summary.threads.push_back(Thread(0, 0, 500));
  summary.threads.push_back(Thread(std::nullopt, 0));
  summary.threads.back().markers = 1;
  summary.threads.push_back(Thread(std::nullopt, 0));
  summary.threads.back().allocations.bytes = 4096;
  CHECK(ListThreads(summary, 8).rows == Rows{0, 1, 6, 7, 8});
  CHECK(ListThreads(summary, 4).rows == Rows{0, 1, 6, 7});
  CHECK(ListThreads(summary, 4).others == 5);
}

TEST_CASE("the same of all, or nothing of any, is listed as far as it fits") {
  ProfileSummary summary;
  summary.threads.assign(30, Thread(50, 10));
  CHECK(ListThreads(summary, 20).rows.size() == 20);
  CHECK(ListThreads(summary, 20).cpu_ns == 500);
  summary.threads.assign(30, Thread(std::nullopt, 0));
  CHECK(ListThreads(summary, 20).rows.size() == 20);
  CHECK_FALSE(ListThreads(summary, 20).cpu_ns.has_value());
}

}  // namespace
}  // namespace geckoprof
