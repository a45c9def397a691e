// What was wrong with the environment variables that start the profiler. Nothing here stops the program: the profile
// shows it.
#ifndef GECKOPROF_CONFIG_START_PROBLEM_H_
#define GECKOPROF_CONFIG_START_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace geckoprof {

enum class StartVariable : uint8_t {
  kHelp,
  kStartup,
  kEntries,
  kDuration,
  kInterval,
  kFeatures,
  kFeaturesBitfield,
  kFilters,
  kShutdown,
  kCommand,
  kSessionDir,
  kExecTime,
  kSeccompFilters,
  kOther,  // GECKOPROF_ with a name that nobody knows
};
inline constexpr size_t kStartVariableCount = 13;  // without kOther

enum class StartProblemKind : uint8_t {
  kNotANumber,        // the default is used
  kOutOfRange,        // the nearest bound is used
  kUnknownName,       // the item is ignored
  kNeedsFullLibrary,  // the item is kept for the full library; base does nothing with it
  kTooLong,           // a filter: shortened; a path: ignored
  kTooMany,           // further items are ignored
  kNotAbsolute,       // the path is ignored
  kUnknownVariable,   // misspelt?
  kOverridden,        // another variable wins over this one
};

// One line of the list of problems. Trivially copyable.
struct StartProblem {
  static constexpr size_t kDetailBytes = 40;

  StartVariable variable = StartVariable::kOther;
  StartProblemKind kind = StartProblemKind::kNotANumber;
  char detail[kDetailBytes] = {};  // the value or the item in question, shortened to fit, zero terminated
};

// "GECKOPROF_STARTUP_INTERVAL"; "GECKOPROF_" for kOther.
std::string_view StartVariableName(StartVariable variable);

// "is not a number: the default is used", to be put behind the variable's name.
std::string_view StartProblemText(StartProblemKind kind);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_PROBLEM_H_
