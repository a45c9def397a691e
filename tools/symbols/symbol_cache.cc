#include "tools/symbols/symbol_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "geckoprof/base/fd.h"
#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/support/output_file.h"
#include "tools/support/private_folder.h"
#include "tools/symbols/debug_file_finder.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"

namespace geckoprof {
namespace {

constexpr std::string_view kEnding = ".symbols";
constexpr size_t kLeastIdBytes = 16;  // of a build id: an MD5 sum's; the shorter ones are counters and checksums
constexpr size_t kMostIdBytes = 64;   // a name of a file may have 255 bytes

bool IsOwnFile(const struct stat& status) { return S_ISREG(status.st_mode) && status.st_uid == geteuid(); }

// A name that PathOf gives.
bool IsCacheName(std::string_view name) {
  if (!name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  return name.size() >= 2 * kLeastIdBytes && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Makes the folder and those above it that are missing.
absl::Status MakeFolder(const std::string& folder) {
  constexpr mode_t kOwnersAlone = 0700;  // also what the XDG base directory specification wants
  for (size_t end = 0; end != std::string::npos;) {
    end = folder.find('/', end + 1);
    const std::string part = folder.substr(0, end);
    if (mkdir(part.c_str(), kOwnersAlone) != 0 && errno != EEXIST && errno != EISDIR) {
      struct stat status;
      const int error = errno;  // of a part that is there, too, where the file system is read-only
      if (stat(part.c_str(), &status) != 0) return ErrnoStatus(error, Concat("cannot make ", part));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string SymbolCache::DefaultFolder() {
  constexpr std::string_view kName = "/geckoprof/symbols";
  const char* cache = getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return Concat(cache, kName);
  const char* home = getenv("HOME");
  struct stat status;
  if (home == nullptr || *home != '/' || stat(home, &status) != 0 || status.st_uid != geteuid()) return "";
  return Concat(home, "/.cache", kName);
}

bool SymbolCache::MayHold(const std::string& path, std::string_view build_id) {
  return build_id.size() >= kLeastIdBytes && build_id.size() <= kMostIdBytes && !IsVdso(path);
}

std::string SymbolCache::PathOf(std::string_view build_id) const {
  return Concat(folder_, "/", CodeId(build_id), kEnding);
}

std::unique_ptr<CachedSymbols> SymbolCache::Load(std::string_view build_id) const {
  const Fd fd = Fd::Open(PathOf(build_id).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  if (!fd.ok() || fstat(fd.number(), &status) != 0 || !IsOwnFile(status)) return nullptr;
  if (static_cast<uint64_t>(status.st_size) > limits_.file_bytes) return nullptr;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  const int64_t got = fd.ReadAt(0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  if (got != static_cast<int64_t>(bytes.size())) return nullptr;
  absl::StatusOr<std::unique_ptr<CachedSymbols>> symbols = CachedSymbols::Decode(std::move(bytes), build_id);
  if (!symbols.ok()) return nullptr;
  futimens(fd.number(), nullptr);  // used now; where that is not allowed it is only removed sooner
  return *std::move(symbols);
}

absl::Status SymbolCache::TrySave(const std::string& path, const std::string& bytes) const {
  if (absl::Status trusted = CheckTrusted(folder_); !trusted.ok()) return trusted;
  if (absl::Status made = MakeFolder(folder_); !made.ok()) return made;
  // What is no file of the user's own would be written through, or give its mode.
  struct stat status;
  if (lstat(path.c_str(), &status) == 0 && (!IsOwnFile(status) || (status.st_mode & 0777) != 0600)) {
    unlink(path.c_str());
  }
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  if (absl::Status written = file->Write(bytes); !written.ok()) return written;
  return file->Commit();
}

void SymbolCache::Save(std::string_view build_id, const CachedSymbols& symbols) {
  const absl::StatusOr<std::string> bytes = symbols.Encode(build_id, limits_.file_bytes);
  const absl::Status status = bytes.ok() ? TrySave(PathOf(build_id), *bytes) : bytes.status();
  if (!status.ok()) {
    if (problem_.empty()) problem_ = std::string(status.message());
    return;
  }
  RemoveOldest();
}

void SymbolCache::RemoveOldest() const {
  struct Kept {
    int64_t used_ns;
    uint64_t size_bytes;
    std::string path;
  };
  DIR* folder = opendir(folder_.c_str());
  if (folder == nullptr) return;
  std::vector<Kept> files;
  uint64_t total_bytes = 0;
  while (const dirent* entry = readdir(folder)) {
    if (!IsCacheName(entry->d_name)) continue;
    std::string path = Concat(folder_, "/", entry->d_name);
    struct stat status;
    if (lstat(path.c_str(), &status) != 0 || !IsOwnFile(status)) continue;
    FileIdentity identity = FileIdentity::Of(std::move(path));
    total_bytes += identity.size_bytes;
    files.push_back({identity.modified_ns, identity.size_bytes, std::move(identity.path)});
  }
  closedir(folder);
  std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.used_ns < b.used_ns; });
  for (const Kept& file : files) {
    if (total_bytes <= limits_.total_bytes) return;
    if (unlink(file.path.c_str()) == 0) total_bytes -= file.size_bytes;
  }
}

}  // namespace geckoprof
