// The last step of making a Gecko profile (docs/formats/gecko-output.md).
#ifndef GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
#define GECKOPROF_GECKO_JSON_GECKO_WRITER_H_

#include <cstddef>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// GeckoProcesses: the processes of a profile, the parent first. They are asked for one at a time, so that they need not
// be in memory together.
struct GeckoProcesses {
  size_t count = 0;
  // The result is valid until the next call. A later call may return more of the same process, but the categories of
  // the first one hold.
  const ProcessProfile& (*at)(const void* context, size_t process) = nullptr;
  const void* context = nullptr;
};

// GeckoHooks: what a caller adds to a profile, or wants to know while it is written. Functions may be null.
struct GeckoHooks {
  // The process has been written, in so many bytes of JSON. The parent's bytes do not include its children.
  void (*written)(void* context, size_t process, uint64_t bytes) = nullptr;
  // Add properties to the parent's entry of "profilingLog", and to the profile.
  void (*add_to_log)(void* context, JsonWriter& writer) = nullptr;
  void (*add_to_profile)(void* context, JsonWriter& writer) = nullptr;
  void* context = nullptr;
};

// Writes one raw Gecko profile without symbols. The first process is the parent, and the others are in its "processes".
// The output is streamed, and the time is linear in its size. Besides that, it uses a few words for each stack, frame
// and string of one thread. `product` is the name of the profile. If it is empty, the name is that of the first
// process's program. Indices out of range count as absent. The writer keeps a failure of the sink.
// REQUIRES: there is a process.
//
// Threads: one at a time. Context: cold code. It allocates with operator new, and otherwise uses only memory copies and
// raw system calls.
void WriteGeckoProfile(const GeckoProcesses& processes, JsonWriter& writer, std::string_view product = {},
                       const GeckoHooks& hooks = {});
// Writes the profile of one process.
void WriteGeckoProfile(const ProcessProfile& process, JsonWriter& writer);

// Returns the count of a row in the unit of its counter.
JsonNumber CounterCell(const CounterRow& counter, const CounterSample& sample);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_WRITER_H_
