#ifndef GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_
#define GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/processed_format/profile_output.h"
#include "tools/record/capture_triggers.h"
#include "tools/record/start_options.h"

namespace geckoprof {

// RecordOptions: the command line of `geckoprof record`, checked. The texts are empty where the option was not given.
struct RecordOptions : StartOptions {
  std::string output;           // with the parts replaced that stand for host, rank and process
  bool default_output = false;  // the name is ours
  OutputFormat format = OutputFormat::kProcessed;
  bool quiet = false;
  pid_t pid = 0;          // the process that runs already; 0: `program` is to be started
  int64_t flight_ns = 0;  // the window of a flight recorder; 0: it is none
  std::vector<CaptureTrigger> triggers;
  std::string allocation_interval;                           // bytes
  std::string lock_threshold, loop_threshold, io_threshold;  // ms
  std::span<char* const> program;  // its name and arguments; what follows in memory is the null pointer of argv

  // args[0] is "record". Options end at "--" or at the program's name. Empty: go on; else the exit status, after help
  // on stdout (0) or one line on stderr (2).
  std::optional<int> Parse(std::span<char* const> args);

  // The environment of the program that says what hooks record.
  std::vector<Variable> HookVariables() const;

  // The words of `program` that may be recorded.
  std::span<char* const> RecordedWords() const { return no_arguments ? program.first(1) : program; }

 private:
  std::string Fault(const std::string& format_name, const std::string& pid_text);
  // An option of some features, and the variable by which hooks read it.
  struct HookOption {
    const char *name, *variable;
    uint32_t features;  // it serves each of them
    std::string_view value;
  };
  std::array<HookOption, 4> HookOptions() const;
  std::string HookFault();
  std::string FlightFault(const std::string& flight, const std::vector<std::string>& whens);
};

// "geckoprof-<program>-<local date and time>.json.gz" in the current folder.
std::string DefaultOutputName(const std::string& program);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_
