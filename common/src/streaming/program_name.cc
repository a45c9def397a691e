#include "geckoprof/streaming/program_name.h"

#include "geckoprof/streaming/gecko_text.h"

namespace geckoprof {

std::string_view ProgramName(const ProcessProfile& process) {
  std::string_view name = PathBaseName(process.executable);
  if (name.empty() && !process.arguments.empty()) name = PathBaseName(process.arguments.front());
  if (name.empty()) name = process.command_name;
  return name.empty() ? "unknown program" : name;
}

}  // namespace geckoprof
