#include "sampler/thread_list.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tests/support/read_back.h"
#include "thread_list_fixture.h"

namespace geckoprof {
namespace {

using ScanResult = ThreadList::ScanResult;

TEST_CASE("with no thread but the sampler the scan says so") {
  ThreadListFixture fixture;
  CHECK(fixture.list->Scan(1'000) == ScanResult::kOnlySampler);
  CHECK(fixture.list->threads().empty());
}

TEST_CASE("threads that nobody announced are found, with the kernel's name") {
  ThreadListFixture fixture;
  Waiter one("first one"), two("second one");
  CHECK(fixture.list->Scan(1'000'000'000) == ScanResult::kOk);
  REQUIRE(fixture.list->threads().size() == 2);
  SampledThread* const thread = fixture.Find(one.tid());
  REQUIRE(thread != nullptr);
  CHECK(std::string(thread->name) == "first one");
  CHECK(thread->selected);
  CHECK_FALSE(thread->is_main);
  CHECK(thread->slot == nullptr);
  CHECK(thread->syscall_file.ok());
  CHECK(fixture.list->Scan(1'010'000'000) == ScanResult::kOk);
  CHECK(fixture.Find(one.tid()) == thread);  // the same object as long as the thread lives
  const ProcessProfile profile = ReadBack(fixture.segment);
  REQUIRE(profile.threads.size() == 3);  // with a main thread, of which nothing was written
  CHECK(ThreadListFixture::Row(profile, two.tid())->name == "second one");
  CHECK(ThreadListFixture::Row(profile, two.tid())->registered_ns == 1'000'000'000);
  CHECK(ThreadListFixture::Row(profile, two.tid())->unregistered_ns == 0);
}

TEST_CASE("threads of the owner are not listed") {
  ThreadListFixture fixture;
  Waiter programs("program's"), owners("owner's");
  std::atomic<int32_t> own[] = {0, -1};  // the second one is being made
  OwnerTable table = {sizeof(OwnerTable), kHandoverVersion, nullptr, nullptr, nullptr};
  table.own_thread = own;
  table.own_thread_count = 2;
  fixture.owner = &table;
  CHECK(fixture.list->Scan(1'000'000'000) == ThreadList::ScanResult::kOk);  // which does not end the recording
  CHECK(fixture.list->threads().empty());
  own[1] = owners.tid().ToNumber();
  fixture.list->Scan(1'010'000'000);
  REQUIRE(fixture.list->threads().size() == 1);
  CHECK(fixture.Find(programs.tid()) != nullptr);
  table.size_bytes = offsetof(OwnerTable, own_thread_count);  // an older owner has one word
  own[0] = owners.tid().ToNumber();
  own[1] = 0;
  fixture.list->Scan(1'020'000'000);
  CHECK(fixture.list->threads().size() == 1);
  table.size_bytes = offsetof(OwnerTable, own_thread);  // a still older one cannot tell
  fixture.list->Scan(1'030'000'000);
  CHECK(fixture.list->threads().size() == 2);
}

TEST_CASE("a thread that ended is removed, and the profile says when") {
  ThreadListFixture fixture;
  Waiter stays("stays");
  ThreadId gone;
  {
    Waiter leaves("leaves");
    gone = leaves.tid();
    fixture.list->Scan(1'000'000'000);
    leaves.End();
  }
  CHECK(fixture.list->Scan(1'500'000'000) == ScanResult::kOk);
  CHECK(fixture.Find(gone) == nullptr);
  CHECK(fixture.Find(stays.tid()) != nullptr);
  const ProcessProfile profile = ReadBack(fixture.segment);
  REQUIRE(ThreadListFixture::Row(profile, gone) != nullptr);
  CHECK(ThreadListFixture::Row(profile, gone)->unregistered_ns == 1'500'000'000);
  CHECK(ThreadListFixture::Row(profile, stays.tid())->unregistered_ns == 0);
}

TEST_CASE("a removed thread's request and slot are free for others") {
  ThreadListFixture fixture;
  Waiter stays("stays");
  Waiter leaves("leaves");
  ThreadSlot* const slot = fixture.registry->Claim();
  ThreadRegistry::Publish(slot, leaves.tid());
  fixture.list->Scan(1'000);
  SampledThread* const thread = fixture.Find(leaves.tid());
  REQUIRE(thread != nullptr);
  CHECK(thread->slot == slot);
  auto buffer = std::make_unique<CaptureBuffer>();
  buffer->word.store(MakeCaptureWord(5, CaptureState::kRequested));
  thread->pending = buffer.get();
  fixture.list->Remove(thread, 2'000);
  CHECK(buffer->word.load() == MakeCaptureWord(0, CaptureState::kFree));
  const auto ended = static_cast<size_t>(DropReason::kThreadEnded);
  CHECK(fixture.segment.segment().header().drops[ended].load() == 1);  // the sample was asked for
  CHECK(slot->state.load() == ThreadSlot::State::kFree);
  CHECK(fixture.Find(leaves.tid()) == nullptr);
}

TEST_CASE("a thread that announces itself is taken in without a scan, with the name that it registered") {
  ThreadListFixture fixture;
  Waiter waiter("kernel's name");
  ThreadSlot* const slot = fixture.registry->Claim();
  slot->stack_low = 0x10000;
  slot->stack_high = 0x20000;
  slot->SetName("registered name");
  fixture.list->AddAnnounced(0, 1'000);
  CHECK(fixture.list->threads().empty());
  ThreadRegistry::Publish(slot, waiter.tid());
  fixture.list->AddAnnounced(1, 1'000);
  SampledThread* const thread = fixture.Find(waiter.tid());
  REQUIRE(thread != nullptr);
  CHECK(std::string(thread->name) == "registered name");
  CHECK(thread->slot == slot);
  CHECK(thread->stack.high == 0x20000);
  CHECK(fixture.list->Scan(2'000) == ScanResult::kOk);
  CHECK(fixture.list->threads().size() == 1);
}

TEST_CASE("a thread known from a scan gets its slot and its name when it announces itself") {
  ThreadListFixture fixture;
  Waiter waiter("kernel's name");
  fixture.list->Scan(1'000);
  ThreadSlot* const slot = fixture.registry->Claim();
  slot->SetName("registered");
  SampledThread* const thread = fixture.Find(waiter.tid());
  REQUIRE(thread != nullptr);
  CHECK_FALSE(fixture.list->HasSlot(*thread, 1));
  ThreadRegistry::Publish(slot, waiter.tid());
  CHECK(fixture.list->HasSlot(*thread, 1));  // by now: nobody took it in so far
  CHECK(thread->slot == nullptr);
  fixture.list->AddAnnounced(1, 2'000);
  CHECK(thread->slot == slot);
  CHECK(fixture.list->HasSlot(*thread, 1));
  fixture.list->RefreshName(*thread, 2'000);
  CHECK(std::string(thread->name) == "registered");
  CHECK(ReadBack(fixture.segment).threads.back().name == "registered");
}

TEST_CASE("a new name of the kernel's is read when it is due, or now") {
  for (const ThreadList::Names which : {ThreadList::Names::kDue, ThreadList::Names::kNow}) {
    ThreadListFixture fixture;
    Waiter waiter("before");
    fixture.list->Scan(1'000);
    REQUIRE(std::string(fixture.Find(waiter.tid())->name) == "before");
    fixture.list->RefreshNames(2'000, ThreadList::Names::kDue);
    FILE* const file = fopen(("/proc/self/task/" + std::to_string(waiter.tid().ToNumber()) + "/comm").c_str(), "w");
    REQUIRE(file != nullptr);
    fputs("behind", file);
    fclose(file);
    fixture.list->RefreshNames(3'000, which);
    CHECK(std::string(fixture.Find(waiter.tid())->name) == (which == ThreadList::Names::kNow ? "behind" : "before"));
    fixture.list->RefreshNames(2'000 + 250 * kNsPerMs, ThreadList::Names::kDue);
    CHECK(std::string(fixture.Find(waiter.tid())->name) == "behind");
  }
}

TEST_CASE("the name of a later registration counts as that of the first did") {
  ThreadListFixture fixture;
  Waiter waiter("kernel's name");
  ThreadSlot* const slot = fixture.registry->Claim();
  slot->SetName("first");
  ThreadRegistry::Publish(slot, waiter.tid());
  fixture.list->AddAnnounced(1, 1'000);
  REQUIRE(std::string(fixture.Find(waiter.tid())->name) == "first");
  slot->SetName("second");
  fixture.list->AddAnnounced(2, 2'000);
  CHECK(std::string(fixture.Find(waiter.tid())->name) == "second");
  slot->SetName("third");  // in the thread's last moments
  fixture.list->Remove(fixture.Find(waiter.tid()), 3'000);
  CHECK(ReadBack(fixture.segment).threads.back().name == "third");
}

TEST_CASE("of few descriptors the files of threads take a quarter") {
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const std::filesystem::directory_iterator open_now("/proc/self/fd"), end;
  const auto kept = static_cast<size_t>(std::distance(open_now, end)) + 10;
  const rlimit few = {2 * kept, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  {
    ThreadListFixture fixture;
    std::vector<std::unique_ptr<Waiter>> waiters;
    for (size_t i = 0; i < kept + 10; ++i) waiters.push_back(std::make_unique<Waiter>("one of many"));
    CHECK(fixture.list->Scan(MonotonicNs()) == ScanResult::kOk);
    size_t open_files = 0;
    for (const auto& thread : fixture.list->threads())
      open_files += size_t{thread->syscall_file.ok()} + size_t{thread->schedstat_file.ok()};
    CHECK(open_files == kept / 4 * 2);
  }
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("the filter selects by name, again when the name changes") {
  ThreadListFixture fixture("Net");
  Waiter net("network"), other("other");
  fixture.list->Scan(1'000);
  CHECK(fixture.Find(net.tid())->selected);
  CHECK_FALSE(fixture.Find(other.tid())->selected);
  ThreadSlot* const slot = fixture.registry->Claim();
  slot->SetName("now a net thread");
  ThreadRegistry::Publish(slot, other.tid());
  fixture.list->AddAnnounced(1, 2'000);
  fixture.list->RefreshName(*fixture.Find(other.tid()), 2'000);
  CHECK(fixture.Find(other.tid())->selected);
}

TEST_CASE("whether a thread has a signal blocked is told for each thread") {
  Waiter blocking("blocking", SIGURG), hears("hears");
  CHECK(ThreadList::IsSignalBlocked(blocking.tid(), SIGURG));
  CHECK_FALSE(ThreadList::IsSignalBlocked(blocking.tid(), SIGWINCH));
  CHECK_FALSE(ThreadList::IsSignalBlocked(hears.tid(), SIGURG));
  CHECK(ThreadList::BlockedSignals(blocking.tid()) == SignalBit(SIGURG));
  CHECK(ThreadList::BlockedSignals(ThreadId::FromNumber(999'999'999)) == 0);
  CHECK(ThreadList::IsMomentary(~KernelSignalSet{0}));
  CHECK_FALSE(ThreadList::IsMomentary(~(SignalBit(32) | SignalBit(33))));  // what sigfillset(3) leaves
  Waiter highest("highest", 64);
  CHECK(ThreadList::IsSignalBlocked(highest.tid(), 64));
  CHECK_FALSE(ThreadList::IsSignalBlocked(highest.tid(), 63));
}

TEST_CASE("the main thread has the stack that was given, when somebody else samples") {
  TestSegment segment;
  MetadataWriter metadata(&segment.segment());
  ThreadFilter filter;
  auto registry = std::make_unique<ThreadRegistry>();
  Waiter sampler("sampler");
  ThreadList list({ProcessId::FromNumber(getpid()),
                   sampler.tid(),
                   {0x1000, 0x2000},
                   &filter,
                   registry.get(),
                   &metadata,
                   &segment.segment().header()});
  CHECK(list.Scan(1'000) == ScanResult::kOk);
  REQUIRE(list.threads().size() == 1);
  CHECK(list.threads()[0]->is_main);
  CHECK(list.threads()[0]->stack.high == 0x2000);
}

TEST_CASE("of many threads only the first keep their files open; the others' are opened when asked for") {
  ThreadListFixture fixture;
  std::vector<std::unique_ptr<Waiter>> waiters;
  for (int i = 0; i < 300; ++i) waiters.push_back(std::make_unique<Waiter>("one of many"));
  REQUIRE(fixture.list->Scan(MonotonicNs()) == ScanResult::kOk);
  size_t open_files = 0;
  for (const auto& thread : fixture.list->threads()) {
    open_files += thread->syscall_file.ok();
    Fd temporary;
    REQUIRE(fixture.list->SyscallFile(*thread, temporary).ok());
    CHECK(temporary.ok() == !thread->syscall_file.ok());
  }
  CHECK(fixture.list->threads().size() == 300);
  CHECK(open_files == 256);
  // The places of those that end are taken by later ones.
  for (int i = 0; i < 100; ++i) waiters[static_cast<size_t>(i)]->End();
  REQUIRE(fixture.list->Scan(MonotonicNs()) == ScanResult::kOk);
  const Waiter late("late");
  REQUIRE(fixture.list->Scan(MonotonicNs()) == ScanResult::kOk);
  REQUIRE(fixture.Find(late.tid()) != nullptr);
  CHECK(fixture.Find(late.tid())->syscall_file.ok());
}

TEST_CASE("files can be given up and the list scanned again") {
  ThreadListFixture fixture;
  Waiter waiter("waiter");
  fixture.list->Scan(1'000);
  fixture.list->CloseFiles();
  CHECK_FALSE(fixture.Find(waiter.tid())->syscall_file.ok());
  CHECK(fixture.list->Scan(2'000) == ScanResult::kOk);
  CHECK(fixture.list->threads().size() == 1);
}

TEST_CASE("files that were given up are opened again when the sampler has come back") {
  ThreadListFixture fixture;
  Waiter waiter("waiter");
  fixture.list->Scan(1'000);
  fixture.list->CloseFiles();
  fixture.list->ReopenFiles();
  fixture.list->Scan(2'000);
  CHECK(fixture.Find(waiter.tid())->syscall_file.ok());
}

TEST_CASE("a thread that announced itself between being listed and its end has one row") {
  ThreadListFixture fixture;
  Waiter stays("stays");
  Waiter leaves("leaves");
  const ThreadId gone = leaves.tid();
  fixture.list->Scan(1'000);
  ThreadSlot* const slot = fixture.registry->Claim();
  ThreadRegistry::Publish(slot, gone);
  leaves.End();
  fixture.list->Scan(2'000);
  CHECK(slot->state.load() == ThreadSlot::State::kFree);
  fixture.list->AddAnnounced(1, 3'000);
  CHECK(fixture.list->threads().size() == 1);
  const ProcessProfile profile = ReadBack(fixture.segment);
  size_t rows = 0;
  for (const ThreadRow& row : profile.threads) rows += row.tid == gone.ToNumber();
  CHECK(rows == 1);
  CHECK(ThreadListFixture::Row(profile, gone)->name == "leaves");
}

TEST_CASE("a thread that ended before it was looked at has its creator's name, and the time that it announced") {
  ThreadListFixture fixture;
  Waiter creator("creator");
  std::vector<ThreadId> ended;
  for (int i = 0; i < 3; ++i) {
    Waiter brief("brief");
    ended.push_back(brief.tid());
    ThreadSlot* const slot = fixture.registry->Claim();
    slot->creator_tid.store(i == 0 ? creator.tid().ToNumber() : 0);
    slot->published_ns = i == 0 ? 1'500 : 0;
    if (i == 2) slot->SetName("registered");
    ThreadRegistry::Publish(slot, brief.tid());
  }
  fixture.segment.segment().header().created_ns = 1'000;
  fixture.list->AddAnnounced(3, 2'000);
  for (const ThreadId tid : ended) {
    REQUIRE(fixture.Find(tid) != nullptr);
    CHECK(fixture.Find(tid)->slot->listed.load());
    fixture.list->Remove(fixture.Find(tid), 3'000);
  }
  fixture.list->AddAnnounced(4, 4'000);
  CHECK(fixture.list->threads().empty());
  const ProcessProfile profile = ReadBack(fixture.segment);
  char program[16] = {};
  prctl(PR_GET_NAME, program);
  CHECK(ThreadListFixture::Row(profile, ended[0])->name == "creator");
  CHECK(ThreadListFixture::Row(profile, ended[0])->registered_ns == 1'500);
  CHECK(ThreadListFixture::Row(profile, ended[0])->unregistered_ns == 3'000);
  CHECK(ThreadListFixture::Row(profile, ended[1])->name == program);  // nobody knows who made it
  CHECK(ThreadListFixture::Row(profile, ended[1])->registered_ns == 2'000);
  CHECK(ThreadListFixture::Row(profile, ended[2])->name == "registered");
}

TEST_CASE("of many that announce themselves at once, a call takes in some, and the next ones the others") {
  ThreadListFixture fixture;
  constexpr int32_t kThreads = 150, kFirstTid = 4'000'000;  // near the kernel's largest: nobody has these
  for (int32_t i = 0; i < kThreads; ++i) {
    ThreadRegistry::Publish(fixture.registry->Claim(), ThreadId::FromNumber(kFirstTid + i));
  }
  size_t before = 0;
  int calls = 0;
  for (; fixture.list->threads().size() < kThreads; ++calls) {
    fixture.list->AddAnnounced(1, 2'000);
    const size_t now = fixture.list->threads().size();
    REQUIRE(now > before);
    CHECK(now - before < kThreads / 2);
    before = now;
  }
  CHECK(calls > 2);
}

TEST_CASE("an id that is in use again is another thread's, in whatever order the two are met") {
  for (const bool older_first : {true, false}) {
    INFO(older_first);
    ThreadListFixture fixture;
    Waiter waiter("again");
    ThreadSlot* const first = fixture.registry->Claim();
    ThreadSlot* const second = fixture.registry->Claim();
    ThreadSlot* const older = older_first ? first : second;
    ThreadSlot* const newer = older_first ? second : first;
    older->published_ns = 1'000;
    newer->published_ns = 2'000;
    ThreadRegistry::Publish(older, waiter.tid());
    ThreadRegistry::Publish(newer, waiter.tid());
    fixture.list->AddAnnounced(1, 3'000);
    REQUIRE(fixture.list->threads().size() == 1);
    CHECK(fixture.Find(waiter.tid())->slot == newer);
    CHECK(older->state.load() == ThreadSlot::State::kFree);
    CHECK(newer->state.load() == ThreadSlot::State::kLive);
    const uint64_t lost = fixture.segment.drops(DropReason::kUnlistedThread);
    CHECK(lost == (older_first ? 0 : 1));  // a row of its own, or counted
    const ProcessProfile profile = ReadBack(fixture.segment);
    const auto rows = std::count_if(profile.threads.begin(), profile.threads.end(),
                                    [&](const ThreadRow& row) { return row.tid == waiter.tid().ToNumber(); });
    CHECK(rows == (older_first ? 2 : 1));
  }
}

TEST_CASE("the thread that obeys another process is not listed, and its id is forgotten after its end") {
  ThreadListFixture fixture;
  Waiter obeys("obeys");
  fixture.helper = obeys.tid().ToNumber();
  const Waiter other("other");
  REQUIRE(fixture.list->Scan(1) == ThreadList::ScanResult::kOk);
  CHECK(fixture.Find(obeys.tid()) == nullptr);
  CHECK(fixture.Find(other.tid()) != nullptr);
  CHECK(fixture.helper == obeys.tid().ToNumber());
  obeys.End();
  REQUIRE(fixture.list->Scan(2) == ThreadList::ScanResult::kOk);
  CHECK(fixture.helper == 0);
}

TEST_CASE("no thread is added while the id of the thread that obeys another process is not known") {
  ThreadListFixture fixture;
  fixture.helper = -1;  // SamplerControl::kHelperIsMade
  const Waiter waiter("waiter");
  REQUIRE(fixture.list->Scan(1) == ThreadList::ScanResult::kOk);
  CHECK(fixture.Find(waiter.tid()) == nullptr);
  CHECK(fixture.helper == -1);
  fixture.helper = 0;
  REQUIRE(fixture.list->Scan(2) == ThreadList::ScanResult::kOk);
  CHECK(fixture.Find(waiter.tid()) != nullptr);
}

}  // namespace
}  // namespace geckoprof
