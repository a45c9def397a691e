// The profile at the end of a process, as the command writes it, and what is left where it cannot.
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "geckoprof/reader/segment_reader.h"
#include "program_run.h"
#include "session_folder.h"

namespace geckoprof {
namespace {

constexpr char kEnding[] = PROGRAM_FOLDER "/ending_program";

std::string Contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool IsGeckoProfile(const std::string& text) {
  return text.starts_with("{") && text.ends_with("}") && Has(text, "\"threads\"");
}

// A folder that any user may write to, for profiles, commands and segments.
class Place {
 public:
  Place() { std::filesystem::permissions(folder_.path(), std::filesystem::perms::all); }
  const std::string& path() const { return folder_.path(); }
  std::string file(const std::string& name) const { return path() + "/" + name; }
  std::string Shutdown(const std::string& name) const { return "GECKOPROF_SHUTDOWN=" + file(name); }
  // The variable for a shell script that stands for the command. It comes before that of Recording. A script that does
  // not exit itself has written the profile.
  std::string Command(const std::string& script) const {
    const std::string command = file("command");
    std::ofstream(command) << "#!/bin/sh\nout=" << file("told") << "\n" << script << "\nexit 4\n";
    std::filesystem::permissions(command, std::filesystem::perms{0755});
    return "GECKOPROF_COMMAND=" + command;
  }
  std::string told() const { return Contents(file("told")); }
  ProcessProfile Read(const std::string& name) const {
    ProcessProfile profile;
    CHECK(ReadSegmentFile(file(name).c_str(), profile).status == SegmentReadStatus::kOk);
    return profile;
  }

 private:
  const SessionFolder folder_;
};

// The variables of Recording, but for the command's.
Strings RecordingWith(const Strings& first) {
  Strings all = first;
  for (const std::string& variable : Recording()) all.push_back(variable);
  return all;
}

bool SaysWhy(const ProcessProfile& profile, const std::string& why) {
  return std::any_of(profile.problems.begin(), profile.problems.end(), [&](const std::string& problem) {
    return Has(problem, "GECKOPROF_SHUTDOWN") && Has(problem, why);
  });
}

TEST_CASE("every normal end has its profile when the parent hears of it", "[shutdown_formats]") {
  for (const char* how : {"exit", "_exit", "quick_exit", "return", "small_stack", "limits"}) {
    INFO(how);
    const Place place;
    const ProgramOutput output = RunProgram({kEnding, how}, Recording({place.Shutdown("out-%p.json")}));
    CHECK(output.status == 3);
    CHECK((output.out.empty() && output.err.empty()));
    CHECK(IsGeckoProfile(Contents(place.file("out-" + std::to_string(output.pid) + ".json"))));
  }
}

TEST_CASE("the name chooses the format", "[shutdown_formats]") {
  const Place place;
  for (const char* name : {"out.json.gz", "out.json", "out"}) {
    CHECK(RunProgram({kEnding, "exit"}, Recording({place.Shutdown(name)})).status == 3);
  }
  CHECK(IsGeckoProfile(Contents(place.file("out.json"))));
  CHECK(IsGeckoProfile(Contents(place.file("out"))));
  CHECK(Contents(place.file("out.json.gz")).starts_with("\x1f\x8b"));
  const ProgramOutput unpacked = RunProgram({"gzip", "-dc", place.file("out.json.gz")}, {});
  CHECK(Has(unpacked.out, "\"preprocessedProfileVersion\""));
  CHECK(Has(unpacked.out, "WorkFor"));  // symbolicated
}

TEST_CASE("a program that execs another leaves the profile to it", "[shutdown_formats]") {
  const Place place;
  const ProgramOutput output = RunProgram({kEnding, "exec", "/bin/true"}, Recording({place.Shutdown("out.json")}));
  CHECK(output.status == 0);
  CHECK(Has(Contents(place.file("out.json")), "/bin/true"));
}

TEST_CASE("the program sees neither a child nor SIGCHLD of the command", "[shutdown_unseen]") {
  const Place place;
  for (int i = 0; i < 5; ++i) {
    const ProgramOutput output = RunProgram({kEnding, "children"}, Recording({place.Shutdown("out.json")}));
    CHECK(output.status == 3);
    CHECK(output.out == "0 children, 0 signals\n");
    CHECK(IsGeckoProfile(Contents(place.file("out.json"))));
  }
}

TEST_CASE("the command has its own session, environment and descriptors", "[shutdown_own]") {
  const Place place;
  const std::string command = place.Command(
      "{ cat /proc/$$/stat | cut -d' ' -f1,6; ls -l /proc/$$/fd; grep Sig /proc/self/status; env; } >$out 2>&1");
  const ProgramOutput output =
      RunProgram({"bash", "-c", "trap '' USR1; exec 7</etc/passwd; exit 4"},
                 RecordingWith({command, "HOME=/home/somebody", place.Shutdown("out.json"),
                                "GECKOPROF_STARTUP_INTERVAL=2", "GECKOPROF_SESSION_DIR=" + place.path()}));
  CHECK(output.status == 4);
  const std::string told = place.told();
  std::istringstream words(told);
  std::string pid, session;
  words >> pid >> session;
  CHECK(pid == session);
  CHECK(Has(told, "0 -> /dev/null"));
  CHECK(Has(told, ".segment"));
  CHECK_FALSE(Has(told, "/etc/passwd"));
  CHECK(Has(told, "SigBlk:\t0000000000000000"));
  CHECK(Has(told, "SigIgn:\t0000000000000000"));
  CHECK(Has(told, "HOME=/home/somebody"));
  CHECK(Has(told, "PATH=/usr/bin:/bin"));
  CHECK_FALSE(Has(told, "GECKOPROF_"));
  CHECK_FALSE(Has(told, "LD_PRELOAD"));
}

TEST_CASE("nobody waits longer than 10 s for the command, which goes on", "[shutdown_slow]") {
  const Place place;
  const std::string command = place.Command("sleep 12; echo done >$out");
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const ProgramOutput output = RunProgram(
      {kEnding, "exit"}, RecordingWith({command, place.Shutdown("out.json"), "GECKOPROF_SESSION_DIR=" + place.path()}));
  clock_gettime(CLOCK_MONOTONIC, &end);
  CHECK(output.status == 3);
  CHECK(end.tv_sec - begin.tv_sec >= 9);
  CHECK(end.tv_sec - begin.tv_sec <= 11);
  CHECK(place.told().empty());
  CHECK(SaysWhy(place.Read(std::to_string(output.pid) + "-0.segment"), "took longer"));
  CHECK_FALSE(std::filesystem::exists(place.file("out.json.segment")));
  for (int i = 0; i < 100 && place.told().empty(); ++i) usleep(100'000);
  CHECK(place.told() == "done\n");
}

TEST_CASE("where the command fails, the data is beside the file and recover makes the profile", "[shutdown_lost]") {
  const Place place;
  const auto check = [&](const std::string& command, const std::string& why) {
    INFO(why);
    const ProgramOutput output = RunProgram({kEnding, "exit"}, RecordingWith({command, place.Shutdown("out.json")}));
    CHECK(output.status == 3);
    CHECK((output.out.empty() && output.err.empty()));
    CHECK_FALSE(std::filesystem::exists(place.file("out.json")));
    const ProcessProfile profile = place.Read("out.json.segment");
    CHECK(profile.pid == output.pid);
    CHECK(CountSamples(profile) > 0);
    CHECK(SaysWhy(profile, why));
    std::filesystem::remove(place.file("out.json.segment"));
  };
  check("GECKOPROF_COMMAND=/no/such/command", "ENOENT");
  check("GECKOPROF_COMMAND=/etc/passwd", "EACCES");
  check(place.Command("exit 2"), "another version");
  check(place.Command("echo 0.0.1; exit 0"), "status 0");
  check(place.Command("echo '{' >&1; kill -9 $$"), "killed by signal 9");

  RunProgram({kEnding, "exit"}, RecordingWith({"GECKOPROF_COMMAND=/no/such/command", place.Shutdown("out.json")}));
  const ProgramOutput recovered =
      RunProgram({CommandPath(), "recover", place.file("out.json.segment"), "-o", place.file("made.json")}, {});
  CHECK(recovered.status == 0);
  CHECK(Has(recovered.err, "could not be started"));
  CHECK(Has(Contents(place.file("made.json")), "ending_program"));
}

TEST_CASE("a path that cannot be written changes nothing for the program, and the data is kept", "[shutdown_lost]") {
  const Place place;
  const ProgramOutput output =
      RunProgram({kEnding, "exit"},
                 Recording({"GECKOPROF_SHUTDOWN=/no/such/folder/out.json", "GECKOPROF_SESSION_DIR=" + place.path()}));
  CHECK(output.status == 3);
  CHECK((output.out.empty() && output.err.empty()));
  CHECK(SaysWhy(place.Read(std::to_string(output.pid) + "-0.segment"), "ENOENT"));
  const ProgramOutput recovered =
      RunProgram({CommandPath(), "recover", place.path(), "-o", place.file("made.json")}, {});
  CHECK(recovered.status == 0);
  CHECK(Has(recovered.err, "the file cannot be written: ENOENT"));
}

TEST_CASE("descriptors of the program, by whatever name", "[shutdown_places]") {
  const Place place;
  for (const char* name : {"/dev/fd/5", "/proc/self/fd/5", "/dev/stdout"}) {
    INFO(name);
    const std::string script = std::string("exec 5>") + place.file("five") + "; exec >&5; exec " + kEnding + " exit";
    CHECK(RunProgram({"bash", "-c", script}, Recording({std::string("GECKOPROF_SHUTDOWN=") + name})).status == 3);
    CHECK(IsGeckoProfile(Contents(place.file("five"))));
  }
  // A pipe: the test reads it to its end, which comes with the process's.
  const ProgramOutput output = RunProgram({kEnding, "exit"}, Recording({"GECKOPROF_SHUTDOWN=/dev/stdout"}));
  CHECK(output.status == 3);
  CHECK(IsGeckoProfile(output.out));
}

TEST_CASE("a place that cannot be written keeps the segment, with the reason", "[shutdown_places]") {
  const auto read = [](const std::string& file, const char* before) {
    const Place place;
    const std::string script = std::string(before) + "; exec " + kEnding + " exit";
    const Strings variables = {"GECKOPROF_SHUTDOWN=" + file, "GECKOPROF_SESSION_DIR=" + place.path()};
    const ProgramOutput output = RunProgram({"bash", "-c", script}, RecordingWith(variables));
    CHECK(output.status == 3);  // its segment comes after that of the shell
    const ProcessProfile profile = place.Read(std::to_string(output.pid) + "-1.segment");
    CHECK(CountSamples(profile) > 0);
    return profile;
  };
  CHECK(SaysWhy(read("/dev/full", ":"), "the file could not be written"));
  CHECK(SaysWhy(read("/dev/stdout", "exec >&-"), "ENOENT"));
  CHECK(SaysWhy(read("/dev/fd/3", "exec 3>&-"), "ENOENT"));
}

TEST_CASE("a reader that takes nothing does not hold up the program for long", "[shutdown_places]") {
  const Place place;
  REQUIRE(mkfifo(place.file("pipe").c_str(), 0600) == 0);
  const int reader = open(place.file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const ProgramOutput output = RunProgram({Scenario("busy_mix"), "1.5"}, Recording({place.Shutdown("pipe")}));
  clock_gettime(CLOCK_MONOTONIC, &end);
  close(reader);
  CHECK(output.status == 0);
  CHECK(end.tv_sec - begin.tv_sec < 8);
}

TEST_CASE("before a filter comes the profile is written", "[shutdown_filter]") {
  const Place place;
  const ProgramOutput output =
      RunProgram({Scenario("seccomp_filter"), "kill", "all"}, Recording({place.Shutdown("out.json")}));
  if (output.status == 77) SkipAll("seccomp filters are not permitted here");
  CHECK(output.status == 0);
  CHECK(output.out == "filter installed\nwork done\n");
  CHECK(IsGeckoProfile(Contents(place.file("out.json"))));
}

TEST_CASE("in another root folder the data is beside the file", "[shutdown_filter]") {
  const Place place;
  std::filesystem::create_directory(place.file("root"));
  const ProgramOutput output =
      RunProgram({kEnding, "chroot", place.file("root")}, Recording({"GECKOPROF_SHUTDOWN=/out.json"}));
  if (output.status == 77) SkipAll("chroot is not permitted here");
  CHECK(output.status == 3);
  CHECK(CountSamples(place.Read("root/out.json.segment")) > 0);
}

TEST_CASE("a segment that has no file is handed over", "[shutdown_unnamed]") {
  const Place place;
  if (!UsePrivateSharedMemory()) SkipAll("mounts are not permitted here");
  // Names that somebody else owns: neither folder will do.
  const std::string name = "/geckoprof-" + std::to_string(geteuid());
  std::ofstream("/dev/shm" + name) << "taken";
  REQUIRE(mount("none", "/tmp", "tmpfs", 0, "size=64m,mode=1777") == 0);
  std::ofstream("/tmp" + name) << "taken";
  const std::string target = "/dev/shm/out.json";
  std::filesystem::create_directory("/dev/shm/library");
  std::filesystem::copy_file(GECKOPROF_LIBRARY, "/dev/shm/library/libbaseprofiler.so");
  const ProgramOutput output =
      RunProgram({kEnding, "exit"}, {"LD_PRELOAD=/dev/shm/library/libbaseprofiler.so", "GECKOPROF_STARTUP=1",
                                     "GECKOPROF_COMMAND=" + CommandPath(), "GECKOPROF_SHUTDOWN=" + target});
  CHECK(output.status == 3);
  CHECK(IsGeckoProfile(Contents(target)));
  REQUIRE(umount("/tmp") == 0);
}

TEST_CASE("a program that has become another user writes as that user", "[shutdown_ids]") {
  const Place place;
  const ProgramOutput output = RunProgram({Scenario("setuid_drop"), "libc"}, Recording({place.Shutdown("out.json")}));
  if (output.status == 77) SkipAll("needs root");
  CHECK(output.status == 0);
  struct stat info = {};
  REQUIRE(stat(place.file("out.json").c_str(), &info) == 0);
  CHECK(info.st_uid == 65534);
  CHECK(IsGeckoProfile(Contents(place.file("out.json"))));
}

TEST_CASE("with changed ids no folder of PATH is looked in", "[shutdown_ids]") {
  const Place place;
  place.Command("echo called >$out");
  std::filesystem::rename(place.file("command"), place.file("geckoprof"));
  const Strings variables = {"LD_PRELOAD=" + LibraryPath(), "GECKOPROF_STARTUP=1",
                             "PATH=" + place.path() + ":/usr/bin:/bin", place.Shutdown("out.json")};
  const ProgramOutput output =
      RunProgram({"env", variables[0], variables[1], variables[2], variables[3], Scenario("setuid_drop"), "libc"}, {});
  if (output.status == 77) SkipAll("needs root");
  CHECK(output.status == 0);
  CHECK(place.told().empty());
  CHECK(SaysWhy(place.Read("out.json.segment"), "ENOENT"));
  // As the user that it began as it does find it there, also behind a folder whose file may not be executed.
  std::filesystem::create_directory(place.file("first"));
  std::ofstream(place.file("first/geckoprof")) << "not a program\n";
  const std::string path = "PATH=" + place.file("first") + ":" + place.path();
  RunProgram({"env", variables[0], variables[1], path, variables[3], kEnding, "exit"}, {});
  CHECK(place.told() == "called\n");
}

}  // namespace
}  // namespace geckoprof
