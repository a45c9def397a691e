#ifndef GECKOPROF_READER_MARKER_TYPE_UNION_H_
#define GECKOPROF_READER_MARKER_TYPE_UNION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// MarkerTypeUnion unites the types of one name, because a profile has one schema for each name. Each library of a
// program and each process may have its own copy of a type, and the copies may differ.
//
//   A {x: integer}   A {x: string, y: url}   ->   both A {x: string, y: url}
//
// Each of them gets the fields of all, in order of their first appearance. Their values are written by this order. A
// key with several formats becomes a "string", which shows any value, and leaves the graphs. Each type keeps all else
// that it says. Types without a schema stay as they are. Memory: that of one type of each name. Threads: one. Context:
// allocates.
class MarkerTypeUnion {
 public:
  void Add(const std::vector<MarkerTypeRow>& types);
  // Types that were not added stay as they are.
  void ApplyTo(std::vector<MarkerTypeRow>& types) const;

 private:
  struct United {
    std::string name;
    std::vector<MarkerTypeField> fields;
    std::vector<std::string> mixed_keys;  // with several formats

    bool IsMixed(const std::string& key) const;
  };
  // Returns the place of the name, or the one that it would have.
  size_t PlaceOf(std::string_view name) const;

  std::vector<United> types_;  // in order of the names
};

// Unites the types of one list.
void UniteMarkerTypes(std::vector<MarkerTypeRow>& types);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_MARKER_TYPE_UNION_H_
