#include "tools/view/view_requests.h"

#include <sys/stat.h>

#include <string>
#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostRequestHeaders = 512;
// Instead of the viewer's worker, which would go on answering for whatever is served at this port later.
constexpr char kWorker[] = "addEventListener('activate', () => registration.unregister());\n";

HttpResponse Refusal(int status, std::string_view why) {
  HttpResponse response;
  response.status = status;
  response.body = Concat(why, "\n");
  return response;
}

// Names of headers and commas between them: what may be sent back.
bool IsHeaderList(std::string_view text) {
  return !text.empty() && text.size() <= kMostRequestHeaders &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-, ") ==
             std::string_view::npos;
}

}  // namespace

ViewRequests::ViewRequests(ViewAddress address, ServedProfile profile, std::optional<FrontEndFiles> front_end,
                           SymbolApi* api, Tell tell)
    : address_(std::move(address)),
      profile_(std::move(profile)),
      front_end_(std::move(front_end)),
      api_(api),
      tell_(std::move(tell)) {}

HttpResponse ViewRequests::Answer(const HttpRequest& request) const {
  HttpResponse response;
  if (!address_.IsOwnHost(request.host)) {
    response = Refusal(403, "This server has another name.");
  } else if (!request.origin.empty() && request.origin != address_.ViewerOrigin()) {
    response = Refusal(403, "Only the viewer may ask.");
  } else {
    response = AnswerAdmitted(request);
    if (!request.origin.empty()) AddCrossOriginHeaders(request, &response);
  }
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");  // pages' addresses have the token
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.emplace_back("Content-Security-Policy", "frame-ancestors 'none'");
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("Vary", "Origin");
  return response;
}

void ViewRequests::AddCrossOriginHeaders(const HttpRequest& request, HttpResponse* response) const {
  auto& headers = response->headers;
  headers.emplace_back("Access-Control-Allow-Origin", request.origin);
  if (request.method != "OPTIONS") return;
  headers.emplace_back("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
  headers.emplace_back("Access-Control-Max-Age", "600");
  if (IsHeaderList(request.request_headers)) {
    headers.emplace_back("Access-Control-Allow-Headers", request.request_headers);
  }
  if (request.asks_private_network) headers.emplace_back("Access-Control-Allow-Private-Network", "true");
}

HttpResponse ViewRequests::AnswerAdmitted(const HttpRequest& request) const {
  const std::string_view rest = address_.AfterToken(request.path);
  if (rest.empty()) return AnswerFrontEnd(request);
  HttpResponse response;
  if (request.method == "OPTIONS") {
    response.status = 204;
  } else if (request.method == "POST") {
    ApiAnswer answer = api_->Answer(rest, request.body);
    response.status = answer.status;
    response.type = "application/json";
    response.body = std::move(answer.body);
  } else if (rest == "/" + address_.profile_name) {
    return AnswerProfile();
  } else {
    return Refusal(404, "There is nothing here.");
  }
  return response;
}

HttpResponse ViewRequests::AnswerProfile() const {
  struct stat status = {};
  if (fstat(profile_.fd->number(), &status) != 0 || static_cast<uint64_t>(status.st_size) < profile_.size_bytes) {
    const std::string problem = Concat("the profile's file has been cut from ", profile_.size_bytes, " to ",
                                       status.st_size, " bytes since it was opened, and cannot be sent");
    if (tell_) tell_(problem);
    return Refusal(500, problem);
  }
  HttpResponse response;
  response.type = profile_.is_gzip ? "application/gzip" : "application/json";
  response.file = profile_.fd;
  response.file_bytes = profile_.size_bytes;
  return response;
}

HttpResponse ViewRequests::AnswerFrontEnd(const HttpRequest& request) const {
  if (front_end_ && request.path == "/sw.js") {
    HttpResponse worker;
    worker.type = "text/javascript; charset=utf-8";
    worker.body = kWorker;
    return worker;
  }
  FrontEndFiles::File file;
  if (front_end_ && request.method == "GET") file = front_end_->Find(request.path);
  if (file.fd == nullptr) return Refusal(404, "There is nothing here.");
  HttpResponse response;
  response.type = std::move(file.type);
  response.file = std::move(file.fd);
  response.file_bytes = file.size_bytes;
  return response;
}

}  // namespace geckoprof
