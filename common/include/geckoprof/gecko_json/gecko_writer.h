// The last step of making a Gecko profile (docs/formats/gecko-output.md).
#ifndef GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_WRITER_H_

#include <span>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// The oldest version of the raw Gecko format that has everything we write. Firefox 153 writes it.
inline constexpr int kGeckoFormatVersion = 34;

// Writes `process` as one raw Gecko profile without symbols, with `children` in its "processes". The output is
// streamed, and the time is linear in its size. Besides that, it uses a few words for each stack, frame and string of
// one thread. `product` is the name of the profile. If it is empty, the name is that of the process's program. Indices
// out of range count as absent. The writer keeps a failure of the sink.
//
// Threads: one at a time. Context: cold code. It allocates with operator new, and otherwise uses only memory copies and
// raw system calls.
void WriteGeckoProfile(const ProcessProfile& process, std::span<const ProcessProfile* const> children,
                       JsonWriter& writer, std::string_view product = {});

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
