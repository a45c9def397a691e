// Runs real programs, bare and with the library preloaded, and keeps what they printed.
#ifndef GECKOPROF_TESTS_INTEGRATION_BASE_PROGRAM_RUN_H_
#define GECKOPROF_TESTS_INTEGRATION_BASE_PROGRAM_RUN_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace geckoprof {

using Strings = std::vector<std::string>;

struct ProgramOutput {
  int status = -1;  // exit status; 128 + signal; -1: it hung and was killed
  std::string out, err;
  pid_t pid = 0;
};

// Runs `command` with nothing but PATH and `environment` ("NAME=value") set, standard input empty, outputs to pipes.
// Kills it, and everything it started, after a minute.
ProgramOutput RunProgram(const Strings& command, const Strings& environment);

// Starts one with its outputs going nowhere.
pid_t StartProgram(const Strings& command, const Strings& environment);

// The variables that preload the library and start it, and the command that writes profiles at the end, with `more`
// behind them. Of a variable that comes twice the first counts.
Strings Recording(const Strings& more = {});

// The library, in a folder that any user of the machine may read.
const std::string& LibraryPath();

// The command geckoprof.
std::string CommandPath();

// A program or library of tests/scenarios.
std::string Scenario(const std::string& name);

// Ends this test program with the status that ctest counts as skipped, and says why on standard error.
[[noreturn]] void SkipAll(const std::string& why);

// From now on this process and its children see a /dev/shm of their own, empty. False if mounts are not permitted.
bool UsePrivateSharedMemory();

// What lies in the folders that processes without a session directory use.
Strings LeftInSharedMemory();

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_INTEGRATION_BASE_PROGRAM_RUN_H_
