// Alternate stacks of a program on a machine with large signal frames. In the children that use them here, the kernel
// reports frames of 64 KiB, so that stacks may be too small on any machine.
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "recording_folder.h"
#include "signal/sampling_signal.h"
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
          FORKED_REQUIRE(Use(large) && room == SignalStackRoom::kAmple);
          FORKED_REQUIRE(Use(small) && room == SignalStackRoom::kTooSmall);
          FORKED_REQUIRE(sigaltstack(&none, nullptr) == 0 && room == SignalStackRoom::kAmple);
          return 0;
        }) == 0);
}

TEST_CASE("a stack with room for one frame serves where no handler of the program may be interrupted on it") {
  CHECK(StatusInChild([] {
          ReportLargeFrames();
          RecordingFolder::Load();
          FORKED_REQUIRE(Use(StackMemory(kOneFrameBytes)));
          const ThreadSlot& slot = *ThreadSlots::Known();
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, false) == StackProblem::kNoProblem);
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, true) == StackProblem::kSmallSignalStack);
          FORKED_REQUIRE(Use(StackMemory(kTooSmallBytes)));
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, false) == StackProblem::kSmallSignalStack);
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, true) == StackProblem::kSmallSignalStack);
          FORKED_REQUIRE(Use(StackMemory(kEnoughBytes)));
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, false) == StackProblem::kNoProblem);
          FORKED_REQUIRE(slot.FindSignalProblem(SIGURG, true) == StackProblem::kNoProblem);
          return 0;
        }) == 0);
}

// The mask of the handler as the kernel has it.
bool KernelMasks(int handled, int signal) {
  struct {
    void* handler;
    unsigned long flags;
    void (*restorer)();
    KernelSignalSet mask;
  } action = {};
  RawSyscall(SYS_rt_sigaction, handled, nullptr, &action, sizeof(action.mask));
  return (action.mask & SignalBit(signal)) != 0;
}

bool MasksBoth(int handled) { return KernelMasks(handled, SIGURG) && KernelMasks(handled, SIGWINCH); }
bool MasksNeither(int handled) { return !KernelMasks(handled, SIGURG) && !KernelMasks(handled, SIGWINCH); }

struct sigaction Shown(int handled) {
  struct sigaction action = {};
  sigaction(handled, nullptr, &action);
  return action;
}

TEST_CASE("a small stack protects handlers from our signal; the program sees the handlers as it set them") {
  const RecordingFolder folder;
  for (const bool is_before_start : {false, true}) {
    INFO("handler and stack from before the recording: " << is_before_start);
    CHECK(StatusInChild([&] {
            ReportLargeFrames();
            RecordingFolder::Load();
            const StackMemory one(kOneFrameBytes);
            if (!is_before_start) FORKED_REQUIRE(folder.Start());
            HandleOnStack();
            const struct sigaction before = Shown(SIGUSR1);
            FORKED_REQUIRE(MasksNeither(SIGUSR1) && TheSigactionMaskTranslator().may_nest());
            FORKED_REQUIRE(Use(one));
            if (is_before_start) FORKED_REQUIRE(folder.Start());
            FORKED_REQUIRE(MasksBoth(SIGUSR1) && !TheSigactionMaskTranslator().may_nest());
            const struct sigaction after = Shown(SIGUSR1);
            FORKED_REQUIRE(after.sa_handler == before.sa_handler && after.sa_restorer == before.sa_restorer);
            FORKED_REQUIRE(after.sa_flags == before.sa_flags && !sigismember(&after.sa_mask, SIGURG));
            FORKED_REQUIRE(raise(SIGUSR1) == 0);
            // A handler on the normal stack takes its place, and then one that does not mask its own signal.
            struct sigaction next = before;
            next.sa_flags &= ~SA_ONSTACK;
            struct sigaction previous = {};
            FORKED_REQUIRE(sigaction(SIGUSR1, &next, &previous) == 0);
            FORKED_REQUIRE(previous.sa_restorer == before.sa_restorer && !sigismember(&previous.sa_mask, SIGURG));
            FORKED_REQUIRE(MasksNeither(SIGUSR1) && !TheSigactionMaskTranslator().may_nest());
            next.sa_flags = SA_ONSTACK | SA_NODEFER;
            FORKED_REQUIRE(sigaction(SIGUSR1, &next, nullptr) == 0);
            FORKED_REQUIRE(MasksNeither(SIGUSR1) && TheSigactionMaskTranslator().may_nest());
            FORKED_REQUIRE(signal(SIGUSR1, SIG_DFL) == before.sa_handler);
            FORKED_REQUIRE(!TheSigactionMaskTranslator().may_nest());
            return 0;
          }) == 0);
  }
}

// A handler that may be interrupted only when it returns.
void RaiseOurs(int) { raise(SIGURG); }

TEST_CASE("a call that a protected handler interrupted fails, although our signal comes right after the handler") {
  const RecordingFolder folder;
  for (const bool is_small : {true, false}) {
    INFO("small stack " << is_small);
    CHECK(StatusInChild([&] {
            ReportLargeFrames();
            FORKED_REQUIRE(folder.Start());
            const StackMemory memory(is_small ? kOneFrameBytes : kEnoughBytes);
            FORKED_REQUIRE(Use(memory));
            struct sigaction action = {};
            action.sa_handler = &RaiseOurs;
            action.sa_flags = SA_ONSTACK;
            FORKED_REQUIRE(sigaction(SIGALRM, &action, nullptr) == 0 && MasksBoth(SIGALRM) == is_small);
            const itimerval soon = {{}, {0, 20'000}};
            FORKED_REQUIRE(setitimer(ITIMER_REAL, &soon, nullptr) == 0);
            errno = 0;
            FORKED_REQUIRE(poll(nullptr, 0, 5'000) == -1 && errno == EINTR);
            return 0;
          }) == 0);
  }
}

void* g_frames[32];
int g_frame_count = 0;
void NoteFrames(int) { g_frame_count = backtrace(g_frames, 32); }

TEST_CASE("an unwinder finds its way through the return from a protected handler") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ReportLargeFrames();
          FORKED_REQUIRE(folder.Start());
          const StackMemory memory(kOneFrameBytes);
          FORKED_REQUIRE(Use(memory));
          struct sigaction action = {};
          action.sa_handler = &NoteFrames;
          action.sa_flags = SA_ONSTACK;
          FORKED_REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0 && MasksBoth(SIGUSR1));
          void* outside[32];
          const int outside_count = backtrace(outside, 32);
          raise(SIGUSR1);
          FORKED_REQUIRE(g_frame_count > outside_count && outside_count > 2);
          // All frames but that of this function, which goes on in between.
          FORKED_REQUIRE(
              std::equal(outside + 1, outside + outside_count, g_frames + g_frame_count - outside_count + 1));
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

void WorkInHandler(int) {
  const int64_t end_ns = MonotonicNs() + 100 * kNsPerMs;
  while (MonotonicNs() < end_ns) {
  }
}

bool AnyRowSays(const ProcessProfile& profile, const char* text) {
  const SampleList& rows = MainSamples(profile);
  return std::any_of(rows.begin(), rows.end(), [&](const SampleRow& row) {
    return StackText(profile, row.stack).find(text) != std::string::npos;
  });
}

TEST_CASE("the time in a protected handler is shown as such, and not as a thread that blocks the signal") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          ReportLargeFrames();
          StartParameters parameters = folder.Asked();
          parameters.interval_ns = kNsPerMs;
          FORKED_REQUIRE(RecordingFolder::Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
          const StackMemory memory(kOneFrameBytes);
          FORKED_REQUIRE(Use(memory));
          struct sigaction action = {};
          action.sa_handler = &WorkInHandler;
          action.sa_flags = SA_ONSTACK;
          FORKED_REQUIRE(sigaction(SIGUSR1, &action, nullptr) == 0);
          ProcessProfile profile;
          for (int i = 0; i < 50 && !AnyRowSays(profile, "in a signal handler on an alternate stack"); ++i) {
            raise(SIGUSR1);
            profile = folder.Read(getpid());
          }
          FORKED_REQUIRE(AnyRowSays(profile, "in a signal handler on an alternate stack"));
          FORKED_REQUIRE(!AnyRowSays(profile, "blocks the profiler's signal"));
          FORKED_REQUIRE(SamplingSignal::Current() == SIGURG);  // the other one would not help
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

uintptr_t g_frame_low = 0;
void NoteFrame(int, siginfo_t* info, void* context) {
  // The return address lies below these structures.
  g_frame_low = std::min(reinterpret_cast<uintptr_t>(info), reinterpret_cast<uintptr_t>(context)) - sizeof(void*);
}

TEST_CASE("our handler takes no more of a stack than it is given there") {
  const RecordingFolder folder;
  CHECK(StatusInChild([&] {
          struct sigaction action = {};
          action.sa_sigaction = &NoteFrame;
          action.sa_flags = SA_ONSTACK | SA_SIGINFO;
          sigaction(SIGUSR1, &action, nullptr);
          const StackMemory memory(kEnoughBytes);
          FORKED_REQUIRE(Use(memory));
          raise(SIGUSR1);
          const stack_t stack = memory.stack();
          const size_t frame_bytes = reinterpret_cast<uintptr_t>(stack.ss_sp) + stack.ss_size - g_frame_low;
          memset(stack.ss_sp, StackMemory::kUntouched, stack.ss_size);
          StartParameters parameters = folder.Asked();
          parameters.interval_ns = kMinIntervalNs;
          FORKED_REQUIRE(RecordingFolder::Load().Start(parameters) == ProfilerCore::StartResult::kStarted);
          WriteUntilSampled(500);
          FORKED_REQUIRE(memory.UsedBytes() > frame_bytes);
          FORKED_REQUIRE(memory.UsedBytes() - frame_bytes <= kHandlerStackBytes);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
