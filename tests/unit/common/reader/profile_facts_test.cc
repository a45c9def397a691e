#include "geckoprof/reader/profile_facts.h"

#include <catch2/catch.hpp>
#include <cstdint>

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

TEST_CASE("an idle run never reaches back over the row before") {
  SampleRow row;
  row.time_ns = 1'000;
  row.idle_ticks = UINT32_MAX;
  CHECK(IdleRows(row, 0) == 1);
  row.apart_ns = 100;
  CHECK(IdleRows(row, 500) == 5);
  CHECK(IdleRows(row, 999) == 1);
  CHECK(IdleRows(row, 1'000) == 1);
  row.idle_ticks = 3;
  CHECK(IdleRows(row, 0) == 3);
}

TEST_CASE("a pid of a later image is no pid") {
  ProcessProfile process;
  process.pid = 4'194'303;
  CHECK(OutputPid(process) == 4'194'303);
  process.image = 1;
  CHECK(OutputPid(process) == 14'194'303);
  process.pid_space = 2;
  CHECK(OutputPid(process) == 200'000'014'194'303);
  process.pid_space = 0;
  process.image = UINT32_MAX;
  CHECK(OutputPid(process) == int64_t{UINT32_MAX} * 10'000'000 + 4'194'303);
}

TEST_CASE("relative times end where an int64_t does") {
  CHECK(RelativeNs(5, 8) == -3);
  CHECK(RelativeNs(INT64_MAX, -1) == INT64_MAX);
  CHECK(RelativeNs(INT64_MIN, 1) == INT64_MIN);
  CHECK(RelativeNs(INT64_MAX, INT64_MIN) == INT64_MAX);
  CHECK(RelativeNs(INT64_MIN, INT64_MAX) == INT64_MIN);
  CHECK(RelativeNs(INT64_MIN, INT64_MIN) == 0);
}

TEST_CASE("marker fields: keys that the format has a meaning for are no field's") {
  for (const char* key : {"", "type", "stack", "cause"}) CHECK(IsReservedMarkerKey(key));
  for (const char* key : {"name", "types", "Cause"}) CHECK_FALSE(IsReservedMarkerKey(key));
}

TEST_CASE("the base name of a path is the part after the last slash") {
  CHECK(PathBaseName("/usr/lib/libc.so.6") == "libc.so.6");
  CHECK(PathBaseName("libc.so.6") == "libc.so.6");
  CHECK(PathBaseName("/usr/").empty());
  CHECK(PathBaseName("").empty());
}

TEST_CASE("a label says what a count counts") {
  CHECK(LossLabel("no-chunk") == "Lost: no-chunk");
  CHECK(LossLabel("signal-blocked") == "No stack: signal-blocked");
  CHECK(LossLabel("small-signal-stack") == "No stack: small-signal-stack");
  CHECK(LossLabel("traced") == "No stack: traced");
  CHECK(LossLabel("in-signal-handler") == "No stack: in-signal-handler");
  CHECK(LossLabel("signal-in-use") == "No stack: signal-in-use");
  CHECK(LossLabel("unreadable-stack") == "No stack: unreadable-stack");
  CHECK(LossLabel("answer-pending") == "Ticks without a request: answer-pending");
  CHECK(LossLabel("missed-tick") == "Ticks without a request: missed-tick");
  CHECK(LossLabel("of a later version") == "Lost: of a later version");
  for (const LossKind kind : kLossKinds) CHECK(LossPrefix(kind).ends_with(": "));
}

}  // namespace
}  // namespace geckoprof
