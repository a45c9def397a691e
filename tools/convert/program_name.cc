#include "tools/convert/program_name.h"

#include "geckoprof/streaming/gecko_text.h"

namespace geckoprof {

std::string_view ProgramName(const ProcessProfile& process) {
  const std::string_view name = PathBaseName(process.executable);
  return name.empty() ? "unknown program" : name;
}

}  // namespace geckoprof
