#ifndef GECKOPROF_TOOLS_SYMBOLS_JITDUMP_READER_H_
#define GECKOPROF_TOOLS_SYMBOLS_JITDUMP_READER_H_

#include "geckoprof/base/fd.h"
#include "tools/symbols/code_timeline.h"

namespace geckoprof {

// Reads a jitdump file (the kernel's tools/perf/Documentation/jitdump-specification.txt), which node, Java, .NET,
// Julia, LLVM and wasmtime write for perf.
//
//   header        magic, version, size, machine, pid, time, flags
//   record        id, size, time | LOAD: address, size, number, name, machine code
//                                | MOVE: old address, new address, size, number
//                                | others are skipped
//
// Times are those of CLOCK_MONOTONIC, unless a flag says that they are of the processor's own clock. Then the order of
// the records alone counts, and the last code at an address wins for all times.
// Hostile bytes: only names are copied, up to a limit each. The records after one that cannot be are not read. They
// may have any order in time.

// Returns whether the file begins as one with the byte order of this machine.
bool IsJitdump(const Fd& file);
// Adds the functions of the file to `code`, which the caller builds. REQUIRES: IsJitdump.
void ReadJitdump(const Fd& file, CodeTimeline* code);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_JITDUMP_READER_H_
