#include "sampler/blocked_thread_reader.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "tests/support/await.h"

namespace geckoprof {
namespace {

using State = BlockedThreadReader::State;
constexpr uint64_t kPattern = 0x7a5a1c0ffee0d00d;

// Looks until the thread is in `wanted`; scheduling decides how soon that is.
State LookFor(const Fd& file, BlockedThreadReader::Place& place, State wanted, std::string_view begins = "") {
  State state = State::kNoAccess;
  Soon([&] {
    state = BlockedThreadReader::ReadPlace(file, place);
    return state == wanted && std::string_view(place.text).starts_with(begins);
  });
  return state;
}

// A thread that runs `body`; its tid is known before the constructor returns.
class Helper {
 public:
  template <typename Body>
  explicit Helper(Body body)
      : thread_([this, body] {
          tid_.store(static_cast<int32_t>(syscall(SYS_gettid)));
          body();
        }) {
    while (tid_.load() == 0) std::this_thread::yield();
  }
  void Join() { thread_.join(); }
  ThreadId tid() const { return ThreadId::FromNumber(tid_.load()); }

 private:
  std::atomic<int32_t> tid_{0};
  std::thread thread_;
};

class Pipe {
 public:
  Pipe() { REQUIRE(pipe(ends_) == 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void Wait() {
    char c;
    while (read(ends_[0], &c, 1) != 1) {
    }
  }
  void Wake() { CHECK(write(ends_[1], "x", 1) == 1); }

 private:
  int ends_[2];
};

TEST_CASE("a thread in read is found there, and its stack holds what it left on it") {
  Pipe pipe;
  std::atomic<uintptr_t> pattern_at{0};
  Helper helper([&] {
    volatile uint64_t pattern = kPattern;
    pattern_at.store(reinterpret_cast<uintptr_t>(&pattern));
    pipe.Wait();
    if (pattern != kPattern) abort();
  });
  BlockedThreadReader reader;
  REQUIRE(reader.ok());
  const Fd file = BlockedThreadReader::Open(helper.tid());
  REQUIRE(file.ok());
  BlockedThreadReader::Place place;
  REQUIRE(LookFor(file, place, State::kBlocked, std::to_string(SYS_read) + " ") == State::kBlocked);
  const uint64_t at = pattern_at.load();
  REQUIRE(at > place.sp);
  REQUIRE(reader.CopyStack(place, at + 64));
  CHECK(reader.copy().reached_stack_end);
  CHECK(reader.copy().size_bytes == at + 64 - place.sp);
  uint64_t copied = 0;
  memcpy(&copied, reader.copy().bytes + (at - place.sp), sizeof(copied));
  CHECK(copied == kPattern);
  CHECK(reader.IsStillAt(file, place));
  pipe.Wake();
  helper.Join();
  CHECK_FALSE(reader.IsStillAt(file, place));
}

TEST_CASE("a thread that sleeps is blocked, one that has gone to another call is not where it was") {
  Pipe pipe;
  Pipe second;
  Helper helper([&] {
    const timespec hour = {3600, 0};
    ppoll(nullptr, 0, &hour, nullptr);
    second.Wait();
  });
  BlockedThreadReader reader;
  const Fd file = BlockedThreadReader::Open(helper.tid());
  BlockedThreadReader::Place place;
  REQUIRE(LookFor(file, place, State::kBlocked, std::to_string(SYS_ppoll) + " ") == State::kBlocked);
  CHECK(reader.IsStillAt(file, place));
  const Registers known = place.KnownRegisters();
  CHECK(known.pc() == place.pc);
  CHECK(known.sp() == place.sp);
  REQUIRE(known.Has(kDwarfSyscallArguments[3]));
  CHECK(known.values[kDwarfSyscallArguments[0]] == 0);
  CHECK(known.values[kDwarfSyscallArguments[2]] != 0);  // libc's copy of `hour`
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  syscall(SYS_tgkill, getpid(), helper.tid().ToNumber(), SIGUSR1);  // ends the sleep
  BlockedThreadReader::Place later;
  REQUIRE(LookFor(file, later, State::kBlocked, std::to_string(SYS_read) + " ") == State::kBlocked);
  CHECK_FALSE(reader.IsStillAt(file, place));
  second.Wake();
  helper.Join();
  signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("a thread that works runs") {
  std::atomic<bool> stop{false};
  Helper helper([&] {
    while (!stop.load(std::memory_order_relaxed)) {
    }
  });
  BlockedThreadReader reader;
  const Fd file = BlockedThreadReader::Open(helper.tid());
  BlockedThreadReader::Place place;
  CHECK(LookFor(file, place, State::kRunning) == State::kRunning);
  CHECK_FALSE(reader.IsStillAt(file, place));
  stop.store(true);
  helper.Join();
}

TEST_CASE("a thread that ended is gone, by a file opened before and for good") {
  Pipe pipe;
  Helper helper([&] { pipe.Wait(); });
  BlockedThreadReader reader;
  const Fd file = BlockedThreadReader::Open(helper.tid());
  REQUIRE(file.ok());
  pipe.Wake();
  helper.Join();
  BlockedThreadReader::Place place;
  CHECK(LookFor(file, place, State::kGone) == State::kGone);
  CHECK_FALSE(BlockedThreadReader::Open(helper.tid()).ok());
}

TEST_CASE("a stack that is not there is not read, one larger than the copy is cut") {
  BlockedThreadReader reader;
  BlockedThreadReader::Place place;
  place.sp = 0x10000;  // below mmap_min_addr: never mapped
  CHECK_FALSE(reader.CopyStack(place, 0x11000));
  CHECK_FALSE(reader.CopyStack(place, 0x10000));
  CHECK_FALSE(reader.CopyStack(place, 0x100));
  constexpr size_t kLarge = 3 * 1024 * 1024;
  auto* const memory =
      static_cast<uint8_t*>(mmap(nullptr, kLarge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memory[100] = 42;
  place.sp = reinterpret_cast<uintptr_t>(memory);
  CHECK(reader.CopyStack(place, place.sp + kLarge));
  CHECK_FALSE(reader.copy().reached_stack_end);
  CHECK(reader.copy().bytes[100] == 42);
  munmap(memory, kLarge);
}

TEST_CASE("a stack without a known end is read as far as there is memory, within bounds") {
  BlockedThreadReader reader;
  BlockedThreadReader::Place place;
  place.sp = 0x10000;
  CHECK_FALSE(reader.CopyReadable(place));
  auto* const memory =
      static_cast<uint8_t*>(mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(memory + 8192, 4096);
  memory[8191] = 42;
  place.sp = reinterpret_cast<uintptr_t>(memory) + 100;
  REQUIRE(reader.CopyReadable(place));
  CHECK(reader.copy().size_bytes == 8092);
  CHECK(reader.copy().bytes[8091] == 42);
  CHECK_FALSE(reader.copy().reached_stack_end);
  place.sp = reinterpret_cast<uintptr_t>(memory) + 12288;
  REQUIRE(reader.CopyReadable(place));
  CHECK(reader.copy().size_bytes == 256 * 1024);
  munmap(memory, 1 << 20);
}

// What Look makes of a file with this text.
State LookAtText(std::string_view text, BlockedThreadReader::Place& place) {
  const Fd file(memfd_create("syscall", MFD_CLOEXEC));
  REQUIRE(file.ok());
  REQUIRE(write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  const BlockedThreadReader reader;
  return reader.ReadPlace(file, place);
}

TEST_CASE("the kernel's line is read as proc(5) has it, and anything else is no access") {
  BlockedThreadReader::Place place;
  CHECK(LookAtText("running\n", place) == State::kRunning);
  CHECK(LookAtText("0 0x3 0x7ffd 0x1 0x0 0x0 0x0 0x7ffd1230 0x7f0011\n", place) == State::kBlocked);
  CHECK(place.sp == 0x7ffd1230);
  CHECK(place.pc == 0x7f0011);
  CHECK(LookAtText("-1 0x7ffd1238 0x7f0012\n", place) == State::kBlocked);  // blocked, but in no call (a page fault)
  CHECK(place.sp == 0x7ffd1238);
  CHECK(LookAtText("0 0x0 0x0\n", place) == State::kGone);
  for (const char* text : {"", "\n", "runnin", "0", "0 0x", "0 0x1 0x", "0 0x1 0xg", "0 1 2",
                           "0 0x1 0x11112222333344445", "0x1", " ", "0 0x1 0X2", "-1 0x1 -0x2"}) {
    INFO(text);
    CHECK(LookAtText(text, place) == State::kNoAccess);
  }
}

}  // namespace
}  // namespace geckoprof
