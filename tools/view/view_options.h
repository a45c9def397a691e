#ifndef GECKOPROF_TOOLS_VIEW_VIEW_OPTIONS_H_
#define GECKOPROF_TOOLS_VIEW_VIEW_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/options/command_options.h"

namespace geckoprof {

// ViewOptions: what the command line of `geckoprof view` says. Apart from the command, which is a program of its own,
// so that geckoprof itself knows them too.
struct ViewOptions {
  std::string file, front_end;
  int64_t port = 0;  // 0: the first that is free
  bool no_open = false, quiet = false;
  std::vector<std::string> symbol_folders;
  SourceOptions source_options;

  // As CommandOptions::Parse.
  std::optional<int> Parse(std::span<char* const> args);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_VIEW_OPTIONS_H_
