#include "geckoprof/streaming/program_name.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("a program is called as it was called, by its file's name, or unknown") {
  ProcessProfile process;
  CHECK(ProgramName(process) == "unknown program");
  process.command_name = "true";
  CHECK(ProgramName(process) == "true");
  process.command_name.clear();
  process.arguments = {"/usr/bin/arranged", "-u"};
  CHECK(ProgramName(process) == "arranged");
  process.executable = "/usr/bin/sort";
  CHECK(ProgramName(process) == "arranged");
  process.arguments = {"-bash"};
  CHECK(ProgramName(process) == "bash");
  process.arguments = {"worker: serving /var/run/sock"};
  CHECK(ProgramName(process) == "worker: serving /var/run/sock");
  process.arguments = {"/opt/Our Programs/bin/server"};
  CHECK(ProgramName(process) == "server");
  process.arguments = {"/usr/sbin/watcher -c /etc/watcher.conf"};
  CHECK(ProgramName(process) == "watcher");
  process.arguments = {"/usr/lib/browser --type=renderer --dir=/tmp/scoped --x"};
  CHECK(ProgramName(process) == "browser");
  process.arguments = {"/proc/self/exe", "--type=zygote"};
  CHECK(ProgramName(process) == "sort");
  process.arguments = {"two words"};
  CHECK(ProgramName(process) == "two words");
  process.arguments = {""};
  CHECK(ProgramName(process) == "sort");
  process.executable = "/usr/bin/";
  process.arguments = {""};
  CHECK(ProgramName(process) == "unknown program");
  process.given_name = "worker 7";
  CHECK(ProgramName(process) == "worker 7");
}

}  // namespace
}  // namespace geckoprof
