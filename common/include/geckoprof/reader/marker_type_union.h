#ifndef GECKOPROF_READER_MARKER_TYPE_UNION_H_
#define GECKOPROF_READER_MARKER_TYPE_UNION_H_

#include <span>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// Unites the types of one name, because a profile has one schema for each name. Each library of a program and each
// process may have its own copy of a type, and the copies may differ.
//
//   A {x: integer}   A {x: string, y: url}   ->   both A {x: string, y: url}
//
// Each of them gets the fields of all, in order of their first appearance. Their values are written by this order. A
// key with several formats becomes a "string", which shows any value, and leaves the graphs. The profile has the first
// type with all else that it says. Types without a schema stay as they are. Threads: one. Context: allocates.
void UniteMarkerTypes(std::span<std::vector<MarkerTypeRow>* const> lists);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_TYPE_UNION_H_
