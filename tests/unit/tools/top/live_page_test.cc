#include "tools/top/live_page.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

LiveFigures Demo() {
  LiveFigures figures;
  figures.from_ns = 0;
  figures.to_ns = 2000000000;
  figures.processes = 1;
  figures.all_threads = 2;
  figures.samples = 4;
  figures.markers = 10;
  figures.cpu_ns = 1000000000;
  figures.threads = {{7, 8, "wor\x1b[2Jker", "demo", 1000000000, 4, 10}};
  for (int i = 0; i < 50; ++i) figures.functions.push_back({{"f" + std::to_string(i), "lib"}, 1, 2});
  figures.losses = {{"no-chunk", 5}, {"missed-tick", 2}, {"nothing", 0}};
  return figures;
}

TEST_CASE("a page: totals, drops, threads, functions") {
  LivePage page;
  page.title = "top \x1b]0;x\x07";
  const std::string text = page.Text(Demo());
  INFO(text);
  CHECK(text.find("CPU 50.0 %   2 threads in 1 process   last 2.0 s: 2 samples/s, 5 markers/s\n") != std::string::npos);
  CHECK(text.find("Lost: no-chunk 5   Ticks without a request: missed-tick 2\n") != std::string::npos);
  CHECK(text.find("wor?[2Jker  (demo)") != std::string::npos);
  CHECK(text.find("  25.0 %  50.0 %  f0  [lib]") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  const std::map<std::string, uint64_t> before = {{"no-chunk", 2}};
  page.losses_before = &before;
  CHECK(page.Text(Demo()).find("no-chunk 5 (+3)") != std::string::npos);
}

TEST_CASE("a page is never longer than the terminal") {
  LivePage page;
  for (const size_t lines : {1, 5, 12, 24, 60}) {
    page.lines = lines;
    const std::string text = page.Text(Demo());
    CHECK(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) <= lines);
  }
  CHECK(page.Text({}).find("no thread ran") != std::string::npos);
}

}  // namespace
}  // namespace geckoprof
