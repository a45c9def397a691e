#include "geckoprof/streaming/program_name.h"

#include <algorithm>

#include "geckoprof/streaming/gecko_text.h"

namespace geckoprof {

namespace {

// A program may have written a title over its arguments ("nginx: master process /usr/sbin/nginx"): that is no path.
bool IsPath(std::string_view text) { return text.find(' ') >= text.find('/'); }

// A path over which its program has written all its arguments, as one text: no name ends before a '-' or '/'.
std::string_view WithoutArguments(std::string_view path) {
  return path.substr(0, std::min(path.find(" -"), path.find(" /")));
}

}  // namespace

std::string_view ProgramName(const ProcessProfile& process) {
  if (!process.given_name.empty()) return process.given_name;
  std::string_view name;
  // As it was called: one executable may be several programs (busybox, redis-server). A login shell's begins with '-'.
  if (!process.arguments.empty()) name = process.arguments.front();
  if (IsPath(name)) name = PathBaseName(WithoutArguments(name));
  if (name == "exe") name = {};  // /proc/self/exe
  if (name.starts_with('-')) name.remove_prefix(1);
  if (name.empty()) name = PathBaseName(process.executable);
  if (name.empty()) name = process.command_name;
  return name.empty() ? "unknown program" : name;
}

}  // namespace geckoprof
