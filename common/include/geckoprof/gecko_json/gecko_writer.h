// The last step of making a Gecko profile: docs/formats/gecko-output.md.
#ifndef GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_WRITER_H_

#include <span>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// The oldest version of the raw Gecko format that has all we write; what Firefox 153 writes.
inline constexpr int kGeckoFormatVersion = 34;

// Writes `process` as one raw Gecko profile, unsymbolicated, with `children` in its "processes". Linear in the size of
// the output, which is streamed: what is held besides is a few words for each stack, frame and string of one thread.
// `product`: what the profile is called; empty: the process's program. Indices out of range are treated as absent.
// Failures of the sink are in the writer's latch. Threads: one at a time. Context: cold code; allocates with operator
// new, no libc calls but memory copies and raw system calls.
void WriteGeckoProfile(const ProcessProfile& process, std::span<const ProcessProfile* const> children,
                       JsonWriter& writer, std::string_view product = {});

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
