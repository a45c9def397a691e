// This code runs in place of the program's code. It must not change vector registers, so the compiler must not use
// them.
#include "geckoprof/signal/unfinished_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// The stack at the call of geckoprof_move_rest, with the stack of the interrupted call at its end.
struct TransferFrame {
  TransferCall call;
  uintptr_t function;  // libc's function that made the call, or 0
  uint64_t flags;
  uintptr_t return_address;
  uint8_t red_zone[128];
  uintptr_t function_returns_to;
  int* cancelled;  // libc's function keeps its first argument here, the word that says if the thread is cancelled
};

}  // namespace
}  // namespace geckoprof

extern "C" {
extern const char geckoprof_finish_transfer[] __attribute__((visibility("hidden")));
extern const char geckoprof_transfer_return[] __attribute__((visibility("hidden")));
extern const char geckoprof_plain_call[] __attribute__((visibility("hidden")));
__attribute__((visibility("hidden"))) long geckoprof_transfer_call(const geckoprof::TransferCall* call,
                                                                   uint64_t* rcx_after, uintptr_t function,
                                                                   int* cancelled);
__attribute__((visibility("hidden"))) uint64_t geckoprof_move_rest(const void* stack);
}

namespace geckoprof {
namespace {

constexpr uint64_t kNotFound = ~uint64_t{0};

// Returns the index of the argument with the number of bytes. The result is kNotFound for a call with a vector and for
// calls of other kinds.
uint64_t CountArgument(uint64_t number) {
  switch (number) {
    case SYS_read:
    case SYS_write:
    case SYS_sendto:
    case SYS_recvfrom:
      return 2;
    case SYS_getrandom:
      return 1;
    case SYS_sendfile:
      return 3;
    case SYS_copy_file_range:
      return 4;
    default:
      return kNotFound;
  }
}

bool IsStreamSocket(uint64_t descriptor) {
  int type = 0;
  socklen_t bytes = sizeof(type);
  return RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM;
}

constexpr int kNoLimit = -1;

// Returns SO_SNDTIMEO or SO_RCVTIMEO, rounded up.
int TimeLimitMs(uint64_t descriptor, int option) {
  timeval limit;
  socklen_t bytes = sizeof(limit);
  if (RawSyscall(SYS_getsockopt, descriptor, SOL_SOCKET, option, &limit, &bytes) != 0) return kNoLimit;
  const int64_t limit_ms = int64_t{1000} * limit.tv_sec + (limit.tv_usec + 999) / 1000;
  return limit_ms == 0 || limit_ms > INT32_MAX ? kNoLimit : static_cast<int>(limit_ms);
}
bool HasTimeLimit(uint64_t descriptor, int option) { return TimeLimitMs(descriptor, option) != kNoLimit; }

bool HasUnread(int descriptor) {
  int bytes = 0;
  return RawSyscall(SYS_ioctl, descriptor, FIONREAD, &bytes) == 0 && bytes > 0;
}

// Returns true for a non-blocking descriptor. A short count then means that there was no room or no more data.
bool IsNonBlocking(uint64_t descriptor) {
  const long flags = RawSyscall(SYS_fcntl, descriptor, F_GETFL);
  return IsSyscallError(flags) || (flags & O_NONBLOCK) != 0;
}

bool IsAtUrgentMark(uint64_t descriptor) {
  int at_mark = 0;
  return RawSyscall(SYS_ioctl, descriptor, SIOCATMARK, &at_mark) == 0 && at_mark != 0;
}

bool HasFileSizeLimit() {
  struct rlimit limit;
  return RawSyscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

// Returns true for /dev/tty*, /dev/tty, /dev/console and Unix98 pseudo terminals (Linux,
// Documentation/admin-guide/devices.txt).
bool IsTerminal(const struct stat& status) {
  const unsigned device = major(status.st_rdev);
  return S_ISCHR(status.st_mode) && (device == 4 || device == 5 || (device >= 136 && device <= 143));
}
// Returns true for devices that return all requested bytes, which are /dev/mem, /dev/zero, /dev/random and
// /dev/urandom. The device /dev/kmsg does not do so.
bool IsMemoryDevice(const struct stat& status) {
  const unsigned device = minor(status.st_rdev);
  return S_ISCHR(status.st_mode) && major(status.st_rdev) == 1 &&
         (device == 1 || device == 5 || device == 8 || device == 9);
}

uint64_t MessageBytes(const msghdr& message) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < message.msg_iovlen; ++i) bytes += message.msg_iov[i].iov_len;
  return bytes;
}

// Returns true if the first argument of the call is a descriptor.
bool HasDescriptor(uint64_t number) {
  return number != SYS_getrandom && number != SYS_io_getevents && number != SYS_io_pgetevents;
}

// The rest of one call.
class Rest {
 public:
  Rest(const TransferCall& call, const TransferFrame& frame) : call_(call), frame_(frame), done_(call.done) {}

  // Moves the rest and returns the total amount.
  uint64_t Move() {
    if (HasDescriptor(call_.number) && IsNonBlocking(call_.arguments[0])) return done_;
    switch (call_.number) {
      case SYS_write:
        if (FindWriter()) MoveBuffer(call_.arguments[1], call_.arguments[2]);
        break;
      case SYS_writev:
        if (FindWriter()) MoveVector(reinterpret_cast<const iovec*>(call_.arguments[1]), call_.arguments[2]);
        break;
      case SYS_sendto:
        if (FindSender(call_.arguments[3])) MoveBuffer(call_.arguments[1], call_.arguments[2]);
        break;
      case SYS_sendmsg: {
        const auto* const message = reinterpret_cast<const msghdr*>(call_.arguments[1]);
        if (FindSender(call_.arguments[2])) MoveVector(message->msg_iov, message->msg_iovlen);
        break;
      }
      case SYS_recvfrom:
        if (FindReceiver(call_.arguments[3])) MoveBuffer(call_.arguments[1], call_.arguments[2]);
        break;
      case SYS_recvmsg: {
        // Control data belongs to a certain part of the message. With room for control data, several calls would not
        // give the same result.
        const auto* const message = reinterpret_cast<const msghdr*>(call_.arguments[1]);
        const bool is_plain = message->msg_control == nullptr;
        if (is_plain && FindReceiver(call_.arguments[2])) MoveVector(message->msg_iov, message->msg_iovlen);
        break;
      }
      case SYS_read:
        if (FindReader()) MoveBuffer(call_.arguments[1], call_.arguments[2]);
        break;
      case SYS_readv:
        if (FindReader()) MoveVector(reinterpret_cast<const iovec*>(call_.arguments[1]), call_.arguments[2]);
        break;
      case SYS_recvmmsg:
        ReceiveMessages();
        break;
      case SYS_sendmmsg:
        SendMessages();
        break;
      case SYS_io_getevents:
      case SYS_io_pgetevents:
        GetEvents();
        break;
      case SYS_io_uring_enter:
        AwaitCompletions();
        break;
      case SYS_getrandom:
        MoveRandom();
        break;
      case SYS_sendfile:
      case SYS_copy_file_range:
        if (!HasFileSizeLimit()) MoveFile();
        break;
      default:
        break;
    }
    return done_;
  }

 private:
  bool GetStatus(struct stat& status) const { return RawSyscall(SYS_fstat, call_.arguments[0], &status) == 0; }

  // Chooses the call that writes the rest. On a socket it raises no SIGPIPE, because a call that has sent some bytes
  // raises none.
  bool FindWriter() {
    struct stat status;
    if (!GetStatus(status)) return false;
    if (S_ISSOCK(status.st_mode)) return FindSender(0);
    part_ = {SYS_write, 0, {call_.arguments[0], 0, 0, 0, 0, 0}};
    awaited_ = POLLOUT;
    return S_ISFIFO(status.st_mode) || IsTerminal(status);
  }
  bool FindSender(uint64_t flags) {
    part_ = {SYS_sendto, 0, {call_.arguments[0], 0, 0, flags | MSG_NOSIGNAL, 0, 0}};
    AwaitEach(POLLOUT, SO_SNDTIMEO);
    return IsStreamSocket(call_.arguments[0]);
  }
  bool FindReceiver(uint64_t flags) {
    part_ = {SYS_recvfrom, 0, {call_.arguments[0], 0, 0, flags, 0, 0}};
    AwaitEach(POLLIN, SO_RCVTIMEO);
    return IsStreamSocket(call_.arguments[0]) && !IsAtUrgentMark(call_.arguments[0]);
  }
  bool FindReader() {
    struct stat status;
    part_ = {SYS_read, 0, {call_.arguments[0], 0, 0, 0, 0, 0}};
    return GetStatus(status) && IsMemoryDevice(status);
  }

  // Sets the events for which poll(2) waits before each part, and the option that holds the time limit.
  void AwaitEach(short events, int limit_option) {
    awaited_ = events;
    limit_ms_ = TimeLimitMs(call_.arguments[0], limit_option);
  }

  // Makes a call that our handler can interrupt. It then clears rcx. A thread that was cancelled between two parts ends
  // here, if libc's function made the interrupted call.
  long Call(const TransferCall& call, uint64_t& rcx_after) const {
    if (frame_.function != 0) return geckoprof_transfer_call(&call, &rcx_after, frame_.function, frame_.cancelled);
    return geckoprof_transfer_call(&call, &rcx_after, reinterpret_cast<uintptr_t>(geckoprof_plain_call), nullptr);
  }

  // Waits until some bytes can be moved. Returns false if no more bytes must be moved. A signal of the program ends the
  // original call, because that call has moved some bytes. A new call for the rest has moved none, so the kernel would
  // restart it. The kernel never restarts poll(2), so we wait there.
  bool Await() {
    struct pollfd descriptor = {static_cast<int>(call_.arguments[0]), awaited_, 0};
    const TransferCall poll = {
        SYS_poll, 0, {reinterpret_cast<uint64_t>(&descriptor), 1, static_cast<uint64_t>(limit_ms_), 0, 0, 0}};
    while (awaited_ != 0) {
      uint64_t rcx_after = 0;
      const long result = Call(poll, rcx_after);
      if (result > 0) return !HasErrorAhead(descriptor);
      if (result != -EINTR || rcx_after != 0) return false;
    }
    return true;
  }
  // Returns true if the next part would consume an error of the socket. A socket reports an error once. The original
  // call has moved some bytes and would leave the error to the program's next call. A part that moves nothing would
  // consume it. A connection that is reset first gets its error, then frees its unsent bytes, and is shut down last.
  // Therefore we wait a few ms for POLLHUP. POLLERR alone may only mean that MSG_ERRQUEUE has data.
  static bool HasErrorAhead(struct pollfd& descriptor) {
    constexpr int kLooks = 3;
    constexpr int kPauseMs = 1;
    if ((descriptor.revents & POLLERR) == 0) return false;
    for (int look = 0; look < kLooks && (descriptor.revents & POLLHUP) == 0; ++look) {
      RawSyscall(SYS_poll, nullptr, 0, kPauseMs);
      RawSyscall(SYS_poll, &descriptor, 1, 0);
    }
    return (descriptor.revents & POLLHUP) != 0 && (descriptor.events != POLLIN || !HasUnread(descriptor.fd));
  }

  // Makes the call for one part of `bytes`. Returns false if no more bytes must be moved.
  bool MakePart(uint64_t bytes) {
    if (!Await()) return false;
    uint64_t rcx_after = 0;
    const long moved = Call(part_, rcx_after);
    if (moved > 0) done_ += static_cast<uint64_t>(moved);
    const bool cut_short = rcx_after == 0 && (moved > 0 || moved == -EINTR);
    return cut_short || moved == static_cast<long>(bytes);
  }

  // Moves `bytes` at `address`, of which the first `skipped` were moved before. Returns false if no more bytes must be
  // moved.
  bool MoveBytes(uint64_t address, uint64_t bytes, uint64_t skipped) {
    const uint64_t before = done_ - skipped;
    for (;;) {
      const uint64_t at = done_ - before;
      if (at >= bytes) return true;
      part_.arguments[1] = address + at;
      part_.arguments[2] = bytes - at;
      if (!MakePart(bytes - at)) return false;
    }
  }
  void MoveBuffer(uint64_t address, uint64_t bytes) { MoveBytes(address, bytes, done_); }
  void MoveVector(const iovec* vector, uint64_t count) {
    uint64_t skipped = done_;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t bytes = vector[i].iov_len;
      if (skipped >= bytes) {
        skipped -= bytes;
      } else {
        if (!MoveBytes(reinterpret_cast<uint64_t>(vector[i].iov_base), bytes, skipped)) return;
        skipped = 0;
      }
    }
  }

  // With a time limit the program expects a short count.
  void ReceiveMessages() {
    const uint64_t* const a = call_.arguments;
    if (a[4] != 0 || HasTimeLimit(a[0], SO_RCVTIMEO)) {
      ForgetRestart();
      return;
    }
    awaited_ = POLLIN;
    while (done_ < a[2] && ForgetRestart() && MakeMessagePart()) {
    }
  }
  void SendMessages() {
    if (HasTimeLimit(call_.arguments[0], SO_SNDTIMEO)) return;
    awaited_ = POLLOUT;
    while (SendRestOfMessage() && done_ < call_.arguments[2] && MakeMessagePart()) {
    }
  }
  bool MakeMessagePart() {
    const uint64_t* const a = call_.arguments;
    part_ = {call_.number, 0, {a[0], a[1] + done_ * sizeof(mmsghdr), a[2] - done_, a[3], 0, 0}};
    return MakePart(part_.arguments[2]);
  }
  // If a signal ends recvmmsg(2) after some messages, the kernel keeps its internal error ERESTARTSYS. The next call on
  // the socket would show it to the program (Linux, net/socket.c, do_recvmmsg). This function removes it. Returns false
  // if the socket had an error of its own, which ended the call. The error is lost, because the query removes it.
  bool ForgetRestart() const {
    constexpr int kRestart = 512;
    int error = 0;
    socklen_t bytes = sizeof(error);
    RawSyscall(SYS_getsockopt, call_.arguments[0], SOL_SOCKET, SO_ERROR, &error, &bytes);
    return error == 0 || error == kRestart;
  }
  // Sends the rest of the last message, because a call may end with a message sent in part. Returns false if a rest
  // remains.
  bool SendRestOfMessage() {
    mmsghdr& last = reinterpret_cast<mmsghdr*>(call_.arguments[1])[done_ - 1];
    const uint64_t bytes = MessageBytes(last.msg_hdr);
    if (last.msg_len >= bytes) return true;
    const TransferCall call = {
        SYS_sendmsg,
        last.msg_len,
        {call_.arguments[0], reinterpret_cast<uint64_t>(&last.msg_hdr), call_.arguments[3], 0, 0, 0}};
    last.msg_len = static_cast<unsigned>(Rest(call, frame_).Move());
    return last.msg_len >= bytes;
  }

  void GetEvents() {
    const uint64_t* const a = call_.arguments;
    while (done_ < a[1]) {
      part_ = {call_.number, 0, {a[0], a[1] - done_, a[2] - done_, a[3] + done_ * sizeof(io_event), 0, 0}};
      if (!MakePart(part_.arguments[2]) && done_ < a[1]) return;
    }
  }
  // Waits for the completions. The submission is done, and the completions may have arrived already.
  void AwaitCompletions() {
    const uint64_t* const a = call_.arguments;
    const TransferCall wait = {call_.number, 0, {a[0], 0, a[2], a[3], a[4], a[5]}};
    uint64_t rcx_after = 0;
    long result = 0;
    do {
      result = Call(wait, rcx_after);
    } while (result == -EINTR && rcx_after == 0);
  }

  void MoveRandom() {
    while (done_ < call_.arguments[1]) {
      part_ = {SYS_getrandom, 0, {call_.arguments[0] + done_, call_.arguments[1] - done_, call_.arguments[2], 0, 0, 0}};
      if (!MakePart(part_.arguments[1])) return;
    }
  }
  // The kernel has advanced the offsets.
  void MoveFile() {
    const uint64_t* const a = call_.arguments;
    const uint64_t counts = CountArgument(call_.number);
    if (call_.number == SYS_sendfile) AwaitEach(POLLOUT, SO_SNDTIMEO);
    while (done_ < a[counts]) {
      part_ = {call_.number, 0, {a[0], a[1], a[2], a[3], a[4], a[5]}};
      part_.arguments[counts] = a[counts] - done_;
      if (!MakePart(part_.arguments[counts])) return;
    }
  }

  const TransferCall& call_;
  const TransferFrame& frame_;
  uint64_t done_;
  TransferCall part_;
  short awaited_ = 0;  // 0 if there is nothing to wait for
  int limit_ms_ = kNoLimit;
};

}  // namespace

bool IsTransfer(uint64_t number) {
  switch (number) {
    case SYS_writev:
    case SYS_readv:
    case SYS_sendmsg:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
      return true;
    default:
      return CountArgument(number) != kNotFound;
  }
}

bool MayBeUnfinished(const TransferCall& call) {
  constexpr uint64_t kOtherSends = MSG_DONTWAIT | MSG_OOB | MSG_ZEROCOPY | MSG_FASTOPEN;
  constexpr uint64_t kOtherReceives = MSG_DONTWAIT | MSG_OOB | MSG_PEEK | MSG_TRUNC | MSG_ERRQUEUE;
  const uint64_t* const a = call.arguments;
  switch (call.number) {
    case SYS_writev:
    case SYS_readv:
      return true;
    case SYS_sendmsg:
      return (a[2] & kOtherSends) == 0;
    case SYS_recvmsg:
      return (a[2] & MSG_WAITALL) != 0 && (a[2] & kOtherReceives) == 0;
    case SYS_recvmmsg:
      return call.done < a[2] && (a[3] & (kOtherReceives | MSG_WAITFORONE)) == 0;
    case SYS_sendmmsg:  // the last message may have been sent in part
      return (a[3] & kOtherSends) == 0;
    case SYS_io_getevents:  // without a timeout
      return call.done < a[1] && a[4] == 0;
    case SYS_io_pgetevents:  // and without a signal mask
      return call.done < a[1] && a[4] == 0 && a[5] == 0;
    case SYS_io_uring_enter:  // without a timeout
      return call.done == a[1] && a[2] != 0 && a[3] == IORING_ENTER_GETEVENTS && a[4] == 0;
    default:
      break;
  }
  const uint64_t counts = CountArgument(call.number);
  if (counts == kNotFound || call.done >= call.arguments[counts]) return false;
  if (call.number == SYS_sendto) return (call.arguments[3] & kOtherSends) == 0;
  if (call.number != SYS_recvfrom) return true;
  return (call.arguments[3] & MSG_WAITALL) != 0 && (call.arguments[3] & kOtherReceives) == 0;
}

uintptr_t TransferEntry() { return reinterpret_cast<uintptr_t>(geckoprof_finish_transfer); }
uintptr_t TransferReturn() { return reinterpret_cast<uintptr_t>(geckoprof_transfer_return); }

}  // namespace geckoprof

uint64_t geckoprof_move_rest(const void* stack) {
  const auto& frame = *static_cast<const geckoprof::TransferFrame*>(stack);
  return geckoprof::Rest(frame.call, frame).Move();
}
