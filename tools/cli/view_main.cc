// The program geckoprof-view, which `geckoprof view` starts.
#include "tools/cli/sub_commands.h"
#include "tools/options/commands.h"

int main(int argc, char** argv) {
  constexpr geckoprof::SubCommand kTable[] = {
      {"view", "show a profile in the Firefox Profiler, with symbols, source and assembly", geckoprof::ViewMain,
       /*starts_programs=*/true}};
  return geckoprof::RunSubCommand({argv, static_cast<size_t>(argc)}, kTable);
}
