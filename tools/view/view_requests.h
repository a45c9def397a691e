#ifndef GECKOPROF_TOOLS_VIEW_VIEW_REQUESTS_H_
#define GECKOPROF_TOOLS_VIEW_VIEW_REQUESTS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "geckoprof/base/fd.h"
#include "tools/http/http_server.h"
#include "tools/view/front_end_files.h"
#include "tools/view/symbol_api.h"
#include "tools/view/view_address.h"

namespace geckoprof {

// The profile's file, which is sent as it is.
struct ServedProfile {
  std::shared_ptr<const Fd> fd;
  uint64_t size_bytes = 0;
  bool is_gzip = false;
};

// ViewRequests: who gets what of `geckoprof view`.
//
//   Host is not this server                       403      a page elsewhere that pretends to be here
//   Origin is not the viewer's                    403      another page
//   /TOKEN/NAME              GET                  the profile; 500 if the file has been cut meanwhile
//   /TOKEN/symbolicate/v5..  POST                 the symbol API
//   anything else            GET                  the viewer's files, where they are served here; else 404
//   below /TOKEN             OPTIONS              204      the browser asks whether the viewer may ask
//
// The viewer's files are no secret, and name each other from the root, so no token stands before them.
// Threads: many.
class ViewRequests {
 public:
  using Tell = std::function<void(const std::string& problem)>;

  // `api` outlives this. `tell`, perhaps empty: is called, by any thread, when the profile cannot be sent.
  ViewRequests(ViewAddress address, ServedProfile profile, std::optional<FrontEndFiles> front_end, SymbolApi* api,
               Tell tell = nullptr);

  HttpResponse Answer(const HttpRequest& request) const;

 private:
  HttpResponse AnswerAdmitted(const HttpRequest& request) const;
  HttpResponse AnswerProfile() const;
  HttpResponse AnswerFrontEnd(const HttpRequest& request) const;
  void AddCrossOriginHeaders(const HttpRequest& request, HttpResponse* response) const;

  const ViewAddress address_;
  const ServedProfile profile_;
  const std::optional<FrontEndFiles> front_end_;
  SymbolApi* const api_;
  const Tell tell_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_VIEW_REQUESTS_H_
