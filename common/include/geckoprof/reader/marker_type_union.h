#ifndef GECKOPROF_READER_MARKER_TYPE_UNION_H_
#define GECKOPROF_READER_MARKER_TYPE_UNION_H_

#include <span>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Unites types of one name, since a profile has one schema a name: each library of a program may have its own copy of a
// type, two may have different ones, and so may two processes.
//
//   A {x: integer}   A {x: string, y: url}   ->   both A {x: string, y: url}
//
// All get the fields of all of them, in the order in which they come, by which their values are written; a key of
// several formats is a "string", which shows any value, and in no graph. Everything else is that of the first, which is
// the one that a profile has. Types without a schema stay as they are. Threads: one. Context: allocates.
void UniteMarkerTypes(std::span<std::vector<MarkerTypeRow>* const> lists);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_TYPE_UNION_H_
