// Alternate stacks of a program on a machine with large signal frames. In the children that use them here, the kernel
// reports frames of 64 KiB, so that stacks may be too small on any machine.
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "recording_folder.h"
#include "signal/sigaction_mask_translator.h"
#include "tests/support/forked_check.h"
#include "tests/support/read_back.h"

// What the kernel reports, or 0 for the truth.
static unsigned long g_reported_bytes = 0;

extern "C" unsigned long getauxval(unsigned long type) noexcept {
  if (type == AT_MINSIGSTKSZ && g_reported_bytes != 0) return g_reported_bytes;
  static const auto real = reinterpret_cast<decltype(&getauxval)>(dlsym(RTLD_NEXT, "getauxval"));
  return real(type);
}

namespace geckoprof {
namespace {

constexpr size_t kTooSmallBytes = 16 * 1024;
constexpr size_t kOneFrameBytes = 100 * 1024;
constexpr size_t kEnoughBytes = 256 * 1024;

// Memory for a stack, with every byte set to kUntouched. It stays mapped, since the stack may be in use to the end.
class StackMemory {
 public:
  static constexpr uint8_t kUntouched = 0x5a;

  explicit StackMemory(size_t bytes) : bytes_(bytes) {
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory_, kUntouched, bytes);
  }

  stack_t stack() const { return {memory_, 0, bytes_}; }
  size_t UsedBytes() const {
    size_t untouched = 0;
    while (untouched < bytes_ && static_cast<uint8_t*>(memory_)[untouched] == kUntouched) ++untouched;
    return bytes_ - untouched;
  }

 private:
  size_t bytes_;
  void* memory_;
};

bool Use(const StackMemory& memory) {
  const stack_t stack = memory.stack();
  return sigaltstack(&stack, nullptr) == 0;
}

void HandleOnStack() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
}

void ReportLargeFrames() { g_reported_bytes = 64 * 1024; }

TEST_CASE("the room on an alternate stack is noted, recording or not") {
  CHECK(StatusInChild([] {
          ReportLargeFrames();
          RecordingFolder::Load();
          const StackMemory small(kTooSmallBytes), one(kOneFrameBytes), large(kEnoughBytes);
          const stack_t tiny = {small.stack().ss_sp, 0, 1};
          const stack_t none = {nullptr, SS_DISABLE, 0};
          FORKED_REQUIRE(Use(large));
          FORKED_REQUIRE(ThreadSlots::Known() == nullptr);  // no reason for one
          FORKED_REQUIRE(Use(small));
          const ThreadSlot* const slot = ThreadSlots::Known();
          FORKED_REQUIRE(slot != nullptr);
          const auto& room = slot->signal_stack_room;
          FORKED_REQUIRE(room == SignalStackRoom::kTooSmall);
          stack_t seen = {};
          FORKED_REQUIRE(sigaltstack(nullptr, &seen) == 0 && seen.ss_size == kTooSmallBytes);
          FORKED_REQUIRE(room == SignalStackRoom::kTooSmall);
          FORKED_REQUIRE(Use(one) && room == SignalStackRoom::kOneFrame);
          errno = 0;
          FORKED_REQUIRE(sigaltstack(&tiny, nullptr) == -1 && errno == ENOMEM);
          FORKED_REQUIRE(room == SignalStackRoom::kOneFrame);  // as before
          FORKED_REQUIRE(Use(large) && room == SignalStackRoom::kTwoFrames);
          FORKED_REQUIRE(Use(small) && room == SignalStackRoom::kTooSmall);
          FORKED_REQUIRE(sigaltstack(&none, nullptr) == 0 && room == SignalStackRoom::kTwoFrames);
          return 0;
        }) == 0);
}

TEST_CASE("a stack with room for one frame serves where no handler of the program may be interrupted on it") {
  CHECK(StatusInChild([] {
          ReportLargeFrames();
          RecordingFolder::Load();
          FORKED_REQUIRE(Use(StackMemory(kOneFrameBytes)));
          const ThreadSlot& slot = *ThreadSlots::Known();
          FORKED_REQUIRE(!slot.IsSignalUnsafe(SIGURG, false) && slot.IsSignalUnsafe(SIGURG, true));
          FORKED_REQUIRE(Use(StackMemory(kTooSmallBytes)));
          FORKED_REQUIRE(slot.IsSignalUnsafe(SIGURG, false) && slot.IsSignalUnsafe(SIGURG, true));
          FORKED_REQUIRE(Use(StackMemory(kEnoughBytes)));
          FORKED_REQUIRE(!slot.IsSignalUnsafe(SIGURG, false) && !slot.IsSignalUnsafe(SIGURG, true));
          return 0;
        }) == 0);
}

const SampleList& MainSamples(const ProcessProfile& profile) {
  static const SampleList none;
  for (const ThreadRow& row : profile.threads) {
    if (row.is_main) return row.samples;
  }
  return none;
}

TEST_CASE("the rows of a thread whose alternate stack is too small say so") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ReportLargeFrames();
          RecordingFolder::Load();
          const StackMemory small(kTooSmallBytes);
          FORKED_REQUIRE(Use(small) && folder.Start());
          ProcessProfile profile;
          while (MainSamples(profile).empty()) profile = folder.Read(getpid());
          const std::string text = StackText(profile, MainSamples(profile)[0].stack);
          FORKED_REQUIRE(text.find("the alternate signal stack is too small") != std::string::npos);
          FORKED_REQUIRE(small.UsedBytes() == 0);
          return 0;
        }) == 0);
}

// Writes to a pipe, which our handler has to repair, until `count` more samples are there.
void WriteUntilSampled(uint64_t count) {
  int ends[2] = {};
  if (pipe(ends) != 0) abort();
  std::vector<char> data(256 * 1024);
  std::thread reader([&] {
    std::vector<char> read_data(data.size());
    while (read(ends[0], read_data.data(), read_data.size()) > 0) {
    }
  });
  const SegmentHeader& header = RecordingState::Get().RecordingSegment()->header();
  for (const uint64_t until = header.samples_taken.load() + count; header.samples_taken.load() < until;) {
    if (write(ends[1], data.data(), data.size()) != static_cast<ssize_t>(data.size())) abort();
  }
  close(ends[1]);
  reader.join();
  close(ends[0]);
}

TEST_CASE("our handler takes no more of a stack than it is given there") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          HandleOnStack();
          const StackMemory with_empty_handler(kEnoughBytes), with_ours(kEnoughBytes);
          FORKED_REQUIRE(Use(with_empty_handler));
          raise(SIGUSR1);
          StartParameters parameters = folder.Asked();
          parameters.interval_ns = kMinIntervalNs;
          FORKED_REQUIRE(Use(with_ours));
          FORKED_REQUIRE(RecordingFolder::Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
          WriteUntilSampled(500);
          FORKED_REQUIRE(with_ours.UsedBytes() > with_empty_handler.UsedBytes());
          FORKED_REQUIRE(with_ours.UsedBytes() - with_empty_handler.UsedBytes() <= kHandlerStackBytes);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
