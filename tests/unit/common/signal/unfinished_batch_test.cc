// Calls that take or give several messages or events while signals of ours come all the time.
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/forked_check.h"
#include "tests/unit/common/signal/interrupter.h"

namespace geckoprof {
namespace {

constexpr size_t kMessages = 32;

struct Sockets {
  explicit Sockets(int type) { REQUIRE(socketpair(AF_UNIX, type, 0, fds) == 0); }
  ~Sockets() {
    close(fds[0]);
    close(fds[1]);
  }
  int fds[2];
};

// As many messages, each of one buffer.
struct Messages {
  explicit Messages(size_t each) : bytes(kMessages * each) {
    for (size_t i = 0; i < kMessages; ++i) {
      vectors[i] = {bytes.data() + i * each, each};
      headers[i] = {};
      headers[i].msg_hdr.msg_iov = &vectors[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
  }
  size_t MovedBytes() const {
    size_t moved = 0;
    for (const mmsghdr& header : headers) moved += header.msg_len;
    return moved;
  }
  std::vector<uint8_t> bytes;
  std::array<iovec, kMessages> vectors;
  std::array<mmsghdr, kMessages> headers;
};

TEST_CASE("as many messages as were asked for are received") {
  const Sockets sockets(SOCK_DGRAM);
  Messages messages(1);
  {
    const Interrupter interrupter;
    std::thread sender([&] {
      for (size_t i = 0; i < kMessages; ++i) {
        if (i > 0 && !AwaitRepair()) break;
        const auto number = static_cast<uint8_t>(i);
        CHECK(send(sockets.fds[1], &number, 1, 0) == 1);
      }
    });
    CHECK(recvmmsg(sockets.fds[0], messages.headers.data(), kMessages, 0, nullptr) == static_cast<int>(kMessages));
    sender.join();
  }
  CHECK(g_repaired > 0);
  for (size_t i = 0; i < kMessages; ++i) CHECK(messages.bytes[i] == i);
  CHECK(recv(sockets.fds[0], messages.bytes.data(), 1, MSG_DONTWAIT) == -1);
  CHECK(errno == EAGAIN);
}

TEST_CASE("who limits the time gets what came, and no error that is the kernel's own") {
  const Sockets sockets(SOCK_DGRAM);
  const timeval limit = {0, 50'000};
  REQUIRE(setsockopt(sockets.fds[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  Messages messages(1);
  size_t received = 0;
  {
    const Interrupter interrupter;
    std::thread sender([&] {
      for (size_t i = 0; i < kMessages; ++i) {
        if (i > 0) AwaitRepair();
        CHECK(send(sockets.fds[1], "x", 1, 0) == 1);
      }
    });
    while (received < kMessages) {
      const int count = recvmmsg(sockets.fds[0], messages.headers.data(), kMessages, 0, nullptr);
      CHECK((count > 0 || errno == EAGAIN || errno == EINTR));
      received += count > 0 ? static_cast<size_t>(count) : 0;
    }
    sender.join();
  }
  CHECK(received == kMessages);
}

TEST_CASE("messages are sent whole and all") {
  constexpr size_t kBytes = 256 << 10;
  const Sockets sockets(SOCK_STREAM);
  Messages messages(kBytes);
  for (size_t i = 0; i < messages.bytes.size(); ++i) messages.bytes[i] = static_cast<uint8_t>(i * 2'654'435'761u >> 13);
  std::vector<uint8_t> received(messages.bytes.size() + 1);
  size_t count = 0;
  std::thread receiver([&] {
    ssize_t part = 1;
    while (part > 0 && count < messages.bytes.size()) {
      part = read(sockets.fds[1], received.data() + count, received.size() - count);
      if (part > 0) count += static_cast<size_t>(part);
    }
  });
  {
    const Interrupter interrupter;
    CHECK(sendmmsg(sockets.fds[0], messages.headers.data(), kMessages, 0) == static_cast<int>(kMessages));
  }
  shutdown(sockets.fds[0], SHUT_RDWR);
  receiver.join();
  CHECK(messages.MovedBytes() == messages.bytes.size());
  received.resize(count);
  CHECK(received == messages.bytes);
}

TEST_CASE("a message of several pieces is received whole") {
  constexpr size_t kBytes = 1 << 20;
  const Sockets sockets(SOCK_STREAM);
  std::vector<uint8_t> bytes(kBytes, 1);
  std::vector<uint8_t> received(kBytes);
  iovec pieces[] = {{received.data(), 100'000}, {received.data() + 100'000, kBytes - 100'000}};
  msghdr message = {};
  message.msg_iov = pieces;
  message.msg_iovlen = 2;
  {
    const Interrupter interrupter;
    std::thread sender([&] {
      for (size_t at = 0; at < kBytes; at += 32'768) {
        if (at > 0 && !AwaitRepair()) break;
        if (write(sockets.fds[1], bytes.data() + at, 32'768) != 32'768) break;
      }
    });
    CHECK(recvmsg(sockets.fds[0], &message, MSG_WAITALL) == static_cast<ssize_t>(kBytes));
    sender.join();
  }
  CHECK(received == bytes);
  CHECK(g_repaired > 0);
}

// Not by libc's syscall: its number stands in no instruction. Without a fifth argument.
template <long kNumber>
long Call(uint64_t first, uint64_t second, uint64_t third, uint64_t fourth) {
  register uint64_t r10 asm("r10") = fourth;
  register uint64_t r8 asm("r8") = 0;
  long result = 0;
  asm volatile("mov %[number], %%eax\n\tsyscall"
               : "=a"(result)
               : [number] "i"(kNumber), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
}

TEST_CASE("as many events as were asked for are got") {
  constexpr size_t kEvents = 8;
  aio_context_t events = 0;
  if (syscall(SYS_io_setup, kEvents, &events) != 0) return;  // the kernel has none, or gives none
  int descriptors[kEvents];
  iocb blocks[kEvents] = {};
  for (size_t i = 0; i < kEvents; ++i) {
    descriptors[i] = eventfd(0, 0);
    blocks[i].aio_lio_opcode = IOCB_CMD_POLL;
    blocks[i].aio_fildes = static_cast<uint32_t>(descriptors[i]);
    blocks[i].aio_buf = POLLIN;
    iocb* block = &blocks[i];
    REQUIRE(syscall(SYS_io_submit, events, 1, &block) == 1);
  }
  io_event got[kEvents] = {};
  {
    const Interrupter interrupter;
    std::thread trigger([&] {
      for (const int descriptor : descriptors) {
        AwaitRepair();
        CHECK(eventfd_write(descriptor, 1) == 0);
      }
    });
    CHECK(Call<SYS_io_getevents>(events, kEvents, kEvents, reinterpret_cast<uint64_t>(got)) == kEvents);
    trigger.join();
  }
  for (const int descriptor : descriptors) close(descriptor);
  syscall(SYS_io_destroy, events);
}

// A ring that holds one request: to wait for a while.
class Ring {
 public:
  Ring() : fd_(static_cast<int>(syscall(SYS_io_uring_setup, 1, &parameters_))) {
    if (fd_ < 0) return;
    rings_ = static_cast<uint8_t*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, IORING_OFF_SQ_RING));
    requests_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, IORING_OFF_SQES);
    REQUIRE(rings_ != MAP_FAILED);
    REQUIRE(requests_ != MAP_FAILED);
  }
  ~Ring() {
    if (fd_ < 0) return;
    munmap(rings_, kBytes);
    munmap(requests_, kBytes);
    close(fd_);
  }
  bool ok() const { return fd_ >= 0 && (parameters_.features & IORING_FEAT_SINGLE_MMAP) != 0; }

  // Asks for the end of a time, and waits for it. False: it returned before.
  bool WaitFor(const timespec& time) {
    auto& request = *static_cast<io_uring_sqe*>(requests_);
    request = {};
    request.opcode = IORING_OP_TIMEOUT;
    request.addr = reinterpret_cast<uint64_t>(&time);
    request.len = 1;
    Word(parameters_.sq_off.array) = 0;
    __atomic_fetch_add(&Word(parameters_.sq_off.tail), 1, __ATOMIC_RELEASE);
    if (Call<SYS_io_uring_enter>(static_cast<uint64_t>(fd_), 1, 1, IORING_ENTER_GETEVENTS) != 1) return false;
    uint32_t& head = Word(parameters_.cq_off.head);
    const bool is_there = __atomic_load_n(&Word(parameters_.cq_off.tail), __ATOMIC_ACQUIRE) != head;
    if (is_there) __atomic_store_n(&head, head + 1, __ATOMIC_RELEASE);
    return is_there;
  }

 private:
  static constexpr size_t kBytes = 4096;
  uint32_t& Word(uint32_t offset) { return *reinterpret_cast<uint32_t*>(rings_ + offset); }

  io_uring_params parameters_ = {};
  int fd_;
  uint8_t* rings_ = nullptr;
  void* requests_ = nullptr;
};

// In a process of its own: what the kernel still does for a ring when it is gone ends a later write early, as any call
// that looks for signals.
TEST_CASE("what was submitted and waited for is complete") {
  CHECK(StatusInChild([] {
          Ring ring;
          if (!ring.ok()) return 0;  // the kernel has none, or gives none
          const timespec time = {0, 2'000'000};
          const Interrupter interrupter;
          for (int i = 0; i < 50; ++i) FORKED_REQUIRE(ring.WaitFor(time));
          FORKED_REQUIRE(g_repaired > 0);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace geckoprof
