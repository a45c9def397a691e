#include "io/descriptor_name.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "tests/support/temporary_folder.h"

namespace geckoprof {
namespace {

std::string NameOfInternet6(const char* address) {
  sockaddr_in6 internet = {};
  internet.sin6_family = AF_INET6;
  internet.sin6_port = htons(443);
  REQUIRE(inet_pton(AF_INET6, address, &internet.sin6_addr) == 1);
  return std::string(DescriptorName(reinterpret_cast<sockaddr*>(&internet), sizeof(internet)).text());
}

TEST_CASE("a file has its absolute path") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a file";
  const int fd = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(fd >= 0);
  const DescriptorName name(fd);
  CHECK(name.is_open());
  CHECK(name.io_class() == IoClass::kFile);
  CHECK(name.text() == path);
  unlink(path.c_str());
  CHECK(DescriptorName(fd).text() == path + " (deleted)");
  close(fd);
}

TEST_CASE("a closed descriptor has no name, and errno stays") {
  errno = 77;
  const DescriptorName name(-1);
  CHECK_FALSE(name.is_open());
  CHECK(name.text().empty());
  CHECK(errno == 77);
}

TEST_CASE("pipes, devices and other objects have their class") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  CHECK(DescriptorName(ends[0]).io_class() == IoClass::kPipe);
  CHECK(DescriptorName(ends[0]).text().substr(0, 6) == "pipe:[");
  const int null = open("/dev/null", O_RDONLY), event = eventfd(0, 0), terminal = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(DescriptorName(null).io_class() == IoClass::kOther);
  CHECK(DescriptorName(null).text() == "/dev/null");
  CHECK(DescriptorName(event).io_class() == IoClass::kOther);
  if (terminal >= 0) CHECK(DescriptorName(terminal).io_class() == IoClass::kTerminal);
  for (const int fd : {ends[0], ends[1], null, event, terminal}) close(fd);
}

TEST_CASE("a socket has its peer, or its own address") {
  const int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  REQUIRE(bind(server, reinterpret_cast<sockaddr*>(&address), bytes) == 0);
  REQUIRE(listen(server, 1) == 0);
  REQUIRE(getsockname(server, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  REQUIRE(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  CHECK(DescriptorName(server).text() == "tcp listening on 127.0.0.1:" + port);
  CHECK(DescriptorName(client).text() == "tcp 127.0.0.1:" + port);
  CHECK(DescriptorName(client).io_class() == IoClass::kSocket);
  CHECK(DescriptorName(reinterpret_cast<sockaddr*>(&address), sizeof(address)).text() == "ip 127.0.0.1:" + port);
  close(server), close(client);
}

TEST_CASE("addresses of IPv6 are as inet_ntop writes them") {
  for (const char* address : {"::", "::1", "2001:db8::1:0:0:1", "fe80::1:2:3:4", "1:2:3:4:5:6:7:8",
                              "1::", "::ffff:10.0.0.1", "1:0:2:0:0:3:0:0"}) {
    in6_addr binary = {};
    char text[INET6_ADDRSTRLEN];
    REQUIRE(inet_pton(AF_INET6, address, &binary) == 1);
    REQUIRE(inet_ntop(AF_INET6, &binary, text, sizeof(text)) != nullptr);
    CHECK(NameOfInternet6(address) == "ip [" + std::string(text) + "]:443");
  }
}

TEST_CASE("a bad address has no text") {
  sockaddr_un local = {};
  local.sun_family = AF_UNIX;
  memset(local.sun_path, 'x', sizeof(local.sun_path));  // not terminated
  const auto* const address = reinterpret_cast<const sockaddr*>(&local);
  CHECK(DescriptorName(address, sizeof(local)).text() == "unix " + std::string(sizeof(local.sun_path), 'x'));
  CHECK(DescriptorName(address, sizeof(sa_family_t)).text() == "unix");
  CHECK(DescriptorName(address, 100000).is_open());
  CHECK_FALSE(DescriptorName(nullptr, 16).is_open());
  local.sun_path[0] = '\0';
  CHECK(DescriptorName(address, sizeof(sa_family_t) + 3).text() == "unix @xx");
}

}  // namespace
}  // namespace geckoprof
