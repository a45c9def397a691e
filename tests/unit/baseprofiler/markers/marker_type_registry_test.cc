#include "markers/marker_type_registry.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/entries/marker_writer.h"
#include "geckoprof/segment/chunk_directory.h"
#include "geckoprof/segment/leb128.h"
#include "geckoprof/segment/segment_view.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

geckoprof_marker_type Type(const char* name) {
  geckoprof_marker_type type{};
  type.size_bytes = sizeof type;
  type.name = name;
  return type;
}
geckoprof_marker_site Site(const char* name, geckoprof_marker_type* type) {
  return {sizeof(geckoprof_marker_site), 1 << 8, name, type, 0};
}

// How many entries of a kind the metadata holds.
size_t Count(TestSegment& test, EntryType kind) {
  SegmentView view;
  REQUIRE(view.OpenFile(test.path().c_str()) == SegmentView::OpenResult::kOk);
  size_t count = 0;
  for (uint32_t i = 0; i < view.chunk_count(); ++i) {
    SegmentView::ChunkCopy chunk;
    if (view.CopyChunk(i, chunk) != SegmentView::CopyResult::kCopied || chunk.stream != kMetadataStream) continue;
    for (std::span<const uint8_t> rest = chunk.bytes; !rest.empty();) {
      Leb128Reader reader(rest);
      const auto entry = reader.Bytes(reader.Uleb());
      REQUIRE(reader.ok());
      count += entry[0] == static_cast<uint8_t>(kind);
      rest = rest.last(reader.remaining());
    }
  }
  return count;
}

TEST_CASE("a site and its type are written once in a recording, and once in the next") {
  TestSegment first, second;
  geckoprof_marker_type type = Type("T");
  geckoprof_marker_site a = Site("a", &type), b = Site("b", &type);
  const uint64_t word = MarkerTypeRegistry::SiteWord(first.segment(), a);
  CHECK(word >> 32 == first.segment().serial());
  CHECK(static_cast<uint32_t>(word) != 0);
  CHECK(a.registered == word);
  for (int i = 0; i < 3; ++i) CHECK(MarkerTypeRegistry::SiteWord(first.segment(), a) == word);
  const uint64_t other = MarkerTypeRegistry::SiteWord(first.segment(), b);
  CHECK(other != word);
  CHECK(other >> 32 == first.segment().serial());
  CHECK(Count(first, EntryType::kMarkerType) == 1);
  CHECK(Count(first, EntryType::kMarkerSite) == 2);
  const uint64_t next = MarkerTypeRegistry::SiteWord(second.segment(), a);
  CHECK(next >> 32 == second.segment().serial());
  CHECK(Count(second, EntryType::kMarkerType) == 1);
  CHECK(Count(second, EntryType::kMarkerSite) == 1);
  CHECK(Count(first, EntryType::kMarkerSite) == 2);
}

TEST_CASE("a thread that still marks for a recording that is over takes no number of the next one") {
  TestSegment first, second;
  geckoprof_marker_type type = Type("T");
  geckoprof_marker_site a = Site("a", &type), b = Site("b", &type), c = Site("c", nullptr);
  const uint64_t word = MarkerTypeRegistry::SiteWord(second.segment(), a);
  CHECK(MarkerTypeRegistry::SiteWord(first.segment(), b) == 0);
  const uint64_t other = MarkerTypeRegistry::SiteWord(second.segment(), c);
  CHECK(other >> 32 == second.segment().serial());
  CHECK(other != word);
  CHECK(Count(second, EntryType::kMarkerSite) == 2);
  CHECK(Count(first, EntryType::kMarkerSite) == 0);
}

TEST_CASE("two threads that meet a site at the same time write it once, and both know its number") {
  constexpr int kSites = 500;
  TestSegment test(8 << 20, 32);
  geckoprof_marker_type type = Type("T");
  std::vector<geckoprof_marker_site> sites(kSites, Site("s", &type));
  std::vector<uint64_t> words[2] = {std::vector<uint64_t>(kSites), std::vector<uint64_t>(kSites)};
  std::atomic<int> turn{0};
  const auto meet_all = [&](size_t which) {
    for (int i = 0; i < kSites; ++i) {
      turn.fetch_add(1);
      while (turn.load() < 2 * (i + 1)) {
      }
      words[which][static_cast<size_t>(i)] =
          MarkerTypeRegistry::SiteWord(test.segment(), sites[static_cast<size_t>(i)]);
    }
  };
  std::thread other([&] { meet_all(1); });
  meet_all(0);
  other.join();
  CHECK(words[0] == words[1]);
  CHECK(words[0][0] != 0);
  CHECK(Count(test, EntryType::kMarkerSite) == kSites);
  CHECK(Count(test, EntryType::kMarkerType) == 1);
}

// A name that cannot be read at first: the handler of the fault sees which signals were let through, and mends it.
void* g_page = nullptr;
sigset_t g_mask_inside;
void LookAtMask(int, siginfo_t*, void* context) {
  g_mask_inside = static_cast<ucontext_t*>(context)->uc_sigmask;
  mprotect(g_page, 4096, PROT_READ | PROT_WRITE);
}

TEST_CASE("while a site is registered no signal comes but those that an instruction raises") {
  TestSegment test;
  g_page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(g_page != MAP_FAILED);
  struct sigaction look = {}, before;
  look.sa_sigaction = &LookAtMask;
  look.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGSEGV, &look, &before) == 0);
  geckoprof_marker_site site = Site(static_cast<const char*>(g_page), nullptr);
  const uint64_t word = MarkerTypeRegistry::SiteWord(test.segment(), site);
  sigaction(SIGSEGV, &before, nullptr);
  CHECK(word != 0);
  for (const int signal : {SIGALRM, SIGPROF, SIGTERM, SIGUSR1, SIGRTMAX})
    CHECK(sigismember(&g_mask_inside, signal) == 1);
  for (const int signal : {SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) CHECK(sigismember(&g_mask_inside, signal) == 0);
  sigset_t after;
  REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &after) == 0);
  CHECK(sigismember(&after, SIGALRM) == 0);
  munmap(g_page, 4096);
}

TEST_CASE("where the metadata is full a site has no number, in whatever way it is asked again") {
  TestSegment test(1 << 20, 4);
  std::vector<std::string> names;
  for (int i = 0; i < 200'000; ++i) names.push_back("a name that takes some room " + std::to_string(i));
  size_t registered = 0;
  for (const std::string& name : names) {
    geckoprof_marker_site site = Site(name.c_str(), nullptr);
    const uint64_t word = MarkerTypeRegistry::SiteWord(test.segment(), site);
    CHECK(site.registered == word);
    if (word != 0) ++registered;
    if (word == 0) break;
  }
  CHECK(registered > 100);
  REQUIRE(registered < names.size());
  CHECK(Count(test, EntryType::kMarkerSite) == registered);
  CHECK(test.drops(DropReason::kMetadataFull) == 1);
  geckoprof_marker_type type = Type("T");
  geckoprof_marker_site late = Site("late", &type);
  for (int i = 0; i < 3; ++i) CHECK(MarkerTypeRegistry::SiteWord(test.segment(), late) == 0);
  TestSegment next;
  CHECK(MarkerTypeRegistry::SiteWord(next.segment(), late) != 0);
}

TEST_CASE("what a caller of another version says less of than we read is refused") {
  TestSegment test;
  geckoprof_marker_type type = Type("T");
  geckoprof_marker_site site = Site("s", &type);
  CHECK(MarkerTypeRegistry::IsComplete(&site));
  CHECK_FALSE(MarkerTypeRegistry::IsComplete(nullptr));
  site.size_bytes = sizeof site - 1;
  CHECK_FALSE(MarkerTypeRegistry::IsComplete(&site));
  CHECK(MarkerTypeRegistry::SiteWord(test.segment(), site) == 0);
  site.size_bytes = sizeof site + 8;  // a later version
  CHECK(MarkerTypeRegistry::IsComplete(&site));
  type.size_bytes = sizeof type - 1;
  CHECK_FALSE(MarkerTypeRegistry::IsComplete(&site));
  type.size_bytes = sizeof type;
  type.name = nullptr;
  CHECK_FALSE(MarkerTypeRegistry::IsComplete(&site));
  type.name = "";
  CHECK_FALSE(MarkerTypeRegistry::IsComplete(&site));
  CHECK(Count(test, EntryType::kMarkerSite) == 0);
  CHECK(Count(test, EntryType::kMarkerType) == 0);
}

TEST_CASE("a type that says more than an entry holds is refused, and its sites with it") {
  TestSegment test;
  const std::string endless(20'000, 'x');
  geckoprof_marker_type type = Type("T");
  type.description = endless.c_str();
  geckoprof_marker_site site = Site("s", &type);
  CHECK(MarkerTypeRegistry::SiteWord(test.segment(), site) == 0);
  CHECK(test.drops(DropReason::kTooLarge) == 1);
  geckoprof_marker_site fine = Site("fine", nullptr);
  CHECK(MarkerTypeRegistry::SiteWord(test.segment(), fine) != 0);
}

TEST_CASE("a category that nobody knows is Other") {
  TestSegment test;
  geckoprof_marker_site site = Site("s", nullptr);
  site.category_pair = UINT32_MAX;
  CHECK(MarkerTypeRegistry::SiteWord(test.segment(), site) != 0);
}

TEST_CASE("a forked child forgets what was known, and the lock that somebody held") {
  TestSegment test;
  geckoprof_marker_site site = Site("s", nullptr);
  REQUIRE(MarkerTypeRegistry::SiteWord(test.segment(), site) != 0);
  MarkerTypeRegistry::AfterForkInChild();
  TestSegment childs;
  CHECK(MarkerTypeRegistry::SiteWord(childs.segment(), site) >> 32 == childs.segment().serial());
}

}  // namespace
}  // namespace geckoprof
