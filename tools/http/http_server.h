#ifndef GECKOPROF_TOOLS_HTTP_HTTP_SERVER_H_
#define GECKOPROF_TOOLS_HTTP_HTTP_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"

namespace geckoprof {

// What a client asks. Nothing of it has been checked.
struct HttpRequest {
  std::string method;  // "GET" also for HEAD
  std::string path;    // unescaped, without the query
  std::string body;
  std::string host, origin;     // of the headers; empty: not there
  std::string request_headers;  // Access-Control-Request-Headers
  bool asks_private_network = false;
};

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const Fd> file;  // not null: what it holds is sent, instead of `body`
  uint64_t file_bytes = 0;
};

// HttpServer: answers requests on 127.0.0.1, each by a call of one function. The one place where cpp-httplib is seen.
//
//   Listen(port)      the port is ours: connections wait
//   Start(handler)    they are answered, by up to kThreads threads of its own
//   Stop
//
// Ranges are not served. A request for ranges gets the whole answer with the status of that answer. A POST with ranges
// that are none gets 416 without a body. A body, a header and a line have limits. A body in chunks gets 411, since the
// library has no limit for the line before a chunk. A client that stops sending is left after seconds, or earlier if
// another client needs its thread.
//
// Threads: several threads call the handler at once. One thread calls the other functions.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest& request)>;

  static constexpr size_t kMaxBodyBytes = size_t{4} << 20;  // 10,000 addresses, the viewer's limit, take 100 KB
  static constexpr size_t kThreads = 64;                    // as connections need them; a browser keeps 6 open

  // An error says why the port cannot be had; Code kAlreadyExists: somebody else listens there.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(int port);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  void Start(Handler handler);
  // No more requests. True: those under way are finished. False: after `wait_ms` one is not; the destructor waits on.
  bool Stop(int64_t wait_ms);

 private:
  struct Backend;

  HttpServer(std::unique_ptr<Backend> backend, int port);

  const std::unique_ptr<Backend> backend_;
  const int port_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_HTTP_HTTP_SERVER_H_
