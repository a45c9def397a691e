// Threads that open labels and end, one after the other and beside others: what a thread leaves, the next one gets.
// Under the thread sanitizer, which sees what the headers put here, and not the library.
#include <thread>
#include <vector>

#include "baseprofiler/base_profiler.h"

namespace {

constexpr int kRounds = 200;

int OpenTwo() {
  AUTO_BASE_PROFILER_LABEL("outer", OTHER);
  AUTO_BASE_PROFILER_LABEL_DYNAMIC_CSTR("inner", OTHER, "with a text");
  return 2;
}

}  // namespace

int main() {
  std::vector<std::thread> makers;
  int opened[2] = {};
  for (int& count : opened) {
    makers.emplace_back([&count] {
      for (int i = 0; i < kRounds; ++i) std::thread([&count] { count += OpenTwo(); }).join();
    });
  }
  for (std::thread& maker : makers) maker.join();
  return opened[0] + opened[1] == 4 * kRounds ? 0 : 1;
}
