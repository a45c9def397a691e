#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "geckoprof/gecko_json/format_versions.h"
#include "tools/http/http_server.h"
#include "tools/json/json_document.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/profile/profile_model.h"
#include "tools/support/standard_output.h"
#include "tools/symbols/source_paths.h"
#include "tools/text/concat.h"
#include "tools/text/errno_status.h"
#include "tools/text/terminal_text.h"
#include "tools/view/browser_launch.h"
#include "tools/view/end_signals.h"
#include "tools/view/front_end_files.h"
#include "tools/view/profile_libraries.h"
#include "tools/view/symbol_api.h"
#include "tools/view/view_address.h"
#include "tools/view/view_options.h"
#include "tools/view/view_requests.h"

namespace geckoprof {
namespace {

constexpr int kFirstPort = 7373, kPortsTried = 100;
constexpr int64_t kEndWaitMs = 2000;

int Fail(std::string_view what) {
  fprintf(stderr, "geckoprof view: %s\n", CleanText(what).c_str());
  return 1;
}

bool IsFolder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void Tell(std::string_view what) { fprintf(stderr, "geckoprof: %s\n", CleanText(what).c_str()); }

// The file as it is served; it stays the one that was opened, whatever takes its name later.
absl::StatusOr<ServedProfile> OpenProfile(const std::string& path) {
  if (path == "-") {
    return absl::InvalidArgumentError("standard input cannot be served: the viewer needs a file, which it loads again");
  }
  ServedProfile profile;
  profile.fd = std::make_shared<const Fd>(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!profile.fd->ok() || fstat(profile.fd->number(), &status) != 0) return ErrnoStatus(errno, "cannot be opened");
  if (!S_ISREG(status.st_mode))
    return absl::InvalidArgumentError("is not a regular file, which the viewer could load again");
  profile.size_bytes = static_cast<uint64_t>(status.st_size);
  unsigned char magic[2] = {};
  profile.is_gzip = pread(profile.fd->number(), magic, sizeof(magic), 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  return profile;
}

// Its libraries; an error says why it is no profile. One that is broken inside is a matter for the viewer, which may
// show what it can, and for a warning.
absl::StatusOr<ProfileLibraries> ReadLibraries(const std::string& path, bool quiet) {
  absl::StatusOr<std::string> text = ReadProfileFile(path);
  if (!text.ok()) return text.status();
  const absl::StatusOr<JsonDocument> document = ParseProfile(*std::move(text));
  if (!document.ok()) return document.status();
  const JsonView profile = ProfileRoot(*document), meta = profile["meta"];
  if ((!meta["version"].IsNumber() && !meta["preprocessedProfileVersion"].IsNumber()) ||
      !profile["threads"].IsArray()) {
    return absl::InvalidArgumentError(kNoProfile);
  }
  const bool is_processed = FormatOf(profile) == ProfileFormat::kProcessed;
  const JsonView version = meta[is_processed ? "preprocessedProfileVersion" : "version"];
  const int64_t newest = is_processed ? ProcessedVersion::kNewest : GeckoVersion::kNewest;
  if (const std::optional<int64_t> number = version.AsInteger(); !number || *number < 0 || *number > newest) {
    return absl::InvalidArgumentError(Concat("is of a ", is_processed ? "processed" : "Gecko",
                                             " format version that is not known; the newest is ", newest));
  }
  if (quiet) return ProfileLibraries(profile);
  if (const absl::Status status = LoadProfile(*document).status(); !status.ok()) {
    Tell(Concat("warning: ", path, ": ", std::string(status.message()), ": the viewer may fail"));
  }
  return ProfileLibraries(profile);
}

absl::StatusOr<std::unique_ptr<HttpServer>> ListenSomewhere(int64_t port) {
  if (port != 0) return HttpServer::Listen(static_cast<int>(port));
  for (int i = 0; i < kPortsTried; ++i) {
    absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Listen(kFirstPort + i);
    if (server.ok() || !absl::IsAlreadyExists(server.status())) return server;
  }
  return HttpServer::Listen(0);
}

// Returns the browser's process, or 0 if there is none.
pid_t OpenPage(const absl::StatusOr<BrowserPage>& page, const EndSignals& signals) {
  const absl::StatusOr<pid_t> child =
      page.ok() ? LaunchBrowser(page->path(), signals.mask_before()) : absl::StatusOr<pid_t>(page.status());
  if (child.ok()) return *child;
  Tell(Concat(std::string(child.status().message()), "; open the address above yourself"));
  return 0;
}

int Serve(const ViewOptions& request, ServedProfile profile, std::optional<FrontEndFiles> front_end,
          ProfileLibraries libraries, SourcePaths sources) {
  absl::StatusOr<std::string> token = MakeToken();
  if (!token.ok()) return Fail(std::string(token.status().message()));
  const EndSignals signals;  // before the server's threads
  absl::StatusOr<std::unique_ptr<HttpServer>> server = ListenSomewhere(request.port);
  if (!server.ok()) return Fail(std::string(server.status().message()));
  const ViewAddress address{(*server)->port(), *std::move(token), ServedName(request.file, profile.is_gzip),
                            front_end.has_value()};
  SymbolPlaces places;
  places.symbol_folders = request.symbol_folders;
  auto api =
      std::make_unique<SymbolApi>(std::move(libraries), places, std::move(sources), [&](const std::string& problem) {
        if (!request.quiet) Tell(Concat("warning: ", problem));
      });
  const ViewRequests requests(address, std::move(profile), std::move(front_end), api.get(),
                              [](const std::string& problem) { Tell(problem); });
  (*server)->Start([&](const HttpRequest& http) { return requests.Answer(http); });

  // Without it nobody can ask for anything.
  PrintStandardOutput(Concat(address.PageUrl(), "\n"));
  if (!FinishStandardOutput()) return Fail(Concat("cannot write the address: ", std::string(strerror(errno))));
  if (!request.quiet) Tell(Concat("serving ", request.file, " on 127.0.0.1:", address.port, " until Ctrl-C"));
  std::optional<absl::StatusOr<BrowserPage>> page;
  pid_t browser = 0;
  if (!request.no_open) {
    page = BrowserPage::Make(address.PageUrl());
    browser = OpenPage(*page, signals);
  }
  signals.Wait([&](pid_t child, int status) {
    if (child == browser && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
      Tell("the browser could not be started; open the address above yourself");
    }
  });
  // There is nothing to be saved, so nobody waits for a large library's index.
  page.reset();
  if (!(*server)->Stop(kEndWaitMs)) _exit(0);
  return 0;
}

}  // namespace

int ViewMain(std::span<char* const> args) {
  ViewOptions request;
  if (const std::optional<int> status = request.Parse(args)) return *status;

  for (const std::string& folder : request.symbol_folders) {
    if (!IsFolder(folder)) {
      Fail(Concat("--symbol-dir: ", folder, " is no folder"));
      return 2;
    }
  }
  SourcePaths sources;
  if (const absl::Status status = sources.Add(request.source_options.folders, request.source_options.maps);
      !status.ok()) {
    Fail(std::string(status.message()));
    return 2;
  }
  std::optional<FrontEndFiles> front_end;
  if (!request.front_end.empty()) {
    absl::StatusOr<FrontEndFiles> files = FrontEndFiles::Open(request.front_end);
    if (!files.ok()) {
      Fail(Concat("--front-end: ", std::string(files.status().message())));
      return 2;
    }
    front_end = *std::move(files);
  }
  absl::StatusOr<ServedProfile> profile = OpenProfile(request.file);
  if (!profile.ok()) return Fail(Concat(request.file, ": ", std::string(profile.status().message())));
  absl::StatusOr<ProfileLibraries> libraries = ReadLibraries(request.file, request.quiet);
  if (!libraries.ok()) return Fail(Concat(request.file, ": ", std::string(libraries.status().message())));
  return Serve(request, *std::move(profile), std::move(front_end), *std::move(libraries), std::move(sources));
}

}  // namespace geckoprof
