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
  bool is_own = true;             // not the site's
  bool was_cut = false;           // of the marker's texts some were, before
  const char* literal = nullptr;  // the site's that it may not have yet; null: it has
};

// Of several threads at the place at a time each sets the same.
template <typename Value>
void SetAtSite(Value*& member, std::type_identity_t<Value>* value) {
  if (__atomic_load_n(&member, __ATOMIC_RELAXED) == nullptr) __atomic_store_n(&member, value, __ATOMIC_RELAXED);
}
// Before the site is first used, which the quick ways leave to the others.
inline void SetNameOfSite(geckoprof_marker_site& site, const MarkerName& name) {
  if (name.literal != nullptr) SetAtSite(site.name, name.literal);
}

// A copy; what the compiler knows is made anew, since compilers do not take a copy apart.
__attribute__((always_inline)) inline MarkerName Copy(const MarkerName& name) {
  const bool is_of_site = !name.is_own && !name.was_cut;
  return __builtin_constant_p(is_of_site) && is_of_site ? MarkerName{{}, false, false, name.literal} : MarkerName(name);
}

// Whether an expression, spelled out by #, is nothing but string literals: "load", "lo" "ad"; not "load " + path, nor
// "a"[0] == 'a' ? "b" : "c", which is an array, too.
constexpr bool IsSpelledAsLiteral(const char* spelling) {
  if (*spelling != '"') return false;
  bool is_inside = false;
  for (; *spelling != '\0'; ++spelling) {
    if (*spelling == '"') {
      is_inside = !is_inside;
    } else if (!is_inside && *spelling != ' ') {
      return false;
    } else if (*spelling == '\\') {
      ++spelling;
    }
  }
  return true;
}

// `kIsLiteral`: by its spelling, so that the site may have it.
template <bool kIsLiteral, typename Name>
MarkerName NameOf(const Name& name) {
  static_assert(!std::is_null_pointer_v<Name>, "the name of a marker is a text, not a null pointer");
  static_assert(std::is_null_pointer_v<Name> || !std::is_convertible_v<const Name&, std::u16string_view>,
                "the name of a marker is UTF-8; texts of its payload may be UTF-16");
  if constexpr (kIsLiteral) {
    return {{}, false, false, std::string_view(name).data()};
  } else if constexpr (std::is_constructible_v<MarkerText, const Name&>) {
    return {MarkerText(name), true};
  } else {
    static_assert(
        std::is_constructible_v<MarkerText, const Name&>,
        "the name of a marker is a UTF-8 text: a literal, a const char*, a std::string or a std::string_view");
    return {};
  }
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_
