#include "geckoprof/config/start_problem.h"

namespace geckoprof {

std::string_view StartVariableName(StartVariable variable) {
  switch (variable) {
    case StartVariable::kHelp:
      return "GECKOPROF_HELP";
    case StartVariable::kStartup:
      return "GECKOPROF_STARTUP";
    case StartVariable::kEntries:
      return "GECKOPROF_STARTUP_ENTRIES";
    case StartVariable::kDuration:
      return "GECKOPROF_STARTUP_DURATION";
    case StartVariable::kInterval:
      return "GECKOPROF_STARTUP_INTERVAL";
    case StartVariable::kFeatures:
      return "GECKOPROF_STARTUP_FEATURES";
    case StartVariable::kFeaturesBitfield:
      return "GECKOPROF_STARTUP_FEATURES_BITFIELD";
    case StartVariable::kFilters:
      return "GECKOPROF_STARTUP_FILTERS";
    case StartVariable::kClock:
      return "GECKOPROF_STARTUP_CLOCK";
    case StartVariable::kShutdown:
      return "GECKOPROF_SHUTDOWN";
    case StartVariable::kCommand:
      return "GECKOPROF_COMMAND";
    case StartVariable::kSessionDir:
      return "GECKOPROF_SESSION_DIR";
    case StartVariable::kExecTime:
      return "GECKOPROF_EXEC_TIME";
    case StartVariable::kSeccompFilters:
      return "GECKOPROF_SECCOMP_FILTERS";
    case StartVariable::kNoArguments:
      return "GECKOPROF_NO_ARGUMENTS";
    case StartVariable::kOther:
      break;
  }
  return "GECKOPROF_";
}

std::string_view StartProblemText(StartProblemKind kind) {
  switch (kind) {
    case StartProblemKind::kNotANumber:
      return "is not a number of the form asked for: the default is used";
    case StartProblemKind::kOutOfRange:
      return "is out of range: the nearest bound is used";
    case StartProblemKind::kUnknownName:
      return "names something unknown, which is ignored";
    case StartProblemKind::kTooLong:
      return "is too long: a filter is shortened, a path ignored";
    case StartProblemKind::kTooMany:
      return "has too many items: the rest is ignored";
    case StartProblemKind::kNotAbsolute:
      return "is not an absolute path and is ignored";
    case StartProblemKind::kUnknownVariable:
      return "is not a variable of this profiler";
    case StartProblemKind::kOverridden:
      break;
  }
  return "is ignored: another variable wins over it";
}

}  // namespace geckoprof
