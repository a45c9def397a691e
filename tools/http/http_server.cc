#include "tools/http/http_server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
// OpenConnections: the accepted connections to clients of one port, in the order in which they came.
//
//   client --Add--> waits for a thread --AwaitHeader--> the thread reads --BeginAnswer--> it answers --Remove--> closed
//                                       \_________ CloseOldest may end these _________/
//
// cpp-httplib neither shows its sockets nor limits the bytes of a header. The sockets are found among the descriptors
// of the process, by their two ports.
//
// Threads: the thread that accepts calls Add and CloseOldest. The thread of a connection calls the other functions.
class OpenConnections {
 public:
  using Id = ino_t;  // the inode of the socket, 0 for none

  void SetPort(int port) { port_ = port; }

  // Returns the connection that was accepted last. Returns 0 if its client is gone.
  Id Add();

  // Waits until the header of the request is there. A header that is too long or too slow ends the connection, and the
  // library then reads no more of it.
  void AwaitHeader(Id connection);
  // The calling thread has read the request of its connection. CloseOldest does not end the connection any more.
  void BeginAnswer();
  // The calling thread has closed its connection.
  void Remove(Id connection);

  // Ends the first `count` connections whose requests are not complete. The last connection is not ended.
  void CloseOldest(size_t count);

 private:
  enum class State : uint8_t { kAsking, kAnswering, kEnded };
  struct Connection {
    Id id;
    int fd;
    State state;
  };

  Connection* Find(Id id);
  static bool MayEnd(const Connection& connection);
  static void End(Connection& connection);

  int port_ = 0;
  std::mutex mutex_;
  std::list<Connection> connections_;
};

namespace {

thread_local OpenConnections::Id t_connection = 0;

constexpr size_t kMaxHeaderBytes = size_t{32} << 10;
constexpr int kHeaderTimeoutMs = 5000;
constexpr int kIdleTimeoutMs = 2000;  // until a connection on which nothing is asked is closed

int PortOf(int (*get_name)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_in address = {};
  socklen_t bytes = sizeof(address);
  const bool is_found = get_name(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
  return is_found && address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

// Calls `visit(id, fd)` for each connection to the port.
template <typename Visit>
void VisitConnections(int port, const Visit& visit) {
  DIR* const descriptors = opendir("/proc/self/fd");
  if (descriptors == nullptr) return;
  while (const dirent* const entry = readdir(descriptors)) {
    const int fd = atoi(entry->d_name);
    struct stat status;
    // The socket that listens has no peer.
    if (PortOf(getpeername, fd) != 0 && PortOf(getsockname, fd) == port && fstat(fd, &status) == 0) {
      visit(status.st_ino, fd);
    }
  }
  closedir(descriptors);
}

// Waits until the socket has more than `seen` bytes to read, or its client has closed it.
bool AwaitMoreThan(int fd, size_t seen, std::chrono::steady_clock::time_point deadline) {
  const int wanted = static_cast<int>(seen) + 1;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof(wanted)) != 0) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd readable = {fd, POLLIN, 0};
  return left.count() > 0 && poll(&readable, 1, static_cast<int>(left.count())) == 1;
}

// Returns the bytes that have arrived, up to the limit of a header. They stay in the socket.
std::string PeekHeader(int fd) {
  std::string header(kMaxHeaderBytes, '\0');
  const ssize_t got = recv(fd, header.data(), header.size(), MSG_PEEK | MSG_DONTWAIT);
  header.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return header;
}

bool IsWholeHeader(const std::string& header) { return header.find("\r\n\r\n") != std::string::npos; }

// A request of GET has no body. Once its header is there, it only waits for a thread.
bool IsWholeRequest(const std::string& header) { return header.starts_with("GET ") && IsWholeHeader(header); }

// Returns the header and what follows it. Returns nothing if the header is too long or too slow.
std::string AwaitWholeHeader(int fd) {
  const auto start = std::chrono::steady_clock::now();
  for (size_t seen = 0; seen < kMaxHeaderBytes;) {
    const int timeout_ms = seen == 0 ? kIdleTimeoutMs : kHeaderTimeoutMs;
    if (!AwaitMoreThan(fd, seen, start + std::chrono::milliseconds(timeout_ms))) break;
    std::string header = PeekHeader(fd);
    if (IsWholeHeader(header)) return header;
    if (header.size() <= seen) break;  // the client has closed it
    seen = header.size();
  }
  return {};
}

}  // namespace

OpenConnections::Connection* OpenConnections::Find(Id id) {
  const auto has_id = [id](const Connection& connection) { return connection.id == id; };
  const auto found = std::find_if(connections_.begin(), connections_.end(), has_id);
  return found != connections_.end() ? &*found : nullptr;
}

bool OpenConnections::MayEnd(const Connection& connection) {
  return connection.state == State::kAsking && !IsWholeRequest(PeekHeader(connection.fd));
}

void OpenConnections::End(Connection& connection) {
  connection.state = State::kEnded;
  // The kernel resets the connection at its close, and takes no more bytes from the client.
  constexpr linger kReset = {1, 0};
  setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &kReset, sizeof(kReset));
  shutdown(connection.fd, SHUT_RDWR);
}

OpenConnections::Id OpenConnections::Add() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Id added = 0;
  VisitConnections(port_, [this, &added](Id id, int fd) {
    if (Find(id) != nullptr) return;
    connections_.push_back({id, fd, State::kAsking});
    added = id;
  });
  return added;
}

void OpenConnections::AwaitHeader(Id id) {
  t_connection = id;
  int fd = -1;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Connection* const connection = Find(id);
    if (connection == nullptr) return;
    fd = connection->fd;
  }
  const std::string header = AwaitWholeHeader(fd);
  constexpr int kAny = 1;
  setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &kAny, sizeof(kAny));
  if (IsWholeRequest(header)) BeginAnswer();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (header.empty()) End(*Find(id));
}

void OpenConnections::BeginAnswer() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Connection* const connection = Find(t_connection);
  if (connection != nullptr && connection->state == State::kAsking) connection->state = State::kAnswering;
}

void OpenConnections::Remove(Id id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  connections_.remove_if([id](const Connection& connection) { return connection.id == id; });
}

void OpenConnections::CloseOldest(size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Connection& connection : connections_) {
    if (count == 0 || &connection == &connections_.back()) return;
    if (!MayEnd(connection)) continue;
    End(connection);
    --count;
  }
}

namespace {

constexpr char kAnyPath[] = R"([\s\S]*)";
constexpr size_t kLongestPostPath = 512;  // the library matches paths by a regular expression, which takes stack
constexpr size_t kChunkBytes = size_t{256} << 10;
// The library also matches ranges, before it asks anybody: of a header as long as it takes, that is 3.5 MB of stack,
// which threads need not have by themselves (2 MB under `ulimit -s unlimited`).
constexpr size_t kStackBytes = size_t{8} << 20;

// The library lets 5 connections wait, and resets what comes beyond that. Listening again only changes their number.
void LetManyWait(int socket) {
  if (socket >= 0) listen(socket, SOMAXCONN);
}

// Several sockets may share a port by the library's own choice of options: two servers would answer in turns.
void SetOptions(socket_t socket) {
  const int yes = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

// The library does not tell why a port cannot be had.
absl::Status TryPort(int port) {
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.ok()) return ErrnoStatus(errno, "cannot make a socket");
  SetOptions(fd.number());
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      listen(fd.number(), 1) == 0) {
    return absl::OkStatus();
  }
  if (errno == EADDRINUSE) return absl::AlreadyExistsError(Concat("port ", port, " is in use"));
  return ErrnoStatus(errno, Concat("cannot listen on port ", port));
}

// The library cuts answers of any status to the ranges asked for, without looking at their length: what is behind them
// in memory would be sent. What is asked of it before any answer is made is a request of its own, which is not const.
void IgnoreRanges(const httplib::Request& request) { const_cast<httplib::Request&>(request).ranges.clear(); }

HttpRequest MakeRequest(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method == "HEAD" ? "GET" : from.method;
  request.path = from.path;
  request.host = from.get_header_value("Host");
  request.origin = from.get_header_value("Origin");
  request.request_headers = from.get_header_value("Access-Control-Request-Headers");
  request.asks_private_network = from.get_header_value("Access-Control-Request-Private-Network") == "true";
  return request;
}

bool SendFile(const Fd& file, uint64_t offset, uint64_t length, httplib::DataSink& sink) {
  std::string chunk(static_cast<size_t>(std::min<uint64_t>(length, kChunkBytes)), '\0');
  const ssize_t got = pread(file.number(), chunk.data(), chunk.size(), static_cast<off_t>(offset));
  return got > 0 && sink.write(chunk.data(), static_cast<size_t>(got));  // not > 0: the file has shrunk
}

// Bodies are given in pieces of a known length: those that are not, the library compresses, which takes seconds.
void Send(HttpResponse from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name, value);
  if (from.file != nullptr && from.file_bytes != 0) {
    to.set_content_provider(static_cast<size_t>(from.file_bytes), from.type,
                            [file = from.file](size_t offset, size_t length, httplib::DataSink& sink) {
                              return SendFile(*file, offset, length, sink);
                            });
  } else if (from.file == nullptr && !from.body.empty()) {
    const auto body = std::make_shared<const std::string>(std::move(from.body));
    to.set_content_provider(body->size(), from.type, [body](size_t offset, size_t length, httplib::DataSink& sink) {
      return sink.write(body->data() + offset, std::min({length, kChunkBytes, body->size() - offset}));
    });
  } else if (from.status == 200) {
    to.set_content("", from.type);
  }
}

// Threads as connections need them: browsers open some ahead of what they will ask, and an idle one must hold nobody
// up.
class GrowingPool final : public httplib::TaskQueue {
 public:
  explicit GrowingPool(OpenConnections* connections) : connections_(connections) {}

  // Nothing up to cpp-httplib 0.14, and later true if the task will be run.
  using Enqueued = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));

  Enqueued enqueue(std::function<void()> task) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.emplace_back(connections_->Add(), std::move(task));
    // Where no more threads are to be had, those there are will come to it.
    const bool may_grow = threads_.size() < HttpServer::kThreads;
    if (tasks_.size() > idle_ && may_grow) AddThread();
    if (tasks_.size() > idle_ && !may_grow) connections_->CloseOldest(tasks_.size() - idle_);
    changed_.notify_one();
    return static_cast<Enqueued>(true);
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    connections_->CloseOldest(SIZE_MAX);
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

 private:
  void AddThread() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, kStackBytes);
    const auto work = [](void* pool) -> void* {
      static_cast<GrowingPool*>(pool)->Work();
      return nullptr;
    };
    threads_.reserve(threads_.size() + 1);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, this) == 0) threads_.push_back(thread);
    pthread_attr_destroy(&attributes);
  }

  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      changed_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) return;
      const auto [connection, task] = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      connections_->AwaitHeader(connection);
      task();
      connections_->Remove(connection);
      lock.lock();
    }
  }

  OpenConnections* const connections_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<OpenConnections::Id, std::function<void()>>> tasks_;
  size_t idle_ = 0;
  bool is_ending_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace

struct HttpServer::Backend {
  using Handled = httplib::Server::HandlerResponse;

  Handled AnswerWithoutBody(const httplib::Request& from, httplib::Response& to) {
    // The library has no limit for the line before a chunk of a body.
    const bool is_chunked = from.has_header("Transfer-Encoding");
    if (from.method == "POST" && from.path.size() <= kLongestPostPath && !is_chunked) return Handled::Unhandled;
    connections.BeginAnswer();
    if (from.method == "GET" || from.method == "HEAD" || from.method == "OPTIONS") {
      Send(handler(MakeRequest(from)), to);
    } else {
      to.status = from.method != "POST" ? 405 : is_chunked ? 411 : 404;
    }
    return Handled::Handled;
  }

  void AnswerWithBody(const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& read) {
    HttpRequest request = MakeRequest(from);
    // The library has no limit for what packed bodies become.
    const bool is_read = read([&](const char* bytes, size_t size_bytes) {
      if (request.body.size() + size_bytes > kMaxBodyBytes) return false;
      request.body.append(bytes, size_bytes);
      return true;
    });
    if (!is_read) {
      to.status = 413;
      return;
    }
    connections.BeginAnswer();
    Send(handler(request), to);
  }

  // Where the header Range makes no sense the library answers before it asks anybody. As with ranges, what was asked
  // without them is answered; but not a POST, whose body has not been read.
  Handled AnswerInsteadOfRange(const httplib::Request& from, httplib::Response& to) {
    if (to.status != 416 || from.method == "POST") return Handled::Unhandled;
    IgnoreRanges(from);
    try {
      return AnswerWithoutBody(from, to);
    } catch (const std::exception&) {
      to.status = 500;  // no memory
      return Handled::Unhandled;
    }
  }

  httplib::Server server;
  int listening = -1;  // the server's socket, which closes it
  Handler handler;
  OpenConnections connections;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(int port) {
  absl::Status status = TryPort(port);
  if (!status.ok()) return status;
  auto backend = std::make_unique<Backend>();
  backend->server.set_socket_options([own = backend.get()](socket_t socket) {
    SetOptions(socket);
    own->listening = socket;
  });
  int bound = port;
  if (port == 0) {
    bound = backend->server.bind_to_any_port("127.0.0.1");
  } else if (!backend->server.bind_to_port("127.0.0.1", port)) {
    bound = -1;
  }
  if (bound <= 0) return absl::AlreadyExistsError(Concat("port ", port, " cannot be had"));
  LetManyWait(backend->listening);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(backend), bound));
}

HttpServer::HttpServer(std::unique_ptr<Backend> backend, int port) : backend_(std::move(backend)), port_(port) {}

void HttpServer::Start(Handler handler) {
  Backend* const backend = backend_.get();
  backend->handler = std::move(handler);
  backend->connections.SetPort(port_);
  httplib::Server& server = backend->server;
  server.new_task_queue = [backend] { return new GrowingPool(&backend->connections); };
  // One request a connection: what is left unread of one cannot be taken for the next, and an end need not wait.
  server.set_keep_alive_max_count(1);
  server.set_payload_max_length(kMaxBodyBytes);
  server.set_pre_routing_handler([backend](const httplib::Request& from, httplib::Response& to) {
    IgnoreRanges(from);
    return backend->AnswerWithoutBody(from, to);
  });
  server.set_error_handler(
      httplib::Server::HandlerWithResponse([backend](const httplib::Request& from, httplib::Response& to) {
        return backend->AnswerInsteadOfRange(from, to);
      }));
  // Of the library's own accord it offers ranges to those who ask by HEAD.
  server.set_post_routing_handler(
      [](const httplib::Request&, httplib::Response& to) { to.headers.erase("Accept-Ranges"); });
  server.Post(kAnyPath, [backend](const httplib::Request& from, httplib::Response& to,
                                  const httplib::ContentReader& read) { backend->AnswerWithBody(from, to, read); });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
    to.status = 500;  // no memory
  });
  backend->thread = std::thread([backend] {
    backend->server.listen_after_bind();
    const std::lock_guard<std::mutex> lock(backend->mutex);
    backend->has_ended = true;
    backend->ended.notify_all();
  });
  // A stop before the loop has begun would be forgotten.
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool HttpServer::Stop(int64_t wait_ms) {
  if (!backend_->thread.joinable()) return true;
  backend_->server.stop();
  std::unique_lock<std::mutex> lock(backend_->mutex);
  return backend_->ended.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return backend_->has_ended; });
}

HttpServer::~HttpServer() {
  if (!backend_->thread.joinable()) return;
  backend_->server.stop();
  backend_->thread.join();
}

}  // namespace geckoprof
