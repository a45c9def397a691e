#ifndef GECKOPROF_TOOLS_RECORD_START_OPTIONS_H_
#define GECKOPROF_TOOLS_RECORD_START_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/config/start_features.h"
#include "geckoprof/config/start_parameters.h"
#include "tools/options/command_options.h"

namespace geckoprof {

// StartOptions: how a recording is to be made, for the commands that start one. The texts are empty where the option
// was not given.
struct StartOptions {
  std::string interval;      // ms, in range
  std::string max_overhead;  // a percentage, in range
  std::string features;      // known names
  std::string threads;       // within ThreadFilter's bounds
  std::string clock;         // a name of a SampleClock
  std::string duration;      // s
  uint64_t capacity_bytes = kDefaultCapacityBytes;
  bool capacity_given = false;
  bool no_arguments = false;

  // The features that may be given.
  uint32_t possible_features = kBaseFeatures | kHookFeatures;

  void AddTo(CommandOptions& options);
  // Called after the options were parsed. Returns what is wrong with a value, or an empty text.
  std::string Check();

  // The environment of a recorded process that says the same (docs/guides/environment.md).
  struct Variable {
    const char* name;
    std::string value;
  };
  std::vector<Variable> Variables() const;
  // Returns the variables as lines, with those of `inherited` that no option replaces.
  std::vector<std::string> Settings(const std::vector<std::string>& inherited) const;
  // Returns whether the option names one of these features. Without the option, GECKOPROF_STARTUP_FEATURES of the own
  // environment counts, which the program inherits.
  bool AsksFor(uint32_t wanted_features) const;

 private:
  std::string capacity_;  // as given
};

// Returns the names of features, joined by `separator`.
std::string FeatureNames(uint32_t features, const char* separator);
// Returns the features of the recorder among those that variables ask for, in lines as of StartOptions::Settings.
uint32_t RecorderFeatures(const std::vector<std::string>& settings);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_RECORD_START_OPTIONS_H_
