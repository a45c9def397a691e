#include "tools/symbols/debug_file_finder.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "geckoprof/gecko_json/gecko_text.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Find = int (*)(void* client, const unsigned char* build_id, int build_id_bytes, char** path);

// The library's functions, which are null where it is not installed. Declared here: its header is another package's.
struct Library {
  void* client = nullptr;
  Find find_executable = nullptr, find_debug_info = nullptr;
};

Library LoadLibrary() {
  Library library;
  const char* urls = getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0') return library;
  void* handle = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return library;
  const auto begin = reinterpret_cast<void* (*)()>(dlsym(handle, "debuginfod_begin"));
  library.find_executable = reinterpret_cast<Find>(dlsym(handle, "debuginfod_find_executable"));
  library.find_debug_info = reinterpret_cast<Find>(dlsym(handle, "debuginfod_find_debuginfo"));
  if (begin != nullptr) library.client = begin();
  return library;
}

}  // namespace

std::string DebuginfodClient::Fetch(std::string_view build_id, Kind kind, std::string* problem) {
  static Library library = LoadLibrary();
  const Find find = kind == Kind::kExecutable ? library.find_executable : library.find_debug_info;
  if (library.client == nullptr || find == nullptr || build_id.empty()) return "";
  char* path = nullptr;
  const int fd = find(library.client, reinterpret_cast<const unsigned char*>(build_id.data()),
                      static_cast<int>(build_id.size()), &path);
  if (fd >= 0) close(fd);
  // Out of reach: asking for the next file would take as long again.
  if (fd < 0 && fd != -ENOENT) {
    library.client = nullptr;
    *problem = std::string("the servers of DEBUGINFOD_URLS cannot be asked: ") + strerror(-fd);
  }
  std::string found = fd >= 0 && path != nullptr ? path : "";
  free(path);
  return found;
}

namespace {

std::string FolderOfPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The servers that may be asked; empty: none.
std::string Servers(const SymbolPlaces& places) {
  const char* urls = places.debuginfod ? getenv("DEBUGINFOD_URLS") : nullptr;
  return urls != nullptr ? urls : "";
}

std::string ShownId(std::string_view build_id) { return build_id.empty() ? "none" : CodeId(build_id); }

}  // namespace

bool IsVdso(const std::string& path) { return path == "[vdso]" || path == "linux-vdso.so.1"; }

bool IsBuildId(std::string_view found, std::string_view wanted) {
  constexpr size_t kShortBytes = 16;  // what a Breakpad id keeps
  return wanted.empty() || found == wanted || (wanted.size() == kShortBytes && found.starts_with(wanted));
}

std::vector<std::string> DebugFileFinder::Settings(const std::string& path) const {
  // The version: another one may find more in the same files.
  std::vector<std::string> settings = {GECKOPROF_VERSION, path, Servers(places_), places_.debug_folder};
  settings.insert(settings.end(), places_.symbol_folders.begin(), places_.symbol_folders.end());
  return settings;
}

absl::StatusOr<std::unique_ptr<ElfImage>> DebugFileFinder::Open(const std::string& path) {
  NoteAsked(path);
  return ElfImage::Open(path);
}

std::string DebugFileFinder::Fetch(std::string_view build_id, DebuginfodClient::Kind kind) {
  std::string problem;
  std::string fetched = DebuginfodClient::Fetch(build_id, kind, &problem);
  if (!problem.empty()) problems_.push_back(std::move(problem));
  if (fetched.empty() && !Servers(places_).empty()) server_had_none_ = true;
  return fetched;
}

std::vector<std::string> DebugFileFinder::BuildIdPaths(std::string_view build_id, std::string_view suffix) const {
  std::vector<std::string> paths;
  if (build_id.size() < 2) return paths;
  const std::string hex = CodeId(build_id);
  for (const std::string& folder : places_.symbol_folders) {
    paths.push_back(Concat(folder, "/.build-id/", hex.substr(0, 2), "/", hex.substr(2), suffix));
    paths.push_back(Concat(folder, "/", hex, suffix));
  }
  paths.push_back(Concat(places_.debug_folder, "/.build-id/", hex.substr(0, 2), "/", hex.substr(2), suffix));
  return paths;
}

// Most candidates are not there, which is nothing to tell.
void DebugFileFinder::TellBroken(const absl::Status& status) {
  if (absl::IsNotFound(status) || absl::IsFailedPrecondition(status)) return;  // ENOENT, ENOTDIR
  problems_.push_back(Concat(std::string(status.message()), ": it is not used"));
}

std::unique_ptr<ElfImage> DebugFileFinder::OpenWithId(const std::string& path, std::string_view build_id) {
  absl::StatusOr<std::unique_ptr<ElfImage>> image = Open(path);
  if (!image.ok()) {
    TellBroken(image.status());
    return nullptr;
  }
  const std::string found = (*image)->BuildId();
  if (IsBuildId(found, build_id)) return *std::move(image);
  problems_.push_back(
      Concat(path, " belongs to another build (build id ", ShownId(found), ", wanted ", CodeId(build_id), ")"));
  return nullptr;
}

absl::StatusOr<std::unique_ptr<ElfImage>> DebugFileFinder::FindObject(const std::string& path,
                                                                      std::string_view build_id) {
  // A held file is asked first. If it was written to meanwhile, no other file is the recorded one either.
  absl::StatusOr<std::unique_ptr<ElfImage>> image = held_ != nullptr ? held_->Open()
                                                    : IsVdso(path)   ? ElfImage::OwnVdso()
                                                                     : Open(path);
  std::string found_id;
  if (image.ok()) {
    found_id = (*image)->BuildId();
    if (IsBuildId(found_id, build_id)) return image;
  }
  std::vector<std::string> candidates;
  for (const std::string& folder : places_.symbol_folders) {
    candidates.push_back(Concat(folder, "/", path));
    candidates.push_back(Concat(folder, "/", BaseName(path)));
  }
  // A debug file has the symbols and lines of the object that it was taken from.
  for (const std::string_view suffix : {"", ".debug"}) {
    for (std::string& candidate : BuildIdPaths(build_id, suffix)) candidates.push_back(std::move(candidate));
  }
  const size_t known_problems = problems_.size();
  for (const std::string& candidate : candidates) {
    if (candidate == path) continue;
    if (std::unique_ptr<ElfImage> other = OpenWithId(candidate, build_id)) {
      problems_.resize(known_problems);
      return other;
    }
  }
  if (places_.debuginfod && !build_id.empty() && !IsVdso(path)) {
    const std::string fetched = Fetch(build_id, DebuginfodClient::Kind::kExecutable);
    if (!fetched.empty()) {
      if (std::unique_ptr<ElfImage> other = OpenWithId(fetched, build_id)) return other;
    }
  }
  if (!image.ok()) return image.status();
  return absl::FailedPreconditionError(Concat(path, " is not the file that was recorded (build id ", ShownId(found_id),
                                              ", recorded ", CodeId(build_id), ")"));
}

std::unique_ptr<ElfImage> DebugFileFinder::FindDebugFile(const ElfImage& object, const std::string& path) {
  const std::string build_id = object.BuildId();
  const ElfImage::Link link = object.DebugLink();
  const bool has_link =
      !link.name.empty() && link.name.find('/') == std::string::npos && link.name != "." && link.name != "..";
  std::vector<std::string> candidates = BuildIdPaths(build_id, ".debug");
  if (has_link) {
    const std::string folder = FolderOfPath(path);
    for (const std::string& symbols : places_.symbol_folders) {
      candidates.push_back(Concat(symbols, folder.starts_with('/') ? "" : "/", folder, "/", link.name));
      candidates.push_back(Concat(symbols, "/", link.name));
    }
    for (const std::string& place : {folder, folder + "/.debug", places_.debug_folder + "/" + folder}) {
      candidates.push_back(Concat(place, "/", link.name));
    }
  }
  for (const std::string& candidate : candidates) {
    if (candidate == path || (build_id.empty() && !has_link)) continue;
    absl::StatusOr<std::unique_ptr<ElfImage>> image = Open(candidate);
    if (!image.ok()) {
      TellBroken(image.status());
      continue;
    }
    const std::string found = (*image)->BuildId();
    if (!build_id.empty() && !found.empty() && found != build_id) {
      problems_.push_back(Concat(candidate, " belongs to another build than ", path, " (build id ", CodeId(found),
                                 ", wanted ", CodeId(build_id), ")"));
    } else if (has_link && !(*image)->HasCrc(link.crc)) {
      problems_.push_back(Concat(candidate, " is not as ", path, " knows it (checksum differs): it is not used"));
    } else if (has_link || found == build_id) {
      return *std::move(image);
    } else {
      problems_.push_back(Concat(candidate, " has no build id: it is not used for ", path));
    }
  }
  if (!places_.debuginfod || build_id.empty()) return nullptr;
  const std::string fetched = Fetch(build_id, DebuginfodClient::Kind::kDebugInfo);
  return fetched.empty() ? nullptr : OpenWithId(fetched, build_id);
}

std::unique_ptr<ElfImage> DebugFileFinder::FindAlternate(const ElfImage& debug, const std::string& name,
                                                         std::string_view build_id) {
  std::vector<std::string> candidates = BuildIdPaths(build_id, ".debug");
  if (!name.empty()) {
    for (const std::string& folder : places_.symbol_folders) candidates.push_back(Concat(folder, "/", BaseName(name)));
    candidates.push_back(name.starts_with('/') ? name : Concat(FolderOfPath(debug.path()), "/", name));
  }
  for (const std::string& candidate : candidates) {
    if (std::unique_ptr<ElfImage> image = OpenWithId(candidate, build_id)) return image;
  }
  if (!places_.debuginfod) return nullptr;
  const std::string fetched = Fetch(build_id, DebuginfodClient::Kind::kDebugInfo);
  return fetched.empty() ? nullptr : OpenWithId(fetched, build_id);
}

std::vector<std::string> DebugFileFinder::SplitCandidates(const std::string& name,
                                                          const std::string& compilation_folder,
                                                          const std::string& object_path) const {
  std::vector<std::string> candidates;
  for (const std::string& folder : places_.symbol_folders) {
    candidates.push_back(Concat(folder, "/", name));
    candidates.push_back(Concat(folder, "/", BaseName(name)));
  }
  if (name.starts_with('/')) {
    candidates.push_back(name);
  } else if (!compilation_folder.empty()) {
    candidates.push_back(Concat(compilation_folder, "/", name));
  }
  candidates.push_back(Concat(FolderOfPath(object_path), "/", name));
  candidates.push_back(Concat(FolderOfPath(object_path), "/", BaseName(name)));
  return candidates;
}

}  // namespace geckoprof
