#ifndef GECKOPROF_TOOLS_OPTIONS_SOURCE_OPTIONS_H_
#define GECKOPROF_TOOLS_OPTIONS_SOURCE_OPTIONS_H_

#include <string>
#include <vector>

#include "tools/options/command_options.h"

namespace geckoprof {

// SourceOptions are the options that say where the source files of recorded programs are (SourcePaths).
struct SourceOptions {
  std::vector<std::string> folders, maps;

  void AddTo(CommandOptions* options);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_SOURCE_OPTIONS_H_
