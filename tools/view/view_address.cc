#include "tools/view/view_address.h"

#include <errno.h>
#include <sys/random.h>

#include "absl/status/status.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

constexpr size_t kTokenBytes = 24;
constexpr char kFirefoxProfiler[] = "https://profiler.firefox.com";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// In a time that does not tell how much of it is right.
bool IsSame(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

std::string ViewAddress::Origin() const { return Concat("http://127.0.0.1:", port); }

std::string ViewAddress::ViewerOrigin() const { return has_front_end ? Origin() : kFirefoxProfiler; }

std::string ViewAddress::PageUrl() const {
  const std::string symbols = Concat(Origin(), "/", token);
  return Concat(ViewerOrigin(), "/from-url/", UrlEscaped(Concat(symbols, "/", profile_name)),
                "/?symbolServer=", UrlEscaped(symbols));
}

bool ViewAddress::IsOwnHost(std::string_view host) const {
  return host == Concat("127.0.0.1:", port) || host == Concat("localhost:", port);
}

std::string_view ViewAddress::AfterToken(std::string_view path) const {
  if (token.empty() || path.size() < token.size() + 1 || path[0] != '/') return {};
  if (!IsSame(path.substr(1, token.size()), token)) return {};
  const std::string_view rest = path.substr(token.size() + 1);
  return rest.empty() || rest[0] == '/' ? rest : std::string_view();
}

absl::StatusOr<std::string> MakeToken() {
  constexpr char kDigits[] = "0123456789abcdef";
  unsigned char bytes[kTokenBytes];
  // So few bytes come at once.
  if (getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) {
    return ErrnoStatus(errno, "cannot get random bytes");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token.push_back(kDigits[byte >> 4]);
    token.push_back(kDigits[byte & 15]);
  }
  return token;
}

std::string UrlEscaped(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (IsPlain(c)) {
      escaped.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped.push_back('%');
    escaped.push_back(kDigits[byte >> 4]);
    escaped.push_back(kDigits[byte & 15]);
  }
  return escaped;
}

std::string ServedName(const std::string& path, bool is_gzip) {
  std::string name;
  for (const char c : std::string_view(path).substr(path.rfind('/') + 1)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '_' || (c == '.' && !name.empty());
    name.push_back(is_plain ? c : '_');
    if (name.size() == 100) break;
  }
  // The viewer takes names that end otherwise for other things (.zip for a set of profiles).
  std::string_view stem = name;
  for (const std::string_view suffix : {".gz", ".json"}) {
    if (stem.ends_with(suffix)) stem.remove_suffix(suffix.size());
  }
  return Concat(stem.empty() ? "profile" : stem, is_gzip ? ".json.gz" : ".json");
}

}  // namespace geckoprof
