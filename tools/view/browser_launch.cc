#include "tools/view/browser_launch.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "tools/support/output_file.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr const char* kOpeners[] = {"xdg-open", "sensible-browser", "x-www-browser"};

std::string VariableOrEmpty(const char* name) {
  const char* value = getenv(name);
  return value != nullptr ? value : "";
}

// Status of posix_spawnp.
int Spawn(const char* program, const std::string& page, const sigset_t& mask, pid_t* child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_setsigmask(&attributes, &mask);
  // A session of its own: Ctrl-C is for the server, and its end not the browser's.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  std::string program_text = program, page_text = page;
  char* arguments[] = {program_text.data(), page_text.data(), nullptr};
  const int error = posix_spawnp(child, program, &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

absl::StatusOr<BrowserPage> BrowserPage::MakeBelow(const std::string& parent, const std::string& html) {
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Make(parent, kPageFolderPrefix);
  if (!folder.ok()) return folder.status();
  BrowserPage page(*std::move(folder));
  absl::StatusOr<OutputFile> file = OutputFile::Create(page.path());
  if (!file.ok()) return file.status();
  if (absl::Status written = file->Write(html); !written.ok()) return written;
  if (absl::Status closed = file->Commit(); !closed.ok()) return closed;
  return page;
}

absl::StatusOr<BrowserPage> BrowserPage::Make(const std::string& url) {
  const std::string escaped = absl::StrReplaceAll(url, {{"&", "&amp;"}, {"\"", "&quot;"}, {"<", "&lt;"}});
  const std::string html = Concat("<!doctype html><meta charset=\"utf-8\"><title>geckoprof view</title>\n",
                                  "<meta http-equiv=\"refresh\" content=\"0; url=", escaped, "\">\n");
  absl::StatusOr<BrowserPage> page = absl::NotFoundError("there is no folder for temporary files");
  for (const std::string& parent : PrivateFolder::Parents()) {
    page = MakeBelow(parent, html);
    if (page.ok()) break;
  }
  return page;
}

BrowserPage::~BrowserPage() {
  std::error_code ignored;
  if (!folder_.path.empty()) std::filesystem::remove_all(folder_.path, ignored);
}

absl::StatusOr<pid_t> LaunchBrowser(const std::string& page, const sigset_t& mask) {
  pid_t child = 0;
  const std::string named = VariableOrEmpty("BROWSER");
  if (!named.empty()) {
    const std::string first = named.substr(0, named.find(':'));
    const int error = Spawn(first.c_str(), page, mask, &child);
    if (error != 0) return absl::NotFoundError(Concat("cannot start ", first, " (BROWSER): ", strerror(error)));
    return child;
  }
  if (VariableOrEmpty("DISPLAY").empty() && VariableOrEmpty("WAYLAND_DISPLAY").empty()) {
    return absl::NotFoundError("there is no display for a browser");
  }
  for (const char* opener : kOpeners) {
    if (Spawn(opener, page, mask, &child) == 0) return child;
  }
  return absl::NotFoundError("there is no xdg-open to start the browser with");
}

}  // namespace geckoprof
