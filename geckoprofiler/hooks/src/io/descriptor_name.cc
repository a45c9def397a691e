#include "io/descriptor_name.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

IoClass ClassOf(int fd, const struct stat& facts) {
  switch (facts.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
      return IoClass::kFile;
    case S_IFSOCK:
      return IoClass::kSocket;
    case S_IFIFO:
      return IoClass::kPipe;
    case S_IFCHR: {
      char settings[256];  // larger than the kernel's termios
      return RawSyscall(SYS_ioctl, fd, TCGETS, settings) == 0 ? IoClass::kTerminal : IoClass::kOther;
    }
    default:
      return IoClass::kOther;
  }
}

void AppendHex(unsigned number, TextBuilder& text) {
  bool has_begun = false;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const unsigned digit = number >> shift & 15;
    has_begun = has_begun || digit != 0 || shift == 0;
    if (has_begun) text.Text(std::string_view(&"0123456789abcdef"[digit], 1));
  }
}

void AppendInternet4(const unsigned char* address, TextBuilder& text) {
  for (int i = 0; i < 4; ++i) text.Text(i == 0 ? "" : ".").Number(address[i]);
}

// The longest run of two zero words or more becomes "::".
void AppendInternet6(const unsigned char* address, TextBuilder& text) {
  static constexpr unsigned char kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  if (memcmp(address, kMapped, sizeof(kMapped)) == 0) {
    text.Text("::ffff:");
    AppendInternet4(address + sizeof(kMapped), text);
    return;
  }
  unsigned words[8];
  for (int i = 0; i < 8; ++i) words[i] = static_cast<unsigned>(address[2 * i] << 8 | address[2 * i + 1]);
  int run_begin = 8, run_words = 1;
  for (int i = 0; i < 8; ++i) {
    int end = i;
    while (end < 8 && words[end] == 0) ++end;
    if (end - i > run_words) run_begin = i, run_words = end - i;
  }
  for (int i = 0; i < 8; ++i) {
    if (i == run_begin) {
      text.Text("::");
      i += run_words - 1;
      continue;
    }
    if (i != 0 && i != run_begin + run_words) text.Text(":");
    AppendHex(words[i], text);
  }
}

int SocketOption(int fd, int option) {
  int value = -1;
  socklen_t bytes = sizeof(value);
  RawSyscall(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &bytes);
  return value;
}

std::string_view ProtocolOf(int family, int type) {
  switch (family) {
    case AF_UNIX:
      return "unix";
    case AF_NETLINK:
      return "netlink";
    case AF_PACKET:
      return "packet";
    case AF_INET:
    case AF_INET6:
      return type == SOCK_STREAM ? "tcp" : type == SOCK_DGRAM ? "udp" : "raw";
    default:
      return "socket";
  }
}

}  // namespace

DescriptorName::DescriptorName(int fd) {
  struct stat facts = {};
  is_open_ = RawSyscall(SYS_fstat, fd, &facts) == 0;
  if (!is_open_) return;
  io_class_ = ClassOf(fd, facts);
  if (io_class_ == IoClass::kSocket) {
    AppendSocket(fd);
    return;
  }
  char link[32], path[sizeof(bytes_)];
  TextBuilder(link).Text("/proc/self/fd/").Number(fd);
  const long bytes = RawSyscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path));
  if (bytes > 0) text_.Text({path, static_cast<size_t>(bytes)});
}

DescriptorName::DescriptorName(const sockaddr* address, socklen_t bytes)
    : is_open_(address != nullptr), io_class_(IoClass::kSocket) {
  sockaddr_storage copy = {};
  if (address == nullptr || bytes > sizeof(copy)) return;  // the kernel refuses such a size
  memcpy(&copy, address, bytes);
  text_.Text(ProtocolOf(copy.ss_family, -1) == "raw" ? "ip" : ProtocolOf(copy.ss_family, -1));
  AppendAddress(copy, bytes);
}

void DescriptorName::AppendSocket(int fd) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  const bool has_peer = RawSyscall(SYS_getpeername, fd, &address, &bytes) == 0;
  text_.Text(ProtocolOf(SocketOption(fd, SO_DOMAIN), SocketOption(fd, SO_TYPE)));
  if (has_peer && AppendAddress(address, bytes)) return;
  bytes = sizeof(address);
  if (RawSyscall(SYS_getsockname, fd, &address, &bytes) != 0) return;
  const TextBuilder before = text_;
  text_.Text(has_peer ? " connected to" : SocketOption(fd, SO_ACCEPTCONN) == 1 ? " listening on" : " from");
  if (!AppendAddress(address, bytes)) text_ = before;
}

bool DescriptorName::AppendAddress(const sockaddr_storage& address, size_t bytes) {
  if (address.ss_family == AF_INET && bytes >= sizeof(sockaddr_in)) {
    const auto& internet = reinterpret_cast<const sockaddr_in&>(address);
    text_.Text(" ");
    AppendInternet4(reinterpret_cast<const unsigned char*>(&internet.sin_addr), text_);
    text_.Text(":").Number(ntohs(internet.sin_port));
    return true;
  }
  if (address.ss_family == AF_INET6 && bytes >= sizeof(sockaddr_in6)) {
    const auto& internet = reinterpret_cast<const sockaddr_in6&>(address);
    text_.Text(" [");
    AppendInternet6(reinterpret_cast<const unsigned char*>(&internet.sin6_addr), text_);
    text_.Text("]:").Number(ntohs(internet.sin6_port));
    return true;
  }
  constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);
  if (address.ss_family != AF_UNIX || bytes <= kPathAt) return false;
  const auto& local = reinterpret_cast<const sockaddr_un&>(address);
  const bool is_abstract = local.sun_path[0] == '\0';
  const size_t most = (bytes < sizeof(local) ? bytes : sizeof(local)) - kPathAt;
  text_.Text(is_abstract ? " @" : " ");
  text_.Text({local.sun_path + (is_abstract ? 1 : 0), is_abstract ? most - 1 : strnlen(local.sun_path, most)});
  return true;
}

}  // namespace geckoprof
