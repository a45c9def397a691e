// Names of output files, in which host, rank and process may stand.
#ifndef GECKOPROF_CONFIG_OUTPUT_NAME_H_
#define GECKOPROF_CONFIG_OUTPUT_NAME_H_

#include <cstdint>
#include <string_view>

#include "geckoprof/base/text_builder.h"

namespace geckoprof {

// Returns the number of this process in its parallel program, as Open MPI, MPICH, MVAPICH, PMIx, PALS, Flux or Slurm
// give it in a variable. It consists of at most nine digits. It is empty if there is no such variable.
// Context: early. `environment` may be null.
std::string_view FindRank(const char* const* environment);

// Appends a host's name. It has no character but letters, digits, '-', '_' and '.', and does not begin with '.'.
// Others become '_', so that the name is one part of a path, and never "." or "..".
void AppendHostName(std::string_view host, TextBuilder& out);

// Appends `name` with the name of this host for each "%h", the rank for "%r" and the process id for "%p". An empty
// rank is 0. Any other text stays, "%" included.
// Context: early, also signal context.
void ExpandOutputName(std::string_view name, std::string_view rank, int64_t pid, TextBuilder& out);

}  // namespace geckoprof

#endif  // GECKOPROF_CONFIG_OUTPUT_NAME_H_
