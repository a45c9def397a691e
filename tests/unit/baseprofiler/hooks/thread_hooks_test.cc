#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "recording_folder.h"
#include "signal/sampling_signal.h"
#include "tests/support/forked_check.h"

namespace geckoprof {
namespace {

// What a thread finds of itself before its first instruction.
struct Found {
  ThreadSlot* slot = nullptr;
  int32_t tid = 0, slot_tid = 0;
  uintptr_t here = 0, low = 0, high = 0;
};

void* Look(void* argument) {
  auto* const found = static_cast<Found*>(argument);
  found->slot = ThreadSlots::Known();
  found->tid = gettid();
  found->here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (found->slot == nullptr) return argument;
  found->slot_tid = found->slot->tid.load();
  found->low = found->slot->stack_low;
  found->high = found->slot->stack_high;
  return argument;
}

// False unless the thread could be made and gave its result.
bool RunThread(Found& found, const pthread_attr_t* attributes = nullptr) {
  pthread_t thread;
  void* result = nullptr;
  return pthread_create(&thread, attributes, &Look, &found) == 0 && pthread_join(thread, &result) == 0 &&
         result == &found;
}

TEST_CASE("while recording, a new thread is known from its beginning, with its stack") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          Found found;
          FORKED_REQUIRE(RunThread(found));
          FORKED_REQUIRE(found.slot != nullptr && found.slot_tid == found.tid && found.tid != getpid());
          FORKED_REQUIRE(found.low < found.here && found.here < found.high);
          pthread_attr_t attributes;
          size_t size_bytes = 0;
          pthread_getattr_default_np(&attributes);
          pthread_attr_getstacksize(&attributes, &size_bytes);
          FORKED_REQUIRE(found.high - found.low <= size_bytes && found.high - found.low >= size_bytes - 64 * 1024);
          return 0;
        }) == 0);
}

TEST_CASE("a size that the program asked for counts, without the guard") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          constexpr size_t kSize = 1 << 20;
          constexpr size_t kGuard = 256 * 1024;
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          pthread_attr_setstacksize(&attributes, kSize);
          pthread_attr_setguardsize(&attributes, kGuard);
          Found found;
          FORKED_REQUIRE(RunThread(found, &attributes));
          FORKED_REQUIRE(found.low < found.here && found.here < found.high);
          FORKED_REQUIRE(found.high - found.low <= kSize - kGuard);
          return 0;
        }) == 0);
}

TEST_CASE("a stack that the program gave is the thread's, from its low end") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          constexpr size_t kSize = 256 * 1024;
          void* const stack = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          pthread_attr_setstack(&attributes, stack, kSize);
          Found found;
          FORKED_REQUIRE(RunThread(found, &attributes));
          FORKED_REQUIRE(found.low == reinterpret_cast<uintptr_t>(stack));
          FORKED_REQUIRE(found.here < found.high && found.high <= found.low + kSize);
          return 0;
        }) == 0);
}

TEST_CASE("a thread that could not be made keeps no slot") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          pthread_attr_t attributes;
          pthread_attr_init(&attributes);
          FORKED_REQUIRE(pthread_attr_setstacksize(&attributes, size_t{1} << 60) == 0);
          ThreadSlot* const free = RecordingState::Get().slots().Claim();
          RecordingState::Get().slots().Unclaim(free);
          pthread_t thread;
          Found found;
          FORKED_REQUIRE(pthread_create(&thread, &attributes, &Look, &found) == EAGAIN);
          FORKED_REQUIRE(RecordingState::Get().slots().Claim() == free);
          return 0;
        }) == 0);
}

TEST_CASE("what a thread believes of the sampler's signal it has from its creator") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          FORKED_REQUIRE(folder.Start());
          ThreadSlot* const mine = RecordingState::Get().slots().Current();
          sigset_t all;
          sigfillset(&all);
          FORKED_REQUIRE(pthread_sigmask(SIG_SETMASK, &all, nullptr) == 0);
          const int ours = SamplingSignal::Current();
          FORKED_REQUIRE(mine->hidden_signal == ours);
          Found found;
          FORKED_REQUIRE(RunThread(found) && found.slot != nullptr);
          FORKED_REQUIRE(found.slot->hidden_signal == ours && !found.slot->Blocks(ours));
          return 0;
        }) == 0);
}

TEST_CASE("without a recording a thread is as libc makes it") {
  CHECK(StatusInChild([] {
          RecordingFolder::Load();
          Found found;
          FORKED_REQUIRE(RunThread(found) && found.slot == nullptr);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
