// rapidjson_dom_bench FILE [ROUNDS]: how long RapidJSON takes to parse the text of a file into a DOM and to do nothing
// with it: "dom_seconds BEST" of the rounds, of CPU time, since other programs may be running; and "dom_bytes N", what
// the DOM's allocator has taken.
#include <rapidjson/document.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

static double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const int rounds = argc > 2 ? atoi(argv[2]) : 1;
  double best_s = 1e9;
  size_t dom_bytes = 0;
  for (int i = 0; i < rounds; ++i) {
    const double start_s = CpuSeconds();
    rapidjson::Document document;
    document.Parse(text.data(), text.size());
    const double taken_s = CpuSeconds() - start_s;
    if (document.HasParseError()) return 1;
    best_s = std::min(best_s, taken_s);
    dom_bytes = document.GetAllocator().Size();
  }
  printf("dom_seconds %.4f\ndom_bytes %zu\n", best_s, dom_bytes);
  return 0;
}
