#include "tools/http/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

int Connect(const Fd& fd, int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(fd.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
}

// Everything that comes back for the bytes.
std::string Ask(int port, const std::string& bytes) {
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(Connect(fd, port) == 0);
  const timeval most = {20, 0};
  setsockopt(fd.number(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t done = send(fd.number(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (done <= 0) break;  // it does not want the rest
    sent += static_cast<size_t>(done);
  }
  std::string answer;
  char chunk[4096];
  for (ssize_t got = 0; (got = recv(fd.number(), chunk, sizeof(chunk), 0)) > 0;) {
    answer.append(chunk, static_cast<size_t>(got));
  }
  return answer;
}

std::unique_ptr<HttpServer> StartedServer(HttpServer::Handler handler) {
  auto server = HttpServer::Listen(0);
  REQUIRE(server.ok());
  (*server)->Start(std::move(handler));
  return *std::move(server);
}

// What was asked, as the body.
HttpResponse Echo(const HttpRequest& request) {
  HttpResponse response;
  response.headers.emplace_back("X-Own", "yes");
  response.body = request.method + " " + request.path + " host=" + request.host + " origin=" + request.origin +
                  " body=" + request.body;
  return response;
}

TEST_CASE("requests come with what they say, answers go back whole") {
  const auto server = StartedServer(Echo);
  const std::string get = Ask(server->port(), "GET /a%2Fb?x=1 HTTP/1.1\r\nHost: h:1\r\nOrigin: o\r\n\r\n");
  CHECK(get.starts_with("HTTP/1.1 200"));
  CHECK(get.find("X-Own: yes") != std::string::npos);
  CHECK(get.ends_with("GET /a/b host=h:1 origin=o body="));
  CHECK(Ask(server->port(), "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc").ends_with("body=abc"));
  const std::string head = Ask(server->port(), "HEAD /p HTTP/1.1\r\nHost: h\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 200"));
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK(head.find("Accept-Ranges") == std::string::npos);
  CHECK(Ask(server->port(), "PUT /p HTTP/1.1\r\nContent-Length: 0\r\n\r\n").starts_with("HTTP/1.1 405"));
  CHECK(server->Stop(5000));
}

TEST_CASE("many connections can wait") {
  const auto server = HttpServer::Listen(0);  // nobody takes them
  REQUIRE(server.ok());
  std::vector<std::unique_ptr<Fd>> waiting;
  for (int i = 0; i < 100; ++i) {
    waiting.push_back(std::make_unique<Fd>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)));
    // It is there at once on the loopback device, or has to wait until the kernel tries again.
    const int done = Connect(*waiting.back(), (*server)->port());
    pollfd writable = {waiting.back()->number(), POLLOUT, 0};
    CHECK((done == 0 || poll(&writable, 1, 500) == 1));
  }
}

TEST_CASE("what is left unread of a request is not taken for another one") {
  const auto server = StartedServer(Echo);
  const std::string answer = Ask(server->port(),
                                 "GET /first HTTP/1.1\r\nHost: h\r\nContent-Length: 30\r\n\r\n"
                                 "GET /second HTTP/1.1\r\nHost: i\r\n\r\n");
  CHECK(answer.find("/second") == std::string::npos);
}

TEST_CASE("too much is refused") {
  const auto server = StartedServer(Echo);
  const std::string much(HttpServer::kMaxBodyBytes + 1, 'x');
  CHECK(Ask(server->port(), "POST /p HTTP/1.1\r\nContent-Length: " + std::to_string(much.size()) + "\r\n\r\n")
            .find("body=x") == std::string::npos);
  CHECK(Ask(server->port(), "POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            .starts_with("HTTP/1.1 411"));
  CHECK(Ask(server->port(), "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n\r\n").find("aaaa") ==
        std::string::npos);
  CHECK(Ask(server->port(), "POST /" + std::string(1000, 'a') + " HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            .starts_with("HTTP/1.1 404"));
  CHECK(Ask(server->port(), "nonsense\r\n\r\n").find("200 OK") == std::string::npos);
}

// Returns how many bytes of an endless request the server and the kernel took, before the connection ended.
size_t SendForEver(int port, const std::string& start, const std::string& rest) {
  constexpr size_t kEnough = size_t{64} << 20;
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(Connect(fd, port) == 0);
  const timeval most = {20, 0};
  setsockopt(fd.number(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
  size_t sent = 0;
  const std::string* part = &start;
  while (sent < kEnough) {
    const ssize_t done = send(fd.number(), part->data(), part->size(), MSG_NOSIGNAL);
    if (done <= 0) break;
    sent += static_cast<size_t>(done);
    part = &rest;
  }
  return sent;
}

TEST_CASE("endless requests are ended") {
  constexpr size_t kBuffersOfKernel = size_t{16} << 20;
  const auto server = StartedServer(Echo);
  std::string headers;
  for (int i = 0; i < 1000; ++i) headers += "A: b\r\n";
  CHECK(SendForEver(server->port(), "GET / HTTP/1.1\r\n", headers) < kBuffersOfKernel);
  CHECK(SendForEver(server->port(), "GET / HTTP/1.1\r\nA: ", std::string(1000, 'x')) < kBuffersOfKernel);
  CHECK(SendForEver(server->port(), std::string(1000, 'x'), std::string(1000, 'x')) < kBuffersOfKernel);
  CHECK(SendForEver(server->port(), "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", std::string(1000, '1')) <
        kBuffersOfKernel);
  CHECK(Ask(server->port(), "GET /p HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_CASE("large answers and files are sent as they are") {
  char path[] = "/tmp/http_server_test.XXXXXX";
  const auto file = std::make_shared<const Fd>(mkstemp(path));
  REQUIRE(file->ok());
  unlink(path);
  const std::string bytes(1 << 20, 'f');
  REQUIRE(write(file->number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  const auto server = StartedServer([&](const HttpRequest& request) {
    HttpResponse response;
    if (request.path == "/file") {
      response.file = file;
      response.file_bytes = bytes.size();
    } else {
      response.body = bytes;
    }
    return response;
  });
  for (const char* path_asked : {"/file", "/body"}) {
    const std::string answer =
        Ask(server->port(), std::string("GET ") + path_asked + " HTTP/1.1\r\nAccept-Encoding: gzip, br\r\n\r\n");
    CHECK(answer.find("Content-Encoding") == std::string::npos);
    CHECK(answer.ends_with("\r\n\r\n" + bytes));
  }
}

TEST_CASE("whoever asks for ranges gets the whole") {
  const auto server = StartedServer([](const HttpRequest& request) {
    HttpResponse response = Echo(request);
    if (request.path == "/none") response.status = 404;
    return response;
  });
  for (const std::string& range : {std::string("Range: bytes=1-2"), std::string("Range: bytes=1000-3000"),
                                   std::string("Range: bytes=9-90000000"), std::string("Range: bytes=99999-"),
                                   std::string("Range: bytes=-5"), std::string("Range: bytes=0-3,5-9, 7000-9000")}) {
    CAPTURE(range);
    for (const std::string head : {"GET /none", "GET /there", "POST /there", "PUT /there"}) {
      const std::string rest = " HTTP/1.1\r\nHost: h\r\n" + std::string(head[0] == 'P' ? "Content-Length: 0\r\n" : "");
      CHECK(Ask(server->port(), head + rest + range + "\r\n\r\n") == Ask(server->port(), head + rest + "\r\n"));
    }
  }
}

TEST_CASE("what are no ranges does no harm") {
  const auto server = StartedServer(Echo);
  std::string many = "bytes=";
  for (int i = 0; i < 4000; ++i) many += "-,";
  for (const std::string& range :
       {std::string("bytes=5-2"), std::string("bytes=0-0,99999999999999999999-"), std::string("x"), many + "-", many}) {
    const std::string answer = Ask(server->port(), "GET /p HTTP/1.1\r\nRange: " + range + "\r\n\r\n");
    CHECK(answer == Ask(server->port(), "GET /p HTTP/1.1\r\n\r\n"));
    const size_t body = answer.find("\r\n\r\n");
    REQUIRE(body != std::string::npos);
    CHECK((answer.starts_with("HTTP/1.1 416") ? answer.size() == body + 4
                                              : answer.ends_with("GET /p host= origin= body=")));
  }
}

TEST_CASE("a port belongs to one server") {
  const auto first = HttpServer::Listen(0);
  REQUIRE(first.ok());
  const auto second = HttpServer::Listen((*first)->port());
  CHECK(absl::IsAlreadyExists(second.status()));
  CHECK(second.status().message() == "port " + std::to_string((*first)->port()) + " is in use");
}

TEST_CASE("connections that take long hold nobody up") {
  std::atomic<bool> go_on = false;
  const auto server = StartedServer([&](const HttpRequest& request) {
    while (request.path == "/slow" && !go_on) usleep(1000);
    return Echo(request);
  });
  std::vector<std::thread> slow;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 40; ++i) {
    slow.emplace_back([&] {
      if (Ask(server->port(), "GET /slow HTTP/1.1\r\n\r\n").find("200") != std::string::npos) ++answered;
    });
  }
  CHECK(Ask(server->port(), "GET /quick HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
  go_on = true;
  for (std::thread& thread : slow) thread.join();
  CHECK(answered == 40);
}

TEST_CASE("requests that never become complete hold nobody up") {
  const auto server = StartedServer(Echo);
  constexpr const char* kParts[] = {"",
                                    "GET / HTTP/1.1\r\nHost: ", "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc"};
  std::vector<std::unique_ptr<Fd>> unfinished;
  for (int i = 0; i < 400; ++i) {
    unfinished.push_back(std::make_unique<Fd>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    REQUIRE(Connect(*unfinished.back(), server->port()) == 0);
    const std::string_view part = kParts[i % std::size(kParts)];
    REQUIRE(send(unfinished.back()->number(), part.data(), part.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(part.size()));
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) CHECK(Ask(server->port(), "GET /p HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
  for (const auto& fd : unfinished) send(fd->number(), "x", 1, MSG_NOSIGNAL);  // which renews the time limit
  CHECK(Ask(server->port(), "GET /p HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_CASE("a flood of complete requests is answered whole") {
  const auto server = StartedServer([](const HttpRequest& request) {
    usleep(1000);
    return Echo(request);
  });
  constexpr std::string_view kRequest = "GET /p HTTP/1.1\r\n\r\n";
  std::vector<std::unique_ptr<Fd>> clients;
  for (int i = 0; i < 400; ++i) {
    clients.push_back(std::make_unique<Fd>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)));
    REQUIRE(Connect(*clients.back(), server->port()) == 0);
    REQUIRE(send(clients.back()->number(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(kRequest.size()));
  }
  int answered = 0;
  for (const auto& client : clients) {
    char answer[12] = {};
    const ssize_t got = recv(client->number(), answer, sizeof(answer), MSG_WAITALL);
    answered += got == sizeof(answer) && std::string_view(answer, sizeof(answer)) == "HTTP/1.1 200" ? 1 : 0;
  }
  CHECK(answered == 400);
}

TEST_CASE("a stop does not wait for a request longer than it is told to") {
  std::atomic<bool> go_on = false, is_under_way = false;
  const auto server = StartedServer([&](const HttpRequest&) {
    is_under_way = true;
    while (!go_on) usleep(1000);
    return HttpResponse();
  });
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server->port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(fd.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  REQUIRE(send(fd.number(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL) == 18);
  while (!is_under_way) usleep(1000);
  CHECK_FALSE(server->Stop(50));
  go_on = true;
  CHECK(server->Stop(10000));
}

}  // namespace
}  // namespace geckoprof
