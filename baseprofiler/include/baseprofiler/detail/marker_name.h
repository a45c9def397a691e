// The name of a marker: its site's, or one of its own.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_

#include <string_view>
#include <type_traits>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

struct MarkerName {
  MarkerText text;
  bool is_own = true;    // not the site's
  bool was_cut = false;  // of the marker's texts some were, before
};

// `kBeginsAsLiteral`: the name's first letter is a quotation mark; it is a literal, so that the site may have it,
// unless something follows, as in "load " + path.
template <bool kBeginsAsLiteral, typename Name>
constexpr bool IsLiteral() {
  return kBeginsAsLiteral && std::is_array_v<Name>;
}
template <bool kBeginsAsLiteral, typename Name>
MarkerName NameAt(geckoprof_marker_site& site, const Name& name) {
  if constexpr (IsLiteral<kBeginsAsLiteral, Name>()) {
    if (site.name == nullptr) __atomic_store_n(&site.name, std::string_view(name).data(), __ATOMIC_RELAXED);
    return {{}, false};
  } else {
    return {MarkerText(name), true};
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_
