// Problems with the environment variables that start the profiler. They never stop the program. The profile shows them.
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
  kClock,
  kShutdown,
  kCommand,
  kSessionDir,
  kExecTime,
  kSeccompFilters,
  kNoArguments,
  kOther,  // an unknown name that begins with GECKOPROF_
};
inline constexpr size_t kStartVariableCount = 15;  // without kOther

enum class StartProblemKind : uint8_t {
  kNotANumber,       // the default is used
  kOutOfRange,       // the nearest bound is used
  kUnknownName,      // the item is ignored
  kTooLong,          // a filter is shortened, a path is ignored
  kTooMany,          // further items are ignored
  kNotAbsolute,      // the path is ignored
  kUnknownVariable,  // the name may be misspelt
  kOverridden,       // another variable has precedence
};

// A row in the list of problems. It is trivially copyable.
struct StartProblem {
  static constexpr size_t kDetailBytes = 40;

  StartVariable variable = StartVariable::kOther;
  StartProblemKind kind = StartProblemKind::kNotANumber;
  char detail[kDetailBytes] = {};  // the value or item in question, shortened to fit, NUL terminated
};

// Returns the name, for example "GECKOPROF_STARTUP_INTERVAL". For kOther it returns "GECKOPROF_".
std::string_view StartVariableName(StartVariable variable);

// Returns a text to append to the variable's name, for example "is too long".
std::string_view StartProblemText(StartProblemKind kind);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_START_PROBLEM_H_
