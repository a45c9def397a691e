// Sockets, and the look-up of names.
#include <netdb.h>
#include <sys/socket.h>

#include "io/io_hook.h"

extern "C" {
ssize_t __recv_chk(int fd, void* to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void* to, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* from_bytes);
}

namespace geckoprof {
namespace {

GECKOPROF_IO_HOOK(socket, "socket", kNone);
GECKOPROF_IO_HOOK(connect, "connect", kNone);
GECKOPROF_IO_HOOK(bind, "bind", kNone);
GECKOPROF_IO_HOOK(listen, "listen", kNone);
GECKOPROF_IO_HOOK(accept, "accept", kNone);
GECKOPROF_IO_HOOK(accept4, "accept4", kNone);
GECKOPROF_IO_HOOK(shutdown, "shutdown", kNone);
GECKOPROF_IO_HOOK(send, "send", kOut);
GECKOPROF_IO_HOOK(sendto, "sendto", kOut);
GECKOPROF_IO_HOOK(sendmsg, "sendmsg", kOut);
GECKOPROF_IO_HOOK(sendmmsg, "sendmmsg", kOut);
GECKOPROF_IO_HOOK(recv, "recv", kIn);
GECKOPROF_IO_HOOK(__recv_chk, "recv", kIn);
GECKOPROF_IO_HOOK(recvfrom, "recvfrom", kIn);
GECKOPROF_IO_HOOK(__recvfrom_chk, "recvfrom", kIn);
GECKOPROF_IO_HOOK(recvmsg, "recvmsg", kIn);
GECKOPROF_IO_HOOK(recvmmsg, "recvmmsg", kIn);
GECKOPROF_IO_HOOK(getaddrinfo, "getaddrinfo", kNone);
GECKOPROF_IO_HOOK(getnameinfo, "getnameinfo", kNone);
GECKOPROF_IO_HOOK(gethostbyname, "gethostbyname", kNone);

// The bytes of the messages that a call has moved.
int64_t BytesOf(const mmsghdr* messages, int count) {
  int64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += messages[i].msg_len;
  return bytes;
}

// The new descriptor of a connection. The call counts for the socket that listens.
template <typename Signature, typename... Arguments>
[[gnu::always_inline]] inline int CallAccept(IoHook<Signature>& hook, int fd, Arguments... arguments) {
  const int made = CallDescriptor(hook, fd, fd, arguments...);
  g_io_recorder.Forget(made);
  return made;
}

}  // namespace

void FindNextSocketFunctions() {
  FindNextOf(g_socket, g_connect, g_bind, g_listen, g_accept, g_accept4, g_shutdown, g_send, g_sendto, g_sendmsg,
             g_sendmmsg, g_recv, g___recv_chk, g_recvfrom, g___recvfrom_chk, g_recvmsg, g_recvmmsg, g_getaddrinfo,
             g_getnameinfo, g_gethostbyname);
}

}  // namespace geckoprof

using namespace geckoprof;

GECKOPROF_HOOK int socket(int domain, int type, int protocol) noexcept {
  const auto note = [](geckoprof_time start, int) {
    g_io_recorder.NoteClass(g_socket.function, IoClass::kSocket, nullptr, start, 0);
  };
  const int fd = CallAndNote(g_socket, note, domain, type, protocol);
  g_io_recorder.Forget(fd);
  return fd;
}
GECKOPROF_HOOK int connect(int fd, const sockaddr* address, socklen_t bytes) {
  g_io_recorder.Forget(fd);
  const auto note = [&](geckoprof_time start, int result) {
    g_io_recorder.NotePeer(g_connect.function, fd, IsFault(result) ? nullptr : address, bytes, start, 0);
  };
  const int result = CallAndNote(g_connect, note, fd, address, bytes);
  // A socket that does not block has its peer later.
  if (result != 0) g_io_recorder.Forget(fd);
  return result;
}
GECKOPROF_HOOK int bind(int fd, const sockaddr* address, socklen_t bytes) noexcept {
  g_io_recorder.Forget(fd);
  return CallDescriptor(g_bind, fd, fd, address, bytes);
}
GECKOPROF_HOOK int listen(int fd, int backlog) noexcept {
  g_io_recorder.Forget(fd);
  return CallDescriptor(g_listen, fd, fd, backlog);
}
GECKOPROF_HOOK int accept(int fd, sockaddr* address, socklen_t* bytes) {
  return CallAccept(g_accept, fd, address, bytes);
}
GECKOPROF_HOOK int accept4(int fd, sockaddr* address, socklen_t* bytes, int flags) {
  return CallAccept(g_accept4, fd, address, bytes, flags);
}
GECKOPROF_HOOK int shutdown(int fd, int how) noexcept { return CallDescriptor(g_shutdown, fd, fd, how); }

GECKOPROF_HOOK ssize_t send(int fd, const void* from, size_t bytes, int flags) {
  return CallDescriptor(g_send, fd, fd, from, bytes, flags);
}
GECKOPROF_HOOK ssize_t sendto(int fd, const void* from, size_t bytes, int flags, const sockaddr* address,
                              socklen_t address_bytes) {
  const auto note = [&](geckoprof_time start, ssize_t result) {
    const sockaddr* const peer = IsFault(result) ? nullptr : address;
    g_io_recorder.NotePeer(g_sendto.function, fd, peer, address_bytes, start, result);
  };
  return CallAndNote(g_sendto, note, fd, from, bytes, flags, address, address_bytes);
}
GECKOPROF_HOOK ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return CallDescriptor(g_sendmsg, fd, fd, message, flags);
}
GECKOPROF_HOOK int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  const auto note = [&](geckoprof_time start, int result) {
    g_io_recorder.NoteDescriptor(g_sendmmsg.function, fd, start, BytesOf(messages, result));
  };
  return CallAndNote(g_sendmmsg, note, fd, messages, count, flags);
}
GECKOPROF_HOOK ssize_t recv(int fd, void* to, size_t bytes, int flags) {
  return CallDescriptor(g_recv, fd, fd, to, bytes, flags);
}
GECKOPROF_HOOK ssize_t __recv_chk(int fd, void* to, size_t bytes, size_t room, int flags) {
  return CallDescriptor(g___recv_chk, fd, fd, to, bytes, room, flags);
}
GECKOPROF_HOOK ssize_t recvfrom(int fd, void* to, size_t bytes, int flags, sockaddr* address,
                                socklen_t* address_bytes) {
  return CallDescriptor(g_recvfrom, fd, fd, to, bytes, flags, address, address_bytes);
}
GECKOPROF_HOOK ssize_t __recvfrom_chk(int fd, void* to, size_t bytes, size_t room, int flags, sockaddr* address,
                                      socklen_t* address_bytes) {
  return CallDescriptor(g___recvfrom_chk, fd, fd, to, bytes, room, flags, address, address_bytes);
}
GECKOPROF_HOOK ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return CallDescriptor(g_recvmsg, fd, fd, message, flags);
}
GECKOPROF_HOOK int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  const auto note = [&](geckoprof_time start, int result) {
    g_io_recorder.NoteDescriptor(g_recvmmsg.function, fd, start, BytesOf(messages, result));
  };
  return CallAndNote(g_recvmmsg, note, fd, messages, count, flags, timeout);
}

GECKOPROF_HOOK int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** out) {
  const auto note = [&](geckoprof_time start, int) {
    g_io_recorder.NoteClass(g_getaddrinfo.function, IoClass::kSocket, name != nullptr ? name : service, start, 0);
  };
  return CallAndNote(g_getaddrinfo, note, name, service, hints, out);
}
GECKOPROF_HOOK int getnameinfo(const sockaddr* address, socklen_t address_bytes, char* host, socklen_t host_bytes,
                               char* service, socklen_t service_bytes, int flags) {
  const auto note = [&](geckoprof_time start, int result) {
    g_io_recorder.NoteClass(g_getnameinfo.function, IoClass::kSocket, result == 0 ? host : nullptr, start, 0);
  };
  return CallAndNote(g_getnameinfo, note, address, address_bytes, host, host_bytes, service, service_bytes, flags);
}
GECKOPROF_HOOK hostent* gethostbyname(const char* name) {
  const auto note = [&](geckoprof_time start, hostent*) {
    g_io_recorder.NoteClass(g_gethostbyname.function, IoClass::kSocket, name, start, 0);
  };
  return CallAndNote(g_gethostbyname, note, name);
}
