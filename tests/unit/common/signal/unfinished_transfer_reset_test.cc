// Connections that are reset while the rest of a call is moved.
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/unit/common/signal/interrupter.h"

namespace geckoprof {
namespace {

// What resets a connection: closed with no patience for what is under way.
void Reset(int socket) {
  const linger none = {1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  close(socket);
}

TEST_CASE("the error of a connection that is reset meanwhile is left to the next call, as by the one call") {
  static std::atomic<int> broken_pipes{0};
  signal(SIGPIPE, [](int) { ++broken_pipes; });
  broken_pipes = 0;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  REQUIRE((bind(listener, generic, bytes) == 0 && listen(listener, 1) == 0));
  REQUIRE(getsockname(listener, generic, &bytes) == 0);
  const int near = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(connect(near, generic, bytes) == 0);
  const int far = accept(listener, nullptr, nullptr);
  const bool has_limit = GENERATE(false, true);
  const timeval limit = {10, 0};
  if (has_limit) {
    setsockopt(near, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(near, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  }
  std::vector<uint8_t> buffer(32 << 20);
  SECTION("of a receiver") {
    {
      const Interrupter interrupter;
      std::thread peer([far] {
        CHECK(write(far, "abc", 3) == 3);
        AwaitRepair();
        Reset(far);
      });
      CHECK(recv(near, buffer.data(), 100, MSG_WAITALL) == 3);
      peer.join();
    }
    CHECK(g_repaired > 0);
    CHECK((recv(near, buffer.data(), 100, MSG_WAITALL) == -1 && errno == ECONNRESET));
  }
  SECTION("of a sender") {
    {
      const Interrupter interrupter;
      std::thread peer([far] {
        AwaitRepair();
        Reset(far);
      });
      const ssize_t sent = send(near, buffer.data(), buffer.size(), 0);
      CHECK((sent > 0 && sent < static_cast<ssize_t>(buffer.size())));
      peer.join();
    }
    CHECK(g_repaired > 0);
    CHECK((send(near, buffer.data(), 100, 0) == -1 && errno == ECONNRESET));
    CHECK(broken_pipes == 0);
  }
  close(near);
  close(listener);
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace geckoprof
