#include "tools/processed_format/loading_marker.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

ProcessProfile Process() {
  ProcessProfile process;
  process.constructor_ns = 9'000'000;
  process.threads.resize(2);
  process.threads[1].is_main = true;
  return process;
}

TEST_CASE("the main thread has a marker from exec to the constructor") {
  ProcessProfile process = Process();
  process.exec_ns = 5'000'000;
  AddLoadingMarker(process);
  CHECK(process.threads[0].markers.empty());
  REQUIRE(process.threads[1].markers.size() == 1);
  const MarkerRow marker = process.threads[1].markers.front();
  CHECK(process.strings[static_cast<size_t>(marker.name)] == "exec to constructor (dynamic linker)");
  CHECK(process.marker_types[static_cast<size_t>(marker.type)].name == "geckoprofDynamicLinker");
  CHECK(marker.phase == MarkerPhase::kInterval);
  CHECK(marker.start_ns == 5'000'000);
  CHECK(marker.end_ns == 9'000'000);
}

TEST_CASE("without the time of exec the marker begins shortly before it") {
  ProcessProfile process = Process();
  process.before_exec_ns = 7'000'000;
  AddLoadingMarker(process);
  REQUIRE(process.threads[1].markers.size() == 1);
  CHECK(process.threads[1].markers.front().start_ns == 7'000'000);
}

TEST_CASE("a process of which no time is known has no such marker") {
  ProcessProfile process = Process();
  AddLoadingMarker(process);
  process.exec_ns = 9'000'000;
  AddLoadingMarker(process);
  process.threads.pop_back();
  process.exec_ns = 1;
  AddLoadingMarker(process);
  CHECK(process.marker_types.empty());
  CHECK(process.threads[0].markers.empty());
}

}  // namespace
}  // namespace geckoprof
