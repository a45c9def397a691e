// Each case records in a forked child: see profiler_core_test.cc.
#include "markers/early_markers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "baseprofiler/marker_abi.h"
#include "core/profiler_core.h"
#include "recording_folder.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

geckoprof_marker_site g_site = {sizeof(geckoprof_marker_site), 1 << 8, "early", nullptr, 0};

size_t MarkersIn(const ProcessProfile& profile) {
  size_t count = 0;
  for (const ThreadRow& thread : profile.threads) {
    for (const MarkerRow& marker : thread.markers) {
      count += profile.strings[static_cast<size_t>(marker.name)] == "early" ? 1 : 0;
    }
  }
  return count;
}

uint64_t DroppedIn(const ProcessProfile& profile) {
  uint64_t count = 0;
  for (const LossRow& loss : profile.losses) count += loss.what == "no-chunk" ? loss.count : 0;
  return count;
}

// The status of a forked child of this process, in which base knows that it is one.
template <typename Check>
int StatusInForked(const Check& check) {
  ProfilerCore& core = ProfilerCore::Get();
  core.BeforeFork();
  const pid_t child = fork();
  if (child == 0) {
    core.AfterForkInChild();
    _exit(check(core));
  }
  core.AfterForkInParent();
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

TEST_CASE("a forked child's first marker does not come too early") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          for (int i = 0; i < 20; ++i) {
            FORKED_REQUIRE(StatusInForked([&](ProfilerCore& core) {
                             geckoprof_base_begin_in_place(&g_site, GECKOPROF_MARKER_NOW, 0, 0, 0);
                             const bool recorded = core.Stop() && MarkersIn(folder.Read(getpid())) == 1;
                             return recorded ? 0 : 1;
                           }) == 0);
          }
          return 0;
        }) == 0);
}

TEST_CASE("one that waits in vain is counted in the segment when that is there") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          FORKED_REQUIRE(StatusInForked([&](ProfilerCore& core) {
                           const bool was_running = core.SuspendSampler();  // nobody is there who could make one
                           geckoprof_base_begin_in_place(&g_site, GECKOPROF_MARKER_NOW, 0, 0, 0);
                           core.ResumeSampler(was_running);
                           if (!Soon([&] { return RecordingState::Get().RecordingSegment() != nullptr; }) ||
                               !core.Stop())
                             return 2;
                           // On a busy machine the segment was there before.
                           const ProcessProfile profile = folder.Read(getpid());
                           return MarkersIn(profile) + DroppedIn(profile) == 1 ? 0 : 1;
                         }) == 0);
          return 0;
        }) == 0);
}

TEST_CASE("where nothing is recorded nobody waits") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          FORKED_REQUIRE(EarlyMarkers::SegmentForMarker(RecordingState::Get()) == nullptr);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
