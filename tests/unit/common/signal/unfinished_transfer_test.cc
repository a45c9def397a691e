// Calls that move many bytes while signals of ours come all the time: on real pipes, sockets and devices.
#include "geckoprof/signal/unfinished_transfer.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "geckoprof/signal/capture_handler.h"
#include "tests/unit/common/signal/interrupter.h"

namespace geckoprof {
namespace {

constexpr size_t kBytes = 4 << 20;

std::atomic<int> g_program_signals{0};

std::vector<uint8_t> Pattern() {
  std::vector<uint8_t> bytes(kBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 2'654'435'761u >> 13);
  return bytes;
}

// Two ends, and a thread at the second one.
struct Ends {
  int near = -1;
  int far = -1;
  ~Ends() {
    close(near);
    close(far);
  }
};
void MakePipe(Ends& ends) {
  int fds[2];
  REQUIRE(pipe(fds) == 0);
  ends.near = fds[1];
  ends.far = fds[0];
}
void MakeSockets(Ends& ends) {
  int fds[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  ends.near = fds[0];
  ends.far = fds[1];
}
// A raw terminal: bytes arrive as they were sent.
void MakeTerminal(Ends& ends) {
  termios raw = {};
  cfmakeraw(&raw);
  REQUIRE(openpty(&ends.far, &ends.near, nullptr, &raw, nullptr) == 0);
}

// What comes out at the far end while `call` is made with interruptions.
void CheckSentOnce(const std::function<void(Ends&)>& make, const std::function<ssize_t(int)>& call) {
  Ends ends;
  make(ends);
  std::vector<uint8_t> received(kBytes + 1);
  size_t count = 0;
  std::thread reader([&] {
    while (count < kBytes) {
      const ssize_t part = read(ends.far, received.data() + count, received.size() - count);
      if (part <= 0) break;
      count += static_cast<size_t>(part);
    }
  });
  {
    const Interrupter interrupter;
    CHECK(call(ends.near) == static_cast<ssize_t>(kBytes));
  }
  shutdown(ends.near, SHUT_RDWR);
  reader.join();
  received.resize(count);
  CHECK(received == Pattern());
}

// A receiver that is fast enough leaves nothing to interrupt.
void CheckSent(const std::function<void(Ends&)>& make, const std::function<ssize_t(int)>& call) {
  constexpr int kMostTries = 200;
  for (int i = 0; i < kMostTries && (i == 0 || g_repaired == 0); ++i) CheckSentOnce(make, call);
  CHECK(g_repaired > 0);
}

TEST_CASE("without repair a long write returns early: the test's own check") {
  Ends ends;
  MakePipe(ends);
  const std::vector<uint8_t> bytes = Pattern();
  std::thread reader([&] {
    std::vector<uint8_t> buffer(kBytes);
    while (read(ends.far, buffer.data(), buffer.size()) > 0) {
    }
  });
  ssize_t written = 0;
  {
    const Interrupter interrupter(false);
    for (int tries = 0; tries < 100 && written == 0; ++tries) {
      const ssize_t result = write(ends.near, bytes.data(), kBytes);
      if (result != static_cast<ssize_t>(kBytes)) written = result;
    }
  }
  CHECK(written > 0);
  close(ends.near);
  ends.near = -1;
  reader.join();
}

TEST_CASE("a write that our signals cut short is finished") {
  const std::vector<uint8_t> bytes = Pattern();
  const auto write_all = [&](int fd) { return write(fd, bytes.data(), kBytes); };
  SECTION("to a pipe") { CheckSent(MakePipe, write_all); }
  SECTION("to a socket") { CheckSent(MakeSockets, write_all); }
  SECTION("to a terminal") { CheckSent(MakeTerminal, write_all); }
  SECTION("by send") {
    CheckSent(MakeSockets, [&](int fd) { return send(fd, bytes.data(), kBytes, 0); });
  }
}

TEST_CASE("a write of several pieces is finished, each byte once and in order") {
  std::vector<uint8_t> bytes = Pattern();
  std::vector<iovec> pieces;
  for (size_t at = 0; at < kBytes;) {
    const size_t part = std::min(kBytes - at, at % 7 == 0 ? size_t{300'001} : size_t{1'000});
    pieces.push_back({bytes.data() + at, part});
    if (pieces.size() % 3 == 0) pieces.push_back({nullptr, 0});
    at += part;
  }
  REQUIRE(pieces.size() < 1024);
  const int count = static_cast<int>(pieces.size());
  SECTION("to a pipe") {
    CheckSent(MakePipe, [&](int fd) { return writev(fd, pieces.data(), count); });
  }
  SECTION("to a socket") {
    CheckSent(MakeSockets, [&](int fd) { return writev(fd, pieces.data(), count); });
  }
  SECTION("by sendmsg") {
    CheckSent(MakeSockets, [&](int fd) {
      msghdr message = {};
      message.msg_iov = pieces.data();
      message.msg_iovlen = pieces.size();
      return sendmsg(fd, &message, 0);
    });
  }
}

TEST_CASE("what was asked for with MSG_WAITALL arrives whole") {
  Ends ends;
  MakeSockets(ends);
  const std::vector<uint8_t> bytes = Pattern();
  std::vector<uint8_t> received(kBytes);
  {
    const Interrupter interrupter;
    std::thread writer([&] {
      for (size_t at = 0; at < kBytes; at += 32'768) {
        if (at > 0 && !AwaitRepair()) break;
        if (write(ends.far, bytes.data() + at, 32'768) != 32'768) break;
      }
      shutdown(ends.far, SHUT_WR);
    });
    CHECK(recv(ends.near, received.data(), kBytes, MSG_WAITALL) == static_cast<ssize_t>(kBytes));
    writer.join();
  }
  CHECK(received == bytes);
  CHECK(g_repaired > 0);
}

TEST_CASE("a receiver gets what there is, if the sender ends or it was not asked to wait for all") {
  Ends ends;
  MakeSockets(ends);
  char buffer[100];
  REQUIRE(write(ends.far, "abc", 3) == 3);
  const Interrupter interrupter(true, 100);  // a time limit begins anew each time
  SECTION("without MSG_WAITALL") { CHECK(recv(ends.near, buffer, sizeof(buffer), 0) == 3); }
  SECTION("read") { CHECK(read(ends.near, buffer, sizeof(buffer)) == 3); }
  SECTION("at the end") {
    shutdown(ends.far, SHUT_WR);
    CHECK(recv(ends.near, buffer, sizeof(buffer), MSG_WAITALL) == 3);
  }
  SECTION("after a time") {
    const timeval limit = {0, 100'000};
    setsockopt(ends.near, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    CHECK(recv(ends.near, buffer, sizeof(buffer), MSG_WAITALL) == 3);
  }
}

TEST_CASE("what does not block returns what fits") {
  Ends ends;
  MakePipe(ends);
  fcntl(ends.near, F_SETFL, O_NONBLOCK);
  const std::vector<uint8_t> bytes = Pattern();
  const Interrupter interrupter;
  CHECK(write(ends.near, bytes.data(), kBytes) == fcntl(ends.near, F_GETPIPE_SZ));
}

TEST_CASE("devices and files give all that was asked for") {
  std::vector<uint8_t> bytes(8 * kBytes, 1);
  SECTION("random numbers") {
    const Interrupter interrupter;
    CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  SECTION("a device") {
    const int zero = open("/dev/zero", O_RDONLY);
    const Interrupter interrupter;
    CHECK(read(zero, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    CHECK(bytes == std::vector<uint8_t>(bytes.size()));
    close(zero);
  }
  SECTION("sendfile and copy_file_range") {
    const int from = memfd_create("from", 0);
    const int to = memfd_create("to", 0);
    REQUIRE(write(from, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    const Interrupter interrupter;
    off_t offset = 0;
    CHECK(sendfile(to, from, &offset, bytes.size()) == static_cast<ssize_t>(bytes.size()));
    CHECK(offset == static_cast<off_t>(bytes.size()));
    CHECK(lseek(to, 0, SEEK_CUR) == static_cast<off_t>(bytes.size()));
    off_t in = 0;
    off_t out = 0;
    CHECK(copy_file_range(from, &in, to, &out, bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    close(from);
    close(to);
  }
}

TEST_CASE("the receiver that goes away meanwhile raises no signal that the one call would not have raised") {
  signal(SIGPIPE, [](int) { ++g_program_signals; });
  g_program_signals = 0;
  Ends ends;
  MakeSockets(ends);
  const std::vector<uint8_t> bytes = Pattern();
  std::thread reader([&] {
    std::vector<uint8_t> buffer(kBytes / 2);
    recv(ends.far, buffer.data(), buffer.size(), MSG_WAITALL);
    shutdown(ends.far, SHUT_RDWR);
  });
  ssize_t written = 0;
  {
    const Interrupter interrupter;
    written = write(ends.near, bytes.data(), kBytes);
  }
  reader.join();
  signal(SIGPIPE, SIG_DFL);
  CHECK((written >= static_cast<ssize_t>(kBytes / 2) && written < static_cast<ssize_t>(kBytes)));
  CHECK(g_program_signals == 0);
}

TEST_CASE("a signal of the program's ends the call early, as it would without ours") {
  for (const int flags : {0, SA_RESTART}) {
    struct sigaction action = {};
    action.sa_handler = [](int) { ++g_program_signals; };
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, nullptr);
    g_program_signals = 0;
    Ends ends;
    MakePipe(ends);
    const std::vector<uint8_t> bytes = Pattern();
    const pthread_t self = pthread_self();
    std::atomic<bool> has_returned{false};
    {
      const Interrupter interrupter;
      const int pipe_bytes = fcntl(ends.near, F_GETPIPE_SZ);
      std::thread sender([&] {
        Soon([&] {
          int bytes_there = 0;
          return ioctl(ends.far, FIONREAD, &bytes_there) == 0 && bytes_there == pipe_bytes;
        });
        AwaitRepair();
        // One that comes right before poll(2) is called ends nothing.
        for (; !has_returned; usleep(20'000)) pthread_kill(self, SIGUSR1);
      });
      CHECK(write(ends.near, bytes.data(), kBytes) == pipe_bytes);
      has_returned = true;
      sender.join();
    }
    CHECK(g_program_signals >= 1);
  }
  signal(SIGUSR1, SIG_DFL);
}

// All that a system call leaves alone.
struct State {
  uint64_t registers[8];  // rdi, rsi, rdx, r10, r8, r9, rbx, r12
  uint64_t vector[2];
  uint64_t below[16];  // the red zone
  uint64_t flags;
};

// write(2) by an instruction of its own, with all of that set before; what it is afterwards.
__attribute__((noinline)) long WriteWithState(int fd, const void* bytes, size_t count, State* out) {
  long result;
  register uint64_t r8 asm("r8") = 0x8888;
  register uint64_t r9 asm("r9") = 0x9999;
  register uint64_t r10 asm("r10") = 0x1010;
  register State* r13 asm("r13") = out;
  asm volatile(
      "lea -512(%%rsp), %%rsp\n"
      "mov $16, %%ecx\n"
      "1: mov %%rcx, -136(%%rsp,%%rcx,8)\n"  // 1 to 16, at rsp - 128 to rsp - 8
      "dec %%ecx\n"
      "jnz 1b\n"
      "mov $0x1234567890abcdef, %%rcx\n"
      "movq %%rcx, %%xmm7\n"
      "punpcklqdq %%xmm7, %%xmm7\n"
      "mov $0xbb, %%ebx\n"
      "mov $0x12, %%r12d\n"
      "std\n"
      "stc\n"
      "mov $1, %%eax\n"
      "syscall\n"
      "mov -128(%%rsp), %%rcx\n"
      "mov %%rcx, 80(%%r13)\n"
      "mov -64(%%rsp), %%rcx\n"
      "mov %%rcx, 88(%%r13)\n"
      "mov -8(%%rsp), %%rcx\n"
      "mov %%rcx, 96(%%r13)\n"
      "pushfq\n"
      "popq 208(%%r13)\n"
      "cld\n"
      "mov %%rdi, 0(%%r13)\n"
      "mov %%rsi, 8(%%r13)\n"
      "mov %%rdx, 16(%%r13)\n"
      "mov %%r10, 24(%%r13)\n"
      "mov %%r8, 32(%%r13)\n"
      "mov %%r9, 40(%%r13)\n"
      "mov %%rbx, 48(%%r13)\n"
      "mov %%r12, 56(%%r13)\n"
      "movups %%xmm7, 64(%%r13)\n"
      "lea 512(%%rsp), %%rsp\n"
      : "=a"(result), "+r"(r8), "+r"(r9), "+r"(r10)
      : "D"(fd), "S"(bytes), "d"(count), "r"(r13)
      : "rcx", "r11", "rbx", "r12", "xmm7", "memory", "cc");
  return result;
}

TEST_CASE("registers, flags and the red zone are what a system call leaves") {
  const std::vector<uint8_t> bytes = Pattern();
  CheckSent(MakePipe, [&](int fd) {
    State state = {};
    const long result = WriteWithState(fd, bytes.data(), kBytes, &state);
    CHECK(state.registers[0] == static_cast<uint64_t>(fd));
    CHECK(state.registers[1] == reinterpret_cast<uint64_t>(bytes.data()));
    CHECK(state.registers[2] == kBytes);
    CHECK(state.registers[3] == 0x1010);
    CHECK(state.registers[4] == 0x8888);
    CHECK(state.registers[5] == 0x9999);
    CHECK(state.registers[6] == 0xbb);
    CHECK(state.registers[7] == 0x12);
    CHECK(state.vector[0] == 0x1234567890abcdef);
    CHECK(state.vector[1] == 0x1234567890abcdef);
    CHECK((state.below[0] == 1 && state.below[1] == 9 && state.below[2] == 16));
    constexpr uint64_t kCarryAndDirection = 0x401;
    CHECK((state.flags & kCarryAndDirection) == kCarryAndDirection);
    return result;
  });
}

// Up to glibc 2.40 the cancellation acts in the code that moves the rest. Since then the signal ends the call like a
// signal of the program, and the next cancellation point acts.
TEST_CASE("a thread can be cancelled while the rest is written") {
  Ends ends;
  MakePipe(ends);
  static std::atomic<bool> unwound;
  unwound = false;
  const std::vector<uint8_t> bytes = Pattern();
  std::thread canceller;
  std::thread thread([&] {
    struct Unwound {
      ~Unwound() { unwound = true; }
    } const guard;
    Interrupter interrupter;
    canceller = std::thread([&interrupter, self = pthread_self(), tid = gettid()] {
      AwaitRepair();
      interrupter.Stop();
      AwaitBlocked(tid);
      pthread_cancel(self);
    });
    (void)!write(ends.near, bytes.data(), kBytes);
    pthread_testcancel();  // not left to the join in a destructor, which must not throw
  });
  thread.join();
  canceller.join();
  CHECK(unwound);
  CHECK(g_repaired > 0);
}

// libc's signal does not end the call there. The next part must look for the cancellation.
TEST_CASE("a thread that is cancelled before a part of the rest does not wait for the part") {
  Ends ends;
  MakePipe(ends);
  static std::atomic<bool> unwound, returned;
  unwound = returned = false;
  const std::vector<uint8_t> bytes = Pattern();
  std::thread thread([&] {
    struct Unwound {
      ~Unwound() { unwound = true; }
    } const guard;
    const Interrupter interrupter;
    g_cancels = true;
    returned = write(ends.near, bytes.data(), kBytes) != 0;
    pthread_testcancel();
  });
  CHECK(Soon([] { return unwound.load(); }));
  fcntl(ends.far, F_SETFL, O_NONBLOCK);
  std::vector<uint8_t> received(kBytes);
  while (!unwound) (void)!read(ends.far, received.data(), kBytes);  // lets a thread go on that still waits
  thread.join();
  CHECK_FALSE(returned);
}

}  // namespace
}  // namespace geckoprof
