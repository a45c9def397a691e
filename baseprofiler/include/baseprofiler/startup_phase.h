// The phases of a program's start, for C++. c/geckoprof_startup.h has the rules.
//
//   profiler_startup_phase("read settings");      until the next phase
//   profiler_startup_phase("open window");
//   profiler_startup_phase_end();                 the start is over
//
//   AUTO_PROFILER_STARTUP_PHASE("load plugins");  the rest of the scope, whatever else goes on; any thread
#ifndef GECKOPROF_BASEPROFILER_STARTUP_PHASE_H_
#define GECKOPROF_BASEPROFILER_STARTUP_PHASE_H_

#include "baseprofiler/c/geckoprof_startup.h"
#include "baseprofiler/markers.h"

namespace geckoprof::markers {

// A phase of the program's start. The marker has the name of the phase.
struct StartupPhase : BaseMarkerType<StartupPhase> {
  static constexpr const char* Name = "StartupPhase";
  static constexpr const char* Description = "A phase of the program's start";
  static constexpr MarkerSchema::Location Locations[] = {MarkerSchema::Location::MarkerChart,
                                                         MarkerSchema::Location::MarkerTable,
                                                         MarkerSchema::Location::TimelineOverview};
};

}  // namespace geckoprof::markers

// `name` must stay valid until the phase ends.
inline void profiler_startup_phase(const char* name) { geckoprof_startup_phase(name); }
inline void profiler_startup_phase_end() { geckoprof_startup_phase(nullptr); }

#define AUTO_PROFILER_STARTUP_PHASE(name) AUTO_PROFILER_MARKER(name, OTHER, {}, ::geckoprof::markers::StartupPhase)

#endif  // GECKOPROF_BASEPROFILER_STARTUP_PHASE_H_
