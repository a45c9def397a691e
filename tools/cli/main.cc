#include "tools/cli/sub_commands.h"

int main(int argc, char** argv) {
  return geckoprof::RunSubCommand({argv, static_cast<size_t>(argc)}, geckoprof::SubCommandTable());
}
