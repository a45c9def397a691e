#ifndef GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_
#define GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "geckoprof/config/start_parameters.h"
#include "tools/processed_format/profile_output.h"

namespace geckoprof {

// RecordOptions: the command line of `geckoprof record`, checked. The texts are empty where the option was not given.
struct RecordOptions {
  std::string output;
  bool default_output = false;  // the name is ours
  std::string interval;         // ms, in range
  std::string features;         // known names
  std::string threads;          // within ThreadFilter's bounds
  std::string clock;            // a name of a SampleClock
  std::string duration;         // s
  uint64_t capacity_bytes = kDefaultCapacityBytes;
  bool capacity_given = false;
  OutputFormat format = OutputFormat::kProcessed;
  bool quiet = false;
  bool no_arguments = false;
  std::span<char* const> program;  // its name and arguments; what follows in memory is the null pointer of argv

  // args[0] is "record". Options end at "--" or at the program's name. Empty: go on; else the exit status, after help
  // on stdout (0) or one line on stderr (2).
  std::optional<int> Parse(std::span<char* const> args);

  // The words of `program` that may be recorded.
  std::span<char* const> RecordedWords() const { return no_arguments ? program.first(1) : program; }

 private:
  std::string Fault(const std::string& capacity, const std::string& format_name);
};

// "geckoprof-<program>-<local date and time>.json.gz" in the current folder.
std::string DefaultOutputName(const std::string& program);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_RECORD_OPTIONS_H_
