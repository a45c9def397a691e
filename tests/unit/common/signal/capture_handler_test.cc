#include "geckoprof/signal/capture_handler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/signal/capture_buffer.h"

namespace geckoprof {
namespace {

CaptureTable g_table;
bool g_was_ours;
int g_errno_inside;

void OnSignal(int, siginfo_t* info, void* context) {
  errno = g_errno_inside;
  g_was_ours = CaptureSignalSafe(g_table, *info, context);
  g_errno_inside = errno;
}

void SetStackPointer(ucontext_t& context, uintptr_t sp) {
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(sp);
#else
  context.uc_mcontext.sp = sp;
#endif
}

// One buffer, registered in the table, and the handler installed for SIGURG.
struct Fixture {
  Fixture() : copy(64 * 1024) {
    memset(static_cast<void*>(buffer.get()), 0, sizeof(CaptureBuffer));
    buffer->stack_copy = copy.data();
    buffer->capacity_bytes = static_cast<uint32_t>(copy.size());
    g_table.buffers[3].store(buffer.get());
    g_table.pid.store(getpid());
    struct sigaction action = {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
    sigaction(SIGURG, &action, nullptr);
    g_was_ours = false;
    g_errno_inside = 0;
  }
  ~Fixture() {
    signal(SIGURG, SIG_DFL);
    g_table.buffers[3].store(nullptr);
  }
  void Request(uint64_t token) { buffer->word.store(MakeCaptureWord(token, CaptureState::kRequested)); }
  void Send(uint64_t token, int32_t from_pid = getpid()) {
    siginfo_t info = {};
    info.si_signo = SIGURG;
    info.si_code = SI_QUEUE;
    info.si_pid = from_pid;
    info.si_value.sival_ptr = CaptureValue(token, 3).pointer();
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGURG, &info);
  }
  bool answered(uint64_t token) const { return buffer->word.load() == MakeCaptureWord(token, CaptureState::kAnswered); }

  std::vector<uint8_t> copy;
  std::unique_ptr<CaptureBuffer> buffer = std::make_unique<CaptureBuffer>();
};

StackRange RangeAround(const void* address, uintptr_t above) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return {at - 32 * 1024, at + above};
}

TEST_CASE("a range of a stack holds its low end and not its high one") {
  constexpr StackRange range{0x1000, 0x2000};
  CHECK((range.Contains(0x1000) && range.Contains(0x1fff)));
  CHECK_FALSE((range.Contains(0xfff) || range.Contains(0x2000)));
  CHECK_FALSE(StackRange{0, 0}.Contains(0));
}

TEST_CASE("of a stack the part below the stack pointer is unused, if it is a pointer to that stack") {
  constexpr StackRange range{0x1000, 0x2000};
  const StackRange below = range.Below(0x1800);
  CHECK((below.low == 0x1000 && below.high == 0x1800));
  for (const uint64_t elsewhere : {0xfff, 0x2000}) CHECK_FALSE(range.Below(elsewhere).Contains(0x1000));
  CHECK_FALSE(StackRange{0, 0}.Below(0x1800).Contains(0));
}

TEST_CASE("a signal that lost its value answers the open request for its thread, if there is one") {
  Fixture fixture;
  fixture.buffer->tid = static_cast<int32_t>(syscall(SYS_gettid));
  const auto send_bare = [] {
    siginfo_t info = {};
    info.si_signo = SIGURG;
    info.si_code = SI_USER;
    ucontext_t context = {};
    context.uc_mcontext = {};
    volatile uint64_t here = 0;
    SetStackPointer(context, reinterpret_cast<uintptr_t>(&here));
    return CaptureSignalSafe(g_table, info, &context);
  };
  CHECK_FALSE(send_bare());
  fixture.Request(9);
  CHECK(send_bare());
  CHECK(fixture.answered(9));
  CHECK_FALSE(send_bare());
  fixture.buffer->tid = getppid();
  fixture.Request(10);
  CHECK_FALSE(send_bare());
  CHECK_FALSE(fixture.answered(10));
}

TEST_CASE("a request is answered with registers, stack and time") {
  Fixture fixture;
  volatile uint64_t marker = 0x1234567890abcdef;
  fixture.buffer->stack = RangeAround(const_cast<uint64_t*>(&marker), 64);
  fixture.Request(42);
  fixture.Send(42);
  CHECK(g_was_ours);
  REQUIRE(fixture.answered(42));
  const CaptureBuffer& buffer = *fixture.buffer;
  CHECK(buffer.registers.sp >= buffer.copied_from);
  CHECK(buffer.registers.pc != 0);
  CHECK(buffer.reached_stack_end);
  CHECK_FALSE(buffer.unknown_stack);
  CHECK(buffer.end_cycles >= buffer.begin_cycles);
  const auto at = reinterpret_cast<uintptr_t>(&marker);
  REQUIRE(at + 8 <= buffer.copied_from + buffer.copied_bytes);
  uint64_t found = 0;
  memcpy(&found, fixture.copy.data() + (at - buffer.copied_from), sizeof(found));
  CHECK(found == marker);
}

TEST_CASE("a stale signal changes nothing") {
  Fixture fixture;
  fixture.Request(42);
  fixture.buffer->copied_bytes = 77;
  fixture.Send(41);
  CHECK(g_was_ours);
  CHECK(fixture.buffer->copied_bytes == 77);
  CHECK(fixture.buffer->word.load() == MakeCaptureWord(42, CaptureState::kRequested));
}

TEST_CASE("a signal of the program's is not ours") {
  Fixture fixture;
  fixture.Request(42);
  raise(SIGURG);
  CHECK_FALSE(g_was_ours);
  fixture.Send(42, getpid() + 1);
  CHECK_FALSE(g_was_ours);
  CHECK_FALSE(fixture.answered(42));
}

TEST_CASE("errno is left as it was") {
  Fixture fixture;
  g_errno_inside = 4711;
  fixture.Request(1);
  fixture.Send(1);
  CHECK(g_errno_inside == 4711);
}

TEST_CASE("on an unknown stack only the page of the stack pointer is copied") {
  Fixture fixture;
  fixture.buffer->stack = {1, 2};
  fixture.Request(5);
  fixture.Send(5);
  REQUIRE(fixture.answered(5));
  CHECK(fixture.buffer->unknown_stack);
  CHECK_FALSE(fixture.buffer->reached_stack_end);
  const uint64_t end = fixture.buffer->copied_from + fixture.buffer->copied_bytes;
  CHECK(end % 4096 == 0);
  CHECK(end - fixture.buffer->registers.sp <= 4096);
}

TEST_CASE("what a leaf function keeps below the stack pointer is copied, too") {
  Fixture fixture;
  int here = 0;
  fixture.buffer->stack = RangeAround(&here, 4096);
  fixture.Request(5);
  fixture.Send(5);
  REQUIRE(fixture.answered(5));
  CHECK(fixture.buffer->copied_from + 128 == fixture.buffer->registers.sp);
}

TEST_CASE("a stack deeper than the buffer is cut, and says so") {
  Fixture fixture;
  int here = 0;
  fixture.buffer->stack = RangeAround(&here, 4096);
  fixture.buffer->capacity_bytes = 256;
  fixture.Request(5);
  fixture.Send(5);
  REQUIRE(fixture.answered(5));
  CHECK(fixture.buffer->copied_bytes == 256);
  CHECK_FALSE(fixture.buffer->reached_stack_end);
}

TEST_CASE("open labels are copied with their texts; long ones are cut, too many are counted") {
  Fixture fixture;
  const auto labels = std::make_unique<ProfilingStack>();
  const std::string longest(1000, 'z');
  labels->Push("Load", "a.json", 0x100, &fixture);
  labels->Push("", longest.c_str(), 0x200, &fixture);
  constexpr uint32_t kOpen = 70'000;
  for (uint32_t i = 2; i < kOpen; ++i) labels->Push("more", nullptr, 0x100, &fixture);
  fixture.buffer->labels = labels.get();
  fixture.Request(6);
  fixture.Send(6);
  REQUIRE(fixture.answered(6));
  const CaptureBuffer& buffer = *fixture.buffer;
  const auto text = [&](int i) {
    return std::string_view(buffer.label_text + buffer.label[i].text_offset, buffer.label[i].text_bytes);
  };
  CHECK(text(0) == "Load a.json");
  CHECK(text(1).size() == CaptureBuffer::kMaxLabelBytes);
  CHECK(text(2) == "more");
  CHECK(buffer.label_count == CaptureBuffer::kMaxLabels);
  CHECK(buffer.labels_missing == kOpen - CaptureBuffer::kMaxLabels);
  CHECK(buffer.label[0].category_pair == 0x100);
}

TEST_CASE("a label below the stack pointer of the same stack is stale, and a label of another stack is not") {
  Fixture fixture;
  int here = 0;
  fixture.buffer->stack = RangeAround(&here, 4096);
  const auto labels = std::make_unique<ProfilingStack>();
  labels->Push("open", nullptr, 0x100, &here);
  labels->Push("stale", nullptr, 0x100, reinterpret_cast<const void*>(fixture.buffer->stack.low + 16 * 1024));
  labels->Push("of another stack", nullptr, 0x100, labels.get());
  fixture.buffer->labels = labels.get();
  fixture.Request(6);
  fixture.Send(6);
  REQUIRE(fixture.answered(6));
  CHECK(fixture.buffer->label_count == 2);
  CHECK(fixture.buffer->labels_missing == 0);
  CHECK(fixture.buffer->label[0].stack_address == reinterpret_cast<uintptr_t>(&here));
  CHECK(fixture.buffer->label[1].stack_address == reinterpret_cast<uintptr_t>(labels.get()));
}

TEST_CASE("labels past the room for their texts are counted, and a null text is an empty one") {
  Fixture fixture;
  const auto labels = std::make_unique<ProfilingStack>();
  const std::string long_one(502, 'z');
  labels->Push(nullptr, "dynamic", 0x100, &fixture);
  labels->Push(nullptr, nullptr, 0x100, &fixture);
  for (int i = 0; i < 6; ++i) labels->Push(long_one.c_str(), "", 0x100, &fixture);
  fixture.buffer->labels = labels.get();
  fixture.Request(6);
  fixture.Send(6);
  REQUIRE(fixture.answered(6));
  const CaptureBuffer& buffer = *fixture.buffer;
  REQUIRE(buffer.label_count == 2 + 5);
  CHECK(buffer.labels_missing == 1);
  CHECK(std::string_view(buffer.label_text, buffer.label[0].text_bytes) == "dynamic");
  CHECK(buffer.label[1].text_bytes == 0);
  CHECK(buffer.label[5].text_bytes == 502);
  CHECK(buffer.label[6].text_bytes == CaptureBuffer::kLabelTextBytes - 7 - 4 * 502);
}

// The deepest that our handler may reach on a stack that belongs to somebody else.
TEST_CASE("the handler needs little stack") {
  constexpr size_t kStackBytes = 256 * 1024;
  std::vector<uint8_t> stack(kStackBytes, 0x5a);
  const stack_t alternate = {stack.data(), 0, kStackBytes};
  stack_t before = {};
  sigaltstack(&alternate, &before);
  {
    Fixture fixture;
    struct sigaction action = {};
    action.sa_sigaction = &OnSignal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGURG, &action, nullptr);
    fixture.Request(7);
    fixture.Send(7);
    CHECK(fixture.answered(7));
  }
  sigaltstack(&before, nullptr);
  size_t untouched = 0;
  while (untouched < kStackBytes && stack[untouched] == 0x5a) ++untouched;
  const size_t used = kStackBytes - untouched;
  const auto frame = static_cast<size_t>(sysconf(_SC_MINSIGSTKSZ));  // what the kernel itself puts there
  INFO("used " << used << " bytes, of which the kernel's frame takes up to " << frame);
  CHECK(used < frame + 4096);
}

}  // namespace
}  // namespace geckoprof
