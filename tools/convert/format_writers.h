// The formats that `geckoprof convert` writes. Each function has a source of its own.
#ifndef GECKOPROF_TOOLS_CONVERT_FORMAT_WRITERS_H_
#define GECKOPROF_TOOLS_CONVERT_FORMAT_WRITERS_H_

#include "tools/convert/exported_profile.h"
#include "tools/convert/format_output.h"
#include "tools/json/json_document.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Writes a model in the processed format. The model has been loaded with ProfileDetail::kFull, or made by a reader of
// another format. The model does not keep flags of scripts, native symbols, pages and phases of requests, so they are
// lost. Symbolication keeps them where there is a file that has them. `overheads` is the member "profilerOverhead" of
// the processed file that the model is from, of which the model has only sums.
void WriteModel(const ProfileModel& model, FormatOutput* output, JsonView overheads = {});

// Writes folded stacks, which flamegraph.pl reads. Each line has a thread, a call path from the outermost function on,
// and the number of samples.
//
//   worker;main;run;hash 17
//
// A line begins with the process if there are several. A ';' in a name becomes ':'.
void WriteFolded(ExportedProfile& profile, FormatOutput* output);

// Writes speedscope's own file format. Each thread with samples is one sampled profile, and the busiest one is shown
// first. A sample lasts for its weight times the interval, so that widths are samples and the axis is in ms. Without an
// interval, or if weights are bytes, the axis has the weights. Samples of a thread that did not run are a gap, which is
// a sample without frames. Consecutive samples with the same stack are one.
void WriteSpeedscope(ExportedProfile& profile, FormatOutput* output);

// Writes the Chrome trace event format (JSON), for Chrome's DevTools, Perfetto's viewer and speedscope.
//
//   names of processes and threads   M
//   samples                          P   "Profile" and "ProfileChunk" of V8's profiler, one profile a thread: nodes,
//                                        samples and time deltas. The older "stackFrames" and "samples" beside
//                                        "traceEvents" are read by nothing that is still maintained.
//   markers                          X where they nest, else b and e; i for instants; their data as args
//   counters                         C
//
// If a thread did not run, its samples are "(idle)". A sample lasts until the next one, as always in this format.
void WriteChromeTrace(ExportedProfile& profile, FormatOutput* output);

// Writes pprof's profile.proto, which `go tool pprof` opens. Samples are added up by thread and call path. Each sum has
// the number of samples and, if the file has CPU times, the CPU ns. The labels are "process", "pid", "thread" and
// "tid". Addresses count from a made-up start of each library.
void WritePprof(ExportedProfile& profile, FormatOutput* output);

// Writes OpenTelemetry's profiles as one ProfilesData message. The schema is opentelemetry.proto.profiles.v1development
// of opentelemetry-proto 1.11.0 (July 2026), which has one dictionary and stack tables. Versions before 1.8.0 differ.
//
// Each process is a resource with up to two profiles. One has the times of the samples, and their weights unless all
// are 1. The other one has the CPU ns by thread and call path, if the file has CPU times.
void WriteOtlp(ExportedProfile& profile, FormatOutput* output);

// Writes Perfetto's own trace format, as TracePackets of one sequence.
//
//   clock snapshot                          the date
//   track descriptors                       processes, threads, markers that overlap, counters
//   interned data                           names, libraries with build ids, frames with source and line, call stacks
//   PerfSample                              each sample that counts
//   TrackEvent                              markers, with their data as debug annotations; values of counters
//
// Times begin at one second, because a reader may take 0 for none. A sample that stands for several is repeated after
// each interval, if the thread has at most ten million of them.
void WritePerfetto(ExportedProfile& profile, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_FORMAT_WRITERS_H_
