// Markers whose thread jumped out in the middle of them: out of a fault, and before each of their stores.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <catch2/catch.hpp>
#include <new>

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
  REQUIRE(metadata.Append(entry.U(5).U(0x100).U(0).U(1).T("site").bytes(), 1));
  const uint64_t site = uint64_t{segment->serial()} << 32 | 5;
  TimedMarker marker;
  marker.site = 5;
  marker.time = 3;
  // The first thing that is written there is whose it is.
  void* const chunks = segment->chunk(ChunkId::FromNumber(0));
  const size_t bytes = size_t{kChunks} * segment->chunk_bytes();
  signal(SIGSEGV, &JumpBack);
  REQUIRE(mprotect(chunks, bytes, PROT_READ) == 0);
  REQUIRE(markers.Enter(segment));
  if (sigsetjmp(g_back, 1) == 0) markers.Begin(ThreadId::FromNumber(21), marker, 0);
  signal(SIGSEGV, SIG_DFL);
  REQUIRE(mprotect(chunks, bytes, PROT_READ | PROT_WRITE) == 0);
  REQUIRE(markers.under_way_at() != 0);
  markers.Abandon();
  CHECK_FALSE(markers.TryPut(segment, site, 0, 0, 2));
  CHECK(markers.Append(segment, ThreadId::FromNumber(21), marker));
  CHECK(markers.TryPut(segment, site, 0, 0, 4));
  const ProcessProfile profile = ReadBack(test);
  CHECK(profile.threads.back().tid == 21);
  CHECK(profile.threads.back().markers.size() == 2);
}

#if defined(__x86_64__)
// A writer on a page of its own. Each store to it faults, is let through by a single step and counted; at a given one
// the thread jumps out instead.
class WatchedWriter {
 public:
  static TestMarkerWriter& Get() { return *reinterpret_cast<TestMarkerWriter*>(page_); }
  // Whether `put` was left before the store with this number, from 1 on; false: it has fewer.
  template <typename Put>
  static bool LeavesAt(int store, const Put& put) {
    stores_left_ = store;
    if (sigsetjmp(g_back, 1) != 0) return true;
    Protect(PROT_READ);
    put();
    Protect(PROT_READ | PROT_WRITE);
    return false;
  }
  static void OnStore(int, siginfo_t* info, void* context) {
    const auto* const at = static_cast<uint8_t*>(info->si_addr);
    if (at < page_ || at >= page_ + sizeof page_) {
      signal(SIGSEGV, SIG_DFL);  // a crash
      return;
    }
    Protect(PROT_READ | PROT_WRITE);
    stores_left_ = stores_left_ - 1;
    if (stores_left_ == 0) siglongjmp(g_back, 1);
    FlagsIn(context) |= kTrapFlag;
  }
  static void OnStep(int, siginfo_t*, void* context) {
    Protect(PROT_READ);
    FlagsIn(context) &= ~kTrapFlag;
  }

 private:
  static constexpr greg_t kTrapFlag = 0x100;
  static greg_t& FlagsIn(void* context) { return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL]; }
  static void Protect(int protection) { mprotect(page_, sizeof page_, protection); }

  alignas(4096) static inline uint8_t page_[4096];
  static inline volatile int stores_left_;
};
static_assert(sizeof(TestMarkerWriter) <= 4096);

TimedMarker Instant(std::string_view name, uint64_t time) { return TestMarkerWriter::Named(name, 0, 0, time); }

// The first marker of another recording, and the first that the thread makes.
TEST_CASE("a marker that was left before any of its stores to the writer damages none, there and elsewhere") {
  struct sigaction store = {}, step = {}, store_before = {}, step_before = {};
  store.sa_sigaction = &WatchedWriter::OnStore;
  step.sa_sigaction = &WatchedWriter::OnStep;
  store.sa_flags = step.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGSEGV, &store, &store_before) == 0);
  REQUIRE(sigaction(SIGTRAP, &step, &step_before) == 0);
  const ThreadId self = ThreadId::FromNumber(21);
  const bool is_first = GENERATE(false, true);
  const bool thread_ends = GENERATE(false, true);
  TestMarkerWriter& markers = WatchedWriter::Get();
  int stores = 0;
  for (bool was_left = true; was_left;) {
    ++stores;
    INFO("store " << stores);
    TestSegment first, second;
    for (TestSegment* test : {&first, &second}) TestMarkerWriter::WriteSites(test->segment());
    new (&markers) TestMarkerWriter();
    TestMarkerWriter others;  // its chunk has the number of the writer's chunk of the first recording
    REQUIRE(others.Append(&second.segment(), ThreadId::FromNumber(22), Instant("other", 1)));
    const std::atomic<uint64_t>& others_chunk = second.segment().directory().row(ChunkId::FromNumber(1)).word;
    const uint64_t others_word = others_chunk.load();
    if (!is_first) REQUIRE(markers.Append(&first.segment(), self, Instant("first", 1)));
    const auto put = [&] { markers.Append(&second.segment(), self, Instant("left", 2)); };
    was_left = WatchedWriter::LeavesAt(stores, put);
    if (was_left && thread_ends) {
      markers.ReleasePartial();
      new (&markers) TestMarkerWriter();
    } else if (markers.under_way_at() != 0) {
      markers.Abandon();
    }
    REQUIRE(others_chunk.load() == others_word);
    REQUIRE(markers.Append(&second.segment(), self, Instant("last", 3)));
    const ProcessProfile profile = ReadBack(second);
    const auto& rows = profile.threads.back().markers;
    REQUIRE((rows.size() == 1 || rows.size() == 2));
    REQUIRE(profile.strings[static_cast<size_t>(rows[rows.size() - 1].name)] == "last");
    if (!is_first) REQUIRE(ReadBack(first).threads.back().markers.size() == 1);
  }
  CHECK(stores > 20);
  sigaction(SIGSEGV, &store_before, nullptr);
  sigaction(SIGTRAP, &step_before, nullptr);
}
#endif

}  // namespace
}  // namespace geckoprof
