#include "tools/http/http_server.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <httplib.h>
#include <netinet/in.h>
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
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
// OpenConnections: the connections of this process to clients of one port. If all threads wait for requests that never
// become complete, the oldest such connection is closed for the next client.
//
//   client --connect--> thread waits for the request --Begin(its port)--> thread answers --End--> closed
//                       ^ CloseOldest ends the wait
//
// cpp-httplib does not show its sockets. They are found among the descriptors of the process, by the two ports.
// A client whose request is being answered is never cut off. In a flood, a request that waits for a thread
// may be.
//
// Threads: any, but CloseOldest is called by the thread that accepts, so that no new connection takes a descriptor
// meanwhile.
class OpenConnections {
 public:
  void SetPort(int port) { port_ = port; }

  // The calling thread answers the request of the client with that port.
  void Begin(int client_port);
  // The calling thread has answered, if it has begun.
  void End();

  // Ends the waits of the `count` connections that were seen first. The thread of each finds its connection closed.
  void CloseOldest(size_t count);

 private:
  int port_ = 0;
  std::mutex mutex_;
  std::set<int> answered_;  // ports of clients
  // By the inodes of the sockets: the order in which they were seen, or 0 for those that were closed.
  std::map<ino_t, uint64_t> waiting_;
  uint64_t seen_ = 0;
};

namespace {

thread_local int t_client_port = 0;

int PortOf(int (*get_name)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_in address = {};
  socklen_t bytes = sizeof(address);
  const bool is_found = get_name(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
  return is_found && address.sin_family == AF_INET ? ntohs(address.sin_port) : 0;
}

struct Connection {
  int client_port, fd;
  ino_t inode;
};

std::vector<Connection> FindConnections(int port) {
  std::vector<Connection> found;
  DIR* const descriptors = opendir("/proc/self/fd");
  if (descriptors == nullptr) return found;
  while (const dirent* const entry = readdir(descriptors)) {
    const int fd = atoi(entry->d_name);
    const int client_port = PortOf(getpeername, fd);  // 0: no socket, or the one that listens
    struct stat status;
    const bool is_ours = client_port != 0 && PortOf(getsockname, fd) == port && fstat(fd, &status) == 0;
    if (is_ours) found.push_back({client_port, fd, status.st_ino});
  }
  closedir(descriptors);
  return found;
}

}  // namespace

void OpenConnections::Begin(int client_port) {
  const std::lock_guard<std::mutex> lock(mutex_);
  t_client_port = client_port;
  answered_.insert(client_port);
}

void OpenConnections::End() {
  if (t_client_port == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  answered_.erase(t_client_port);
  t_client_port = 0;
}

void OpenConnections::CloseOldest(size_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<ino_t, uint64_t> waiting;
  std::map<uint64_t, Connection> by_order;
  for (const Connection& connection : FindConnections(port_)) {
    if (answered_.contains(connection.client_port)) continue;
    const auto before = waiting_.find(connection.inode);
    const uint64_t order = before != waiting_.end() ? before->second : ++seen_;
    waiting.emplace(connection.inode, order);
    if (order != 0) by_order.emplace(order, connection);
  }
  waiting_ = std::move(waiting);
  if (by_order.empty()) return;
  by_order.erase(std::prev(by_order.end()));  // the client for whom there is no thread yet
  for (const auto& [order, connection] : by_order) {
    if (count-- == 0) return;
    shutdown(connection.fd, SHUT_RDWR);
    waiting_[connection.inode] = 0;
  }
}

namespace {

constexpr char kAnyPath[] = R"([\s\S]*)";
constexpr size_t kLongestPostPath = 512;  // the library matches paths by a regular expression, which takes stack
constexpr time_t kIdleSeconds = 2;        // until a connection on which nothing is asked is left
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
    tasks_.push_back(std::move(task));
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
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      connections_->End();
      lock.lock();
    }
  }

  OpenConnections* const connections_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
  bool is_ending_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace

struct HttpServer::Backend {
  using Handled = httplib::Server::HandlerResponse;

  Handled AnswerWithoutBody(const httplib::Request& from, httplib::Response& to) {
    if (from.method == "POST" && from.path.size() <= kLongestPostPath) return Handled::Unhandled;
    connections.Begin(from.remote_port);
    if (from.method == "GET" || from.method == "HEAD" || from.method == "OPTIONS") {
      Send(handler(MakeRequest(from)), to);
    } else {
      to.status = from.method == "POST" ? 404 : 405;
    }
    return Handled::Handled;
  }

  void AnswerWithBody(const httplib::Request& from, httplib::Response& to, const httplib::ContentReader& read) {
    HttpRequest request = MakeRequest(from);
    // The library's own limit does not see bodies in chunks, nor what packed ones become.
    const bool is_read = read([&](const char* bytes, size_t size_bytes) {
      if (request.body.size() + size_bytes > kMaxBodyBytes) return false;
      request.body.append(bytes, size_bytes);
      return true;
    });
    if (!is_read) {
      to.status = 413;
      return;
    }
    connections.Begin(from.remote_port);
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
  server.set_keep_alive_timeout(kIdleSeconds);
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
