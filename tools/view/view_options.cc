#include "tools/view/view_options.h"

#include "tools/options/command_options.h"

namespace geckoprof {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  geckoprof view profile.json.gz\n"
    "  geckoprof view --front-end ~/profiler/dist profile.json.gz      # a build of the viewer: no network is needed\n"
    "  geckoprof view --no-open --port 7500 profile.json.gz            # with ssh -L 7500:127.0.0.1:7500 from "
    "elsewhere\n\n"
    "The page's address goes to standard output; the server ends by Ctrl-C (SIGINT, SIGTERM, SIGHUP). The profile "
    "does\n"
    "not leave this machine: the page asks the server on 127.0.0.1 for it. Source files are shown if the debug\n"
    "information of the profile's libraries names them; no other file is.\n";

}  // namespace

std::optional<int> ViewOptions::Parse(std::span<char* const> args) {
  CommandOptions options(
      "view", "Shows a profile in the Firefox Profiler, with symbols, source and assembly from here.", kExamples);
  options.Positional("FILE", &file, "Gecko or processed profile, .json or .json.gz");
  options.Text("--front-end", &front_end, "DIR",
               "serve the build of the viewer in DIR, too (default: https://profiler.firefox.com)");
  options.Number("--port", &port, 1, 65535, "N", "listen on this port (default: the first free one from 7373 on)");
  options.Flag("--no-open", &no_open, "do not start a browser");
  options.Texts("--symbol-dir", &symbol_folders, "DIR",
                "also look here for programs, libraries, debug files; may be given again");
  source_options.AddTo(&options);
  options.Flag("-q,--quiet", &quiet, "nothing but the address and errors");
  options.OfferOperands({ValueHint::Kind::kFiles, ProfileEndings()});
  for (const char* name : {"--front-end", "--symbol-dir"}) options.Offer(name, {ValueHint::Kind::kFolders});
  return options.Parse(args);
}

}  // namespace geckoprof
