// The handler's answers to ticks of the kernel.
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "geckoprof/signal/capture_buffer.h"
#include "geckoprof/signal/capture_handler.h"
#include "geckoprof/signal/kernel_ticks.h"

namespace geckoprof {
namespace {

constexpr uint16_t kPlace = 3;
constexpr uint32_t kSerial = 7;
constexpr int kDescriptor = 20;
constexpr int32_t kTid = 1234;

// A table of ticks with one armed thread, and signals for it that the test makes up.
struct Fixture {
  explicit Fixture(uint32_t buffer_count = 4) {
    captures->pid = getpid();
    captures->ticks = table.get();
    table->sampler = &sleep;
    table->thread_of_descriptor[kDescriptor] = kPlace + 1;
    thread.tid = kTid;
    thread.serial = kSerial;
    const auto here = reinterpret_cast<uintptr_t>(stack.data());
    thread.stack_low = here;
    thread.stack_high = here + stack.size();
    for (uint32_t i = 0; i < buffer_count; ++i) AddBuffer(i * 32);  // some in each word
  }
  void AddBuffer(uint32_t index) {
    copies.emplace_back(4096);
    buffers.push_back(std::make_unique<CaptureBuffer>());
    memset(static_cast<void*>(buffers.back().get()), 0, sizeof(CaptureBuffer));
    buffers.back()->stack_copy = copies.back().data();
    buffers.back()->capacity_bytes = 4096;
    buffers.back()->tick_index = index;
    table->buffers[index] = buffers.back().get();
    table->free[index / 64] |= uint64_t{1} << index % 64;
  }
  // Returns whether the signal is ours. The interrupted thread is in a system call, or it computes.
  bool Interrupt(const siginfo_t& info, bool is_in_call = false) {
    ucontext_t context = {};
    context.uc_mcontext = {};
    const auto sp = reinterpret_cast<uintptr_t>(stack.data() + 256);
#if defined(__x86_64__)
    context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(sp);
    context.uc_mcontext.gregs[REG_RIP] = 0x5000;
    context.uc_mcontext.gregs[REG_RCX] = is_in_call ? 0x5000 : 0x6000;
#else
    constexpr uint32_t kNop = 0xd503201f, kSupervisorCall = 0xd4000001;
    static const uint32_t code[] = {kNop, kSupervisorCall, kNop, kNop, kNop};
    context.uc_mcontext.sp = sp;
    context.uc_mcontext.pc = reinterpret_cast<uintptr_t>(&code[is_in_call ? 2 : 4]);
#endif
    if (comes_late) thread.skipped_until_cycles = 0;
    return CaptureSignalSafe(*captures, info, &context);
  }
  static siginfo_t Timer(uint32_t serial = kSerial) {
    siginfo_t info = {};
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = TickValue(serial, kPlace).pointer();
    return info;
  }
  static siginfo_t Event() {
    siginfo_t info = {};
    info.si_code = POLL_IN;
    info.si_fd = kDescriptor;
    return info;
  }
  std::vector<const CaptureBuffer*> Answered() const {
    std::vector<const CaptureBuffer*> answered;
    for (const auto& buffer : buffers) {
      if (CaptureStateIn(buffer->word) == CaptureState::kAnswered) answered.push_back(buffer.get());
    }
    return answered;
  }
  int FreeCount() const {
    int count = 0;
    for (const auto& word : table->free) count += __builtin_popcountll(word);
    return count;
  }

  std::unique_ptr<CaptureTable> captures = std::make_unique<CaptureTable>();
  std::unique_ptr<TickTable> table = std::make_unique<TickTable>();
  TickedThread& thread = table->threads[kPlace];
  bool comes_late = true;  // after the time in which a tick is skipped
  SamplerSleep sleep{};
  std::vector<uint8_t> stack = std::vector<uint8_t>(1024, 0x5a);
  std::vector<std::vector<uint8_t>> copies;
  std::vector<std::unique_ptr<CaptureBuffer>> buffers;
};

TEST_CASE("a tick takes a free buffer and answers with its thread's data") {
  const bool is_timer = GENERATE(false, true);
  Fixture fixture;
  const auto labels = std::make_unique<ProfilingStack>();
  labels->Push("label", nullptr, 0, fixture.stack.data() + 512);
  fixture.thread.labels = labels.get();
  REQUIRE(fixture.Interrupt(is_timer ? Fixture::Timer() : Fixture::Event()));
  const auto answered = fixture.Answered();
  REQUIRE(answered.size() == 1);
  CHECK(fixture.FreeCount() == 3);
  const CaptureBuffer& buffer = *answered[0];
  CHECK((fixture.table->free[buffer.tick_index / 64] >> buffer.tick_index % 64 & 1) == 0);
  CHECK(buffer.tid == kTid);
  CHECK(buffer.clock == (is_timer ? SampleClock::kCpuTimer : SampleClock::kPerfEvent));
  CHECK(buffer.registers.sp == reinterpret_cast<uintptr_t>(fixture.stack.data() + 256));
  CHECK(buffer.reached_stack_end);
  CHECK_FALSE(buffer.unknown_stack);
  CHECK(buffer.stack_copy[buffer.copied_bytes - 1] == 0x5a);
  CHECK(buffer.label_count == 1);
  CHECK(buffer.end_cycles >= buffer.begin_cycles);
  CHECK(fixture.table->unserved == 0);
}

TEST_CASE("ticks without a free buffer are counted, until a buffer is given back") {
  Fixture fixture(2);
  for (int i = 0; i < 5; ++i) CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().size() == 2);
  CHECK(fixture.table->unserved == 3);
  fixture.buffers[1]->word = MakeCaptureWord(0, CaptureState::kFree);
  fixture.table->free[0] |= uint64_t{1} << 32;
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().size() == 2);
  CHECK(fixture.table->unserved == 3);
}

TEST_CASE("a tick that comes in a time after the copy for the tick before is skipped and counted") {
  Fixture fixture;
  CHECK(fixture.Interrupt(Fixture::Event()));
  const CaptureBuffer& first = *fixture.Answered().at(0);
  const uint64_t copy_cycles = first.end_cycles - first.begin_cycles;
  CHECK(fixture.thread.skipped_until_cycles == first.end_cycles + 3 * copy_cycles);
  fixture.comes_late = false;
  fixture.thread.skipped_until_cycles = UINT64_MAX;
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().size() == 1);
  CHECK(fixture.table->skipped == 1);
  CHECK(fixture.table->unserved == 0);
  fixture.thread.skipped_until_cycles = 1;
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().size() == 2);
}

TEST_CASE("a tick of a timer that is gone is ours, and takes no buffer") {
  Fixture fixture;
  CHECK(fixture.Interrupt(Fixture::Timer(kSerial - 2)));
  fixture.table->thread_of_descriptor[kDescriptor] = TickTable::kFormerly;
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().empty());
  CHECK(fixture.FreeCount() == 4);
  CHECK(fixture.table->unserved == 0);
}

TEST_CASE("in a forked child that has no sampler yet, ticks take no buffer") {
  Fixture fixture;
  fixture.captures->pid = 0;
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().empty());
}

TEST_CASE("beside events a timer's tick counts in system calls alone") {
  Fixture fixture;
  fixture.thread.has_both = true;
  CHECK(fixture.Interrupt(Fixture::Timer()));
  CHECK(fixture.Answered().empty());
  CHECK(fixture.Interrupt(Fixture::Timer(), true));
  CHECK(fixture.Answered().size() == 1);
  CHECK(fixture.Interrupt(Fixture::Event()));
  CHECK(fixture.Answered().size() == 2);
  fixture.thread.has_both = false;
  CHECK(fixture.Interrupt(Fixture::Timer()));
  CHECK(fixture.Answered().size() == 3);
}

TEST_CASE("a foreign signal of a timer or a descriptor is not ours") {
  Fixture fixture;
  siginfo_t info = Fixture::Timer();
  info.si_value.sival_ptr = &fixture;
  CHECK_FALSE(fixture.Interrupt(info));
  info = Fixture::Event();
  info.si_fd = kDescriptor + 1;
  CHECK_FALSE(fixture.Interrupt(info));
  fixture.captures->ticks = nullptr;  // no timer was ever armed
  CHECK_FALSE(fixture.Interrupt(Fixture::Event()));
  CHECK_FALSE(fixture.Interrupt(Fixture::Timer()));
  CHECK(fixture.Answered().empty());
}

TEST_CASE("a tick wakes the sampler from a sleep until a tick, and from any sleep if few buffers are left") {
  Fixture fixture;
  fixture.table->few = 1;
  const auto is_woken_from = [&](SamplerSleep::Depth depth) {
    const uint32_t word = fixture.sleep.word;
    fixture.sleep.depth = depth;
    CHECK(fixture.Interrupt(Fixture::Event()));
    CHECK((fixture.sleep.word != word) ==
          (depth != SamplerSleep::kAwake && fixture.sleep.depth == SamplerSleep::kAwake));
    return fixture.sleep.word != word;
  };
  CHECK_FALSE(is_woken_from(SamplerSleep::kAwake));       // 3 are left
  CHECK_FALSE(is_woken_from(SamplerSleep::kUntilBatch));  // 2
  CHECK(is_woken_from(SamplerSleep::kUntilBatch));        // 1
  CHECK_FALSE(is_woken_from(SamplerSleep::kAwake));       // none
  Fixture rested;
  rested.sleep.depth = SamplerSleep::kUntilTick;
  CHECK(rested.Interrupt(Fixture::Event()));
  CHECK(rested.sleep.depth == SamplerSleep::kAwake);
}

}  // namespace
}  // namespace geckoprof
