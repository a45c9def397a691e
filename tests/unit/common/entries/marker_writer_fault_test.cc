// Markers whose thread jumped out of a fault in the middle of them.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/marker_writer.h"
#include "tests/support/read_back.h"
#include "tests/support/test_marker_writer.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

sigjmp_buf g_back;
void JumpBack(int) { siglongjmp(g_back, 1); }

TEST_CASE("a chunk that was taken and does not say yet whose it is gets no marker by the quick way") {
  constexpr uint32_t kChunks = 4;
  static TestSegment test(1 << 20, kChunks);
  static TestMarkerWriter markers;
  const Segment* const segment = &test.segment();
  StreamWriter metadata(segment, StreamId::FromNumber(kMetadataStream), StreamWriter::Supply::kPinned);
  uint8_t room[64];
  EntryBuilder entry(EntryType::kMarkerSite, room);
  REQUIRE(metadata.Put(entry.U(5).U(0x100).U(0).U(1).T("site").bytes(), 1));
  const uint64_t site = uint64_t{segment->serial()} << 32 | 5;
  TimedMarker marker;
  marker.site = 5;
  marker.start = marker.end = 3;
  // The first thing that is written there is whose it is.
  void* const chunks = segment->chunk(ChunkId::FromNumber(0));
  const size_t bytes = size_t{kChunks} * segment->chunk_bytes();
  signal(SIGSEGV, &JumpBack);
  REQUIRE(mprotect(chunks, bytes, PROT_READ) == 0);
  REQUIRE(markers.Enter(segment));
  if (sigsetjmp(g_back, 1) == 0) markers.Put(ThreadId::FromNumber(21), marker);
  signal(SIGSEGV, SIG_DFL);
  REQUIRE(mprotect(chunks, bytes, PROT_READ | PROT_WRITE) == 0);
  REQUIRE(markers.under_way_at() != 0);
  markers.GiveUp();
  CHECK_FALSE(markers.TryPut(segment, site, kMarkerHasOneTime, 2, 2));
  REQUIRE(markers.Enter(segment));
  CHECK(markers.Put(ThreadId::FromNumber(21), marker));
  markers.Exit();
  CHECK(markers.TryPut(segment, site, kMarkerHasOneTime, 4, 4));
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.threads.back().tid == 21);
  CHECK(profile.threads.back().markers.size() == 2);
}

}  // namespace
}  // namespace geckoprof
