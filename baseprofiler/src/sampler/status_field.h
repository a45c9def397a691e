#ifndef GECKOPROF_BASEPROFILER_SAMPLER_STATUS_FIELD_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_STATUS_FIELD_H_

#include <span>
#include <string_view>

namespace geckoprof {

// Reads one field of a status file of /proc (proc(5)), which may be longer than any fixed buffer. The line "Groups:"
// has all groups of the process. `key` is the text before the value, from the preceding newline on, as in
// "\nSigBlk:\t". Returns the part of `room` that has the value, up to the end of the line or of `room`. Returns an
// empty text if the file cannot be read or has no such field.
//
// Context: the system calls openat, read and close, and nothing else.
std::string_view ReadStatusField(const char* path, std::string_view key, std::span<char> room);

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_STATUS_FIELD_H_
