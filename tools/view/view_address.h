#ifndef GECKOPROF_TOOLS_VIEW_VIEW_ADDRESS_H_
#define GECKOPROF_TOOLS_VIEW_VIEW_ADDRESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace geckoprof {

// ViewAddress: under which addresses one run of `geckoprof view` is reached.
//
//   https://profiler.firefox.com/from-url/<profile>/?symbolServer=<symbols>         page
//   http://127.0.0.1:PORT/from-url/<profile>/?symbolServer=<symbols>                page, where the viewer is ours
//   http://127.0.0.1:PORT/TOKEN/NAME                                                profile
//   http://127.0.0.1:PORT/TOKEN                                                     symbols
//
// Who does not know the token gets nothing of the profile: other pages in the browser, other users of the machine.
struct ViewAddress {
  int port = 0;
  std::string token;
  std::string profile_name;    // a plain file name, of letters that need no escapes
  bool has_front_end = false;  // the viewer is served here, too

  std::string Origin() const;        // of this server
  std::string ViewerOrigin() const;  // of the pages that may ask it
  std::string PageUrl() const;
  // Whether a Host header names this server. A page elsewhere whose name was made to mean 127.0.0.1 has another one.
  bool IsOwnHost(std::string_view host) const;
  // What follows the token in a path ("" or "/..."); null data() where the token is not there.
  std::string_view AfterToken(std::string_view path) const;
};

// 24 random bytes in hexadecimal digits.
absl::StatusOr<std::string> MakeToken();

// Returns the name under which a profile is served. It is the name of its file, with "_" for letters that need escapes.
std::string ServedName(const std::string& path, bool is_gzip);

// The text as part of a URL: all but letters, digits and "-._~" becomes %XX.
std::string UrlEscaped(std::string_view text);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_VIEW_ADDRESS_H_
