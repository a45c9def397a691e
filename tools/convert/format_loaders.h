// The formats of other profilers that `geckoprof convert` reads. Each one has a source of its own.
#ifndef GECKOPROF_TOOLS_CONVERT_FORMAT_LOADERS_H_
#define GECKOPROF_TOOLS_CONVERT_FORMAT_LOADERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Reads folded stacks, which have "main;run;hash 17" on each line, as the samples of one thread. Each line is a sample
// with the number as its weight. The format knows no times. A sample therefore comes as many ms after the one before as
// that weighs, and the viewer's time line has the right proportions. Empty lines and lines that begin with "# " are
// left out. An error names the line.
absl::StatusOr<ProfileModel> LoadFolded(std::string_view text);

// Returns whether the first line with content ends in a number.
bool LooksFolded(std::string_view text);

// Reads the text that `perf script` prints, with its default fields or more:
//
//   python3  4711/4712 [001]  1234.567891:     250000 cpu-clock:u:
//               7f31c2 _PyEval_EvalFrameDefault+0x1c2 (/usr/bin/python3.11)
//                 4010 main (inlined)
//             main.c:12
//
// The samples of one event are samples, one each whatever the period. The samples of other events are markers. `event`
// names the event, or PerfEvents chooses it. `notes` gets a line about the choice if there are several events, and a
// line if the periods differ and mean something.
//
// Times count from the smallest one. Without times (`-F -time`) samples are 1 ms apart. Without the field "pid"
// (`-F +pid`) all threads belong to one process. Periods of cpu-clock and task-clock are CPU ns. A line that fits
// nowhere is an error that names it.
absl::StatusOr<ProfileModel> LoadPerfScript(std::string_view text, std::string_view event = {},
                                            std::vector<std::string>* notes = nullptr);

// Returns whether the first line with content belongs to a sample.
bool LooksLikePerfScript(std::string_view text);

// Reads a profile.proto of pprof, unpacked. The labels "thread" and "tid", and the names that other writers give them,
// tell threads apart. `value` names the value of the samples, or PprofValues chooses it. `notes` gets a line about the
// choice if others are left out.
//
// A count is the weight, with the CPU times beside it. If there are only CPU times, a sample is a period, or 1 ms if
// the profile has no period. Otherwise the weight is in bytes or ms. The format adds samples up and knows no times. A
// sample therefore comes as long after the one before of its thread as that lasted.
//
// Hostile input: ids and string numbers are looked up, never trusted. The visited locations and the stack rows are
// limited.
absl::StatusOr<ProfileModel> LoadPprof(std::string_view bytes, std::string_view value = {},
                                       std::vector<std::string>* notes = nullptr);

// Returns whether the bytes begin as a message with a value type.
bool LooksLikePprof(std::string_view bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_FORMAT_LOADERS_H_
