#include "tools/view/front_end_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>

#include "absl/status/status.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string RealPathOrEmpty(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real != nullptr ? real.get() : "";
}

// Whether all parts of the path are names: no "..", no hidden files.
bool IsPlainPath(std::string_view path) {
  if (path.find('\0') != std::string_view::npos || path.find('\\') != std::string_view::npos) return false;
  return path.find("/.") == std::string_view::npos;
}

}  // namespace

std::string_view FrontEndFileType(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".wasm", "application/wasm"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".svg", "image/svg+xml"},
      {".ico", "image/x-icon"},
      {".ftl", "text/plain; charset=utf-8"},
      {".txt", "text/plain; charset=utf-8"},
      {".woff2", "font/woff2"},
  };
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& type) { return name.ends_with(type.first); });
  return found != std::end(kTypes) ? found->second : "application/octet-stream";
}

absl::StatusOr<FrontEndFiles> FrontEndFiles::Open(const std::string& folder) {
  const std::string root = RealPathOrEmpty(folder);
  struct stat status;
  if (root.empty() || stat(root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return absl::NotFoundError(Concat(folder, " is no folder"));
  }
  FrontEndFiles files(root == "/" ? "" : root);
  if (files.OpenFile("/index.html").fd == nullptr) {
    return absl::NotFoundError(Concat(folder, " holds no build of the viewer: there is no index.html"));
  }
  return files;
}

FrontEndFiles::File FrontEndFiles::OpenFile(const std::string& path) const {
  const std::string real = RealPathOrEmpty(root_ + path);
  if (!real.starts_with(root_ + "/")) return {};
  auto fd = std::make_shared<const Fd>(open(real.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
  struct stat status;
  if (!fd->ok() || fstat(fd->number(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {std::move(fd), static_cast<uint64_t>(status.st_size), std::string(FrontEndFileType(path))};
}

FrontEndFiles::File FrontEndFiles::Find(std::string_view path) const {
  if (!path.starts_with("/")) return {};
  // What the viewer's own addresses go on with is no path, but may look like one.
  if (path.starts_with("/from-url/")) return OpenFile("/index.html");
  // The viewer's worker is not for here: see ViewRequests.
  if (path == "/sw.js" || !IsPlainPath(path)) return {};
  File file = OpenFile(std::string(path));
  if (file.fd != nullptr) return file;
  const bool is_page = path.substr(path.rfind('/')).find('.') == std::string_view::npos;
  return is_page ? OpenFile("/index.html") : File();
}

}  // namespace geckoprof
