#include "tools/view/source_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/base/fd.h"
#include "tools/support/regular_file.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

// The path without links and "..".
absl::StatusOr<std::string> RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  if (real == nullptr) return ErrnoStatus(errno, Concat("cannot read ", path));
  return std::string(real.get());
}

}  // namespace

absl::StatusOr<std::string> ReadSourceText(const std::string& path) {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("this is no absolute path");
  }
  const absl::StatusOr<std::string> real = RealPath(path);
  if (!real.ok()) return real.status();
  const Fd fd = OpenRegularFile(*real, O_NOFOLLOW);
  if (fd.error() == EINVAL) return absl::InvalidArgumentError(Concat(path, " is not a regular file"));
  if (!fd.ok()) return ErrnoStatus(fd.error(), Concat("cannot read ", path));
  struct stat status;
  if (fstat(fd.number(), &status) != 0) return ErrnoStatus(errno, Concat("cannot read ", path));
  if (static_cast<uint64_t>(status.st_size) > kMaxSourceBytes) {
    return absl::InvalidArgumentError(Concat(path, " is larger than ", kMaxSourceBytes >> 20, " MB"));
  }
  std::string text(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(fd.number(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, Concat("cannot read ", path));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  if (text.find('\0') != std::string::npos) return absl::InvalidArgumentError(Concat(path, " is no text"));
  return text;
}

bool SourceAnswer::IsName(std::string_view name, const std::string& file) {
  return name == file || (!sources_.empty() && sources_.Find(name) == file);
}

bool SourceAnswer::IsNamed(const ProfileLibraries::Library& library, uint64_t address, const std::string& file) {
  const AddressSymbols* found = symbolizer_.FindRelative(library.path, library.build_id, address);
  if (found != nullptr && std::any_of(found->frames.begin(), found->frames.end(),
                                      [&](const SymbolFrame& frame) { return IsName(frame.file, file); })) {
    return true;
  }
  const auto [entry, is_new] = files_.try_emplace(&library);
  SymbolModule* module = is_new ? symbolizer_.Module(library.path, library.build_id) : nullptr;
  if (module != nullptr) {
    for (std::string& name : module->SourceFiles()) {
      if (!sources_.empty()) entry->second.insert(sources_.Find(name));
      entry->second.insert(std::move(name));
    }
  }
  return entry->second.contains(file);
}

ApiAnswer SourceAnswer::Answer(JsonView request) {
  const std::optional<uint64_t> address = ParseApiNumber(request["moduleOffset"].AsString());
  const std::string file(request["file"].AsString());
  if (!address || file.empty()) return ApiError("the request is not one of /source/v1", 400);
  const ProfileLibraries::Library* library =
      libraries_.Find(request["debugName"].AsString(), request["debugId"].AsString());
  if (library == nullptr) return ApiError("the profile has no such library");
  if (!IsNamed(*library, *address, file)) return ApiError("the debug information of this library names no such file");
  absl::StatusOr<std::string> text = ReadSourceText(sources_.Find(file));
  if (!text.ok() && !sources_.empty()) text = ReadSourceText(file);  // its name is the one that it has here
  if (!text.ok()) return ApiError(std::string(text.status().message()));
  return ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StringProperty("source", *text);
    writer.EndObject();
  });
}

}  // namespace geckoprof
