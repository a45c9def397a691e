#include "sampler/stack_builder.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "geckoprof/base/clock.h"
#include "geckoprof/base/fd.h"
#include "sampler/capture_pool.h"
#include "stack_chain.h"
#include "tests/support/await.h"
#include "tests/support/own_stack.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_segment.h"

namespace geckoprof {
namespace {

CaptureTable g_table;
CapturePool g_pool(&g_table);

void OnSignal(int, siginfo_t* info, void* context) { CaptureSignalSafe(g_table, *info, context); }

struct Fixture {
  Fixture() { recorder.Refresh(1); }
  TestSegment segment;
  MetadataWriter metadata{&segment.segment()};
  SampleWriter samples{&segment.segment()};
  std::atomic<uint32_t> unloads{0};
  ModuleRecorder recorder{&metadata, &samples, &unloads};
  StackBuilder builder{&recorder};
  ProfilingStack labels;
  StackChainPlaces places = {};
};

// At the chain's end: a request to this very thread, answered before the call returns.
struct Deepest {
  explicit Deepest(Fixture* fixture_in, uint32_t limit_bytes = 0)
      : fixture(fixture_in), stack_limit_bytes(limit_bytes) {
    struct sigaction action = {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
    sigaction(SIGURG, &action, nullptr);
    g_table.pid.store(getpid());
    stack = {OwnStack().low, OwnStack().high};
  }
  ~Deepest() {
    if (capture != nullptr) {
      if (stack_limit_bytes != 0) capture->capacity_bytes = CapturePool::kUsualCopyBytes;
      g_pool.Release(capture);
    }
    signal(SIGURG, SIG_DFL);
  }

  __attribute__((noinline)) static void Run(void* argument) {
    auto& self = *static_cast<Deepest*>(argument);
    self.fixture->places.in_inner = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    self.capture = g_pool.Acquire(0);
    self.capture->labels = &self.fixture->labels;
    self.capture->stack = self.stack;
    if (self.stack_limit_bytes != 0) self.capture->capacity_bytes = self.stack_limit_bytes;
    const ThreadId tid = ThreadId::FromNumber(static_cast<int32_t>(syscall(SYS_gettid)));
    g_pool.Send(self.capture, ProcessId::FromNumber(getpid()), tid, SIGURG);
  }
  const CaptureBuffer& Capture() {
    stack_chain_outer(&fixture->labels, &fixture->places, &Run, this);
    REQUIRE(CapturePool::IsAnswered(capture));
    return *capture;
  }

  Fixture* fixture;
  uint32_t stack_limit_bytes;
  StackRange stack = {0, 0};
  CaptureBuffer* capture = nullptr;
};

// What the chain's frames and labels are called, in the order of the stack; other frames are left out.
std::vector<std::string> Names(std::span<const StackFrame> frames, const StackChainPlaces& places) {
  std::vector<std::string> names;
  for (const StackFrame& frame : frames) {
    if (frame.kind == StackFrameKind::kInlineLabel) names.push_back("[" + std::string(frame.text) + "]");
    if (frame.kind != StackFrameKind::kNative) continue;
    if (frame.value == places.in_outer) names.push_back("Outer");
    if (frame.value == places.in_middle) names.push_back("Middle");
    if (frame.value == places.in_inner) names.push_back("Inner");
  }
  return names;
}

size_t CountReasons(std::span<const StackFrame> frames) {
  size_t count = 0;
  for (const StackFrame& frame : frames) count += frame.kind == StackFrameKind::kReason;
  return count;
}

const std::vector<std::string> kMerged = {"Outer", "[outer]", "Middle", "[middle 1]", "[middle 2 dynamic]",
                                          "Inner", "[inner]"};

TEST_CASE("a return address of 0 ends a stack of the program's own making, and no thread's own") {
  Fixture fixture;
  Deepest deepest(&fixture);
  deepest.Capture();
  memset(deepest.capture->stack_copy, 0, deepest.capture->copied_bytes);
  CHECK(CountReasons(fixture.builder.FromCapture(*deepest.capture, true)) == 1);
  CHECK_FALSE(fixture.builder.reached_start());
  deepest.capture->unknown_stack = true;
  CHECK(CountReasons(fixture.builder.FromCapture(*deepest.capture, true)) == 0);
  CHECK(fixture.builder.reached_start());
}

TEST_CASE("a label comes after the frame it lives in and before that frame's callee") {
  Fixture fixture;
  Deepest deepest(&fixture);
  const auto frames = fixture.builder.FromCapture(deepest.Capture(), true);
  CHECK(fixture.builder.reached_start());
  CHECK(CountReasons(frames) == 0);
  CHECK(Names(frames, fixture.places) == kMerged);
}

// As a library its frames are left out: the whole of another's stack is not ours.
TEST_CASE("linked into the program, the builder leaves out nothing: the program's own frames lie in the same object") {
  Fixture fixture;
  Deepest deepest(&fixture);
  const auto frames = fixture.builder.FromCapture(deepest.Capture(), true);
  const Module* const own = fixture.recorder.table().Find(reinterpret_cast<uintptr_t>(&Deepest::Run));
  REQUIRE(own != nullptr);
  REQUIRE(own->entry_avma() != 0);
  size_t own_frames = 0;
  for (const StackFrame& frame : frames.first(frames.size() - 1)) {
    own_frames +=
        frame.kind == StackFrameKind::kNative && frame.value >= own->start_avma() && frame.value < own->end_avma();
  }
  CHECK(own_frames > 0);
}

TEST_CASE("without native stacks there are the labels alone") {
  Fixture fixture;
  Deepest deepest(&fixture);
  const auto frames = fixture.builder.FromCapture(deepest.Capture(), false);
  REQUIRE(frames.size() == 4);
  CHECK(frames[0].text == "outer");
  CHECK(frames[2].text == "middle 2 dynamic");
  CHECK(frames[3].text == "inner");
  CHECK(frames[3].category_pair == 1u << 8);
}

TEST_CASE("a stack cut by the copy's size keeps what was copied, its labels and the reason") {
  Fixture fixture;
  Deepest deepest(&fixture, 1024);
  const CaptureBuffer& capture = deepest.Capture();
  CHECK_FALSE(capture.reached_stack_end);
  const auto frames = fixture.builder.FromCapture(capture, true);
  CHECK_FALSE(fixture.builder.reached_start());
  REQUIRE(CountReasons(frames) == 1);
  CHECK(frames[0].kind == StackFrameKind::kReason);
  CHECK(frames[0].value == static_cast<uint64_t>(StackProblem::kCopyLimit));
  size_t labels = 0;
  for (const StackFrame& frame : frames) labels += frame.kind == StackFrameKind::kInlineLabel;
  CHECK(labels == 4);
}

// By a list of libraries that is older than libc, or was read while that was loaded, when all of it is mapped without
// its code: from main on outwards nothing has unwind data.
TEST_CASE("where the start is found through code of no known library, the stack says that frames may be missing") {
  if (kIsSanitized) return;  // the stack lies elsewhere
  const bool is_half_loaded = GENERATE(false, true);
  Fixture fixture;
  Deepest deepest(&fixture);
  const CaptureBuffer& capture = deepest.Capture();
  CHECK(CountReasons(fixture.builder.FromCapture(capture, true)) == 0);
  std::string maps, line, without_libc;
  REQUIRE(ReadWholeFile("/proc/self/maps", maps) == 0);
  for (std::istringstream lines(maps); std::getline(lines, line);) {
    const bool is_of_libc = line.find("/libc.so.6") != std::string::npos;
    const size_t executable = line.find(" r-xp ");
    if (is_of_libc && is_half_loaded && executable != std::string::npos) line.replace(executable, 6, " r--p ");
    if (!is_of_libc || is_half_loaded) without_libc += line + "\n";
  }
  fixture.recorder.table().Refresh(without_libc, 2);
  fixture.builder.DropStaleRules();
  const auto frames = fixture.builder.FromCapture(capture, true);
  CHECK(fixture.recorder.is_wanted());
  CHECK(frames[0].kind == StackFrameKind::kReason);
  INFO(frames[0].value);
  REQUIRE(fixture.builder.reached_start());
  CHECK(frames[0].value == static_cast<uint64_t>(StackProblem::kUnknownCode));
  // A scan found the program's entry. The mark stands between it and the code of libc.
  REQUIRE(CountReasons(frames) == 2);
  CHECK(frames[1].kind == StackFrameKind::kNative);
  CHECK(frames[2].kind == StackFrameKind::kReason);
  CHECK(frames[2].value == static_cast<uint64_t>(StackProblem::kFoundByScan));
  CHECK(frames[3].kind == StackFrameKind::kNative);
}

TEST_CASE("on a stack that nobody knows one page is enough for the frames on it") {
  Fixture fixture;
  Deepest deepest(&fixture);
  deepest.stack = {0, 0};
  const CaptureBuffer& capture = deepest.Capture();
  CHECK(capture.unknown_stack);
  const auto frames = fixture.builder.FromCapture(capture, true);
  REQUIRE(frames.size() > 4);
  CHECK(frames.back().kind == StackFrameKind::kNative);
  if (!fixture.builder.reached_start()) CHECK(frames[0].kind == StackFrameKind::kReason);
}

TEST_CASE("on a stack that is not the thread's, labels of its own one come before the frames") {
  Fixture fixture;
  Deepest deepest(&fixture);
  deepest.stack = {1 << 20, 2 << 20};
  fixture.labels.Push("main", nullptr, 0, reinterpret_cast<void*>((2 << 20) - 64));
  const auto frames = fixture.builder.FromCapture(deepest.Capture(), true);
  const auto label = std::ranges::find(frames, StackFrameKind::kInlineLabel, &StackFrame::kind);
  const auto native = std::ranges::find(frames, StackFrameKind::kNative, &StackFrame::kind);
  REQUIRE((label != frames.end() && native != frames.end()));
  CHECK(label->text == "main");
  CHECK(label < native);
}

TEST_CASE("a stack that is only a reason") {
  Fixture fixture;
  const auto frames = fixture.builder.MakeReasonStack(StackProblem::kSignalBlocked);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].kind == StackFrameKind::kReason);
  CHECK(frames[0].value == static_cast<uint64_t>(StackProblem::kSignalBlocked));
}

// A thread that waits in read at the chain's end.
struct Blocked {
  explicit Blocked(Fixture* fixture_in) : fixture(fixture_in) { REQUIRE(pipe(ends) == 0); }
  ~Blocked() {
    close(ends[0]);
    close(ends[1]);
  }
  __attribute__((noinline)) static void Run(void* argument) {
    auto& self = *static_cast<Blocked*>(argument);
    self.fixture->places.in_inner = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
    self.tid.store(static_cast<int32_t>(syscall(SYS_gettid)));
    char c;
    while (read(self.ends[0], &c, 1) != 1) {
    }
  }

  Fixture* fixture;
  int ends[2] = {};
  std::atomic<int32_t> tid{0};
};

TEST_CASE("a blocked thread's stack is merged in the same way") {
  if (kIsSanitized) return;  // its read(2) waits somewhere else
  Fixture fixture;
  Blocked blocked(&fixture);
  std::thread thread([&] { stack_chain_outer(&fixture.labels, &fixture.places, &Blocked::Run, &blocked); });
  while (blocked.tid.load() == 0) std::this_thread::yield();
  fixture.recorder.Refresh(2);
  BlockedThreadReader reader;
  const Fd file = BlockedThreadReader::Open(ThreadId::FromNumber(blocked.tid.load()));
  BlockedThreadReader::Place place;
  CHECK(AwaitBlocked(blocked.tid.load()));
  CHECK(reader.ReadPlace(file, place) == BlockedThreadReader::State::kBlocked);
  const bool copied = reader.CopyStack(place, fixture.recorder.table().StackRegionEnd(place.sp));
  const auto frames = fixture.builder.FromBlocked(
      place, reader.copy(), reader.CopyLabels(fixture.labels, StackRange{0, 0}.Below(place.sp)), {0, 0}, true);
  const std::vector<std::string> names = Names(frames, fixture.places);
  CHECK(write(blocked.ends[1], "x", 1) == 1);
  thread.join();
  CHECK(copied);
  CHECK(names == kMerged);
  CHECK(fixture.builder.reached_start());
}

TEST_CASE("labels whose text has gone are empty instead of a crash") {
  Fixture fixture;
  BlockedThreadReader reader;
  BlockedThreadReader::Place place;
  volatile uint64_t here = 0;
  place.sp = reinterpret_cast<uintptr_t>(&here);
  place.pc = reinterpret_cast<uintptr_t>(&CountReasons);
  REQUIRE(reader.CopyStack(place, place.sp + 8));
  fixture.labels.Push(reinterpret_cast<const char*>(0x10), nullptr, 0, const_cast<uint64_t*>(&here));
  fixture.labels.Push("good", reinterpret_cast<const char*>(0x20), 0, const_cast<uint64_t*>(&here));
  const auto frames = fixture.builder.FromBlocked(
      place, reader.copy(), reader.CopyLabels(fixture.labels, StackRange{0, 0}.Below(place.sp)), {0, 0}, false);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].text.empty());
  CHECK(frames[1].text.substr(0, 4) == "good");
}

TEST_CASE("long labels are cut, and as many kept as fit") {
  Fixture fixture;
  BlockedThreadReader reader;
  BlockedThreadReader::Place place;
  volatile uint64_t here = 0;
  place.sp = reinterpret_cast<uintptr_t>(&here);
  REQUIRE(reader.CopyStack(place, place.sp + 8));
  const std::string text(5'000, 'x');
  for (int i = 0; i < 100; ++i) fixture.labels.Push(text.c_str(), text.c_str(), 0, const_cast<uint64_t*>(&here));
  const auto frames = fixture.builder.FromBlocked(
      place, reader.copy(), reader.CopyLabels(fixture.labels, StackRange{0, 0}.Below(place.sp)), {0, 0}, false);
  REQUIRE(frames.size() == CaptureBuffer::kLabelTextBytes / CaptureBuffer::kMaxLabelBytes);
  for (const StackFrame& frame : frames) CHECK(frame.text.size() == CaptureBuffer::kMaxLabelBytes);
}

// A thread that runs in the chain's library, called by Run below, which lies in the program.
struct Spinning {
  Spinning() : thread([this] { Run(this); }) {
    while (tid.load() == 0) std::this_thread::yield();
  }
  ~Spinning() {
    end = true;
    thread.join();
  }
  __attribute__((noinline)) static void Run(Spinning* self) {
    self->tid.store(static_cast<int32_t>(syscall(SYS_gettid)));
    stack_chain_spin(&self->end);
    asm volatile("" ::: "memory");  // no tail call
  }

  volatile bool end = false;
  std::atomic<int32_t> tid{0};
  std::thread thread;
};

struct SpinningCapture {
  explicit SpinningCapture(Fixture* fixture) : deepest(fixture) {
    capture = g_pool.Acquire(0);
    capture->labels = &fixture->labels;
    capture->stack = {0, 0};
    const Module* own = nullptr;
    // Until the thread has arrived there.
    do {
      REQUIRE(g_pool.Send(capture, ProcessId::FromNumber(getpid()), ThreadId::FromNumber(spinning.tid.load()),
                          SIGURG) == 0);
      while (!CapturePool::IsAnswered(capture)) std::this_thread::yield();
      own = fixture->recorder.table().Find(ToUnwindRegisters(capture->registers).pc());
      pc = ToUnwindRegisters(capture->registers).pc();
    } while (own == nullptr || own->path().find("stack_chain") == std::string::npos);
  }
  ~SpinningCapture() { g_pool.Release(capture); }

  Deepest deepest;  // for the handler
  Spinning spinning;
  CaptureBuffer* capture = nullptr;
  uint64_t pc = 0;
};

// Names of the modules that native frames lie in; each looked up as readers do.
std::vector<std::string> Modules(const Fixture& fixture, std::span<const StackFrame> frames) {
  std::vector<std::string> names;
  for (const StackFrame& frame : frames) {
    if (frame.kind != StackFrameKind::kNative) continue;
    const Module* const module =
        const_cast<Fixture&>(fixture).recorder.table().Find(frame.value - (&frame == &frames.back() ? 0 : 1));
    names.push_back(module != nullptr ? module->path().substr(module->path().rfind('/') + 1) : "?");
  }
  return names;
}

TEST_CASE("our own innermost frame is left out, and its caller's call stands where the sample was taken") {
  Fixture fixture;
  const SpinningCapture spinning(&fixture);
  const auto all = fixture.builder.FromCapture(*spinning.capture, true);
  REQUIRE(all.size() >= 2);
  CHECK(all.back().value == spinning.pc);
  const uint64_t return_address = all[all.size() - 2].value;
  const size_t count = all.size();

  StackBuilder builder(&fixture.recorder, reinterpret_cast<const void*>(&stack_chain_spin));
  const auto others = builder.FromCapture(*spinning.capture, true);
  REQUIRE(others.size() == count - 1);
  CHECK(others.back().value == return_address - 1);
  for (const std::string& name : Modules(fixture, others)) CHECK(name.find("stack_chain") == std::string::npos);
  // With a label behind it, it is no longer the last frame: readers subtract 1 themselves.
  CaptureBuffer& capture = *spinning.capture;
  capture.label_count = 1;
  capture.label[0] = {};
  capture.label[0].stack_address = capture.registers.sp;
  const auto labelled = builder.FromCapture(capture, true);
  REQUIRE(labelled.size() == count);
  CHECK(labelled.back().kind == StackFrameKind::kInlineLabel);
  CHECK(labelled[count - 2].value == return_address);
  const auto labelled_all = fixture.builder.FromCapture(capture, true);
  CHECK(labelled_all[count - 1].value == spinning.pc + 1);
}

TEST_CASE("where nothing but our own frames is known, the innermost stays") {
  Fixture fixture;
  const SpinningCapture spinning(&fixture);
  CaptureBuffer& capture = *spinning.capture;
  capture.copied_bytes = 0;  // no stack: there is no way to the caller
  StackBuilder builder(&fixture.recorder, reinterpret_cast<const void*>(&stack_chain_spin));
  const auto frames = builder.FromCapture(capture, true);
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].kind == StackFrameKind::kReason);
  CHECK(frames[1].value == spinning.pc);
  // A marker of a hook is to leave out more frames than are known.
  capture.skipped_frames = 4;
  const auto of_marker = fixture.builder.FromMarker(capture, true);
  REQUIRE(of_marker.size() == 1);
  CHECK(of_marker[0].kind == StackFrameKind::kReason);
}

}  // namespace
}  // namespace geckoprof
