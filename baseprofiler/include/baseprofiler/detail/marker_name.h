// The name of a marker. It belongs to the marker's site, or to the marker alone.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MARKER_NAME_H_

#include <string_view>
#include <type_traits>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_text.h"

namespace geckoprof::internal {

struct MarkerName {
  MarkerText text;
  bool is_own = true;             // the site has no name
  bool was_cut = false;           // a text of the marker was cut earlier
  const char* literal = nullptr;  // the name of the site, which may not have it yet; null: the site has it
};

// Several threads may be at the place, and each sets the same value.
template <typename Value>
void SetAtSite(Value*& member, std::remove_reference_t<Value>* value) {
  if (__atomic_load_n(&member, __ATOMIC_RELAXED) == nullptr) __atomic_store_n(&member, value, __ATOMIC_RELAXED);
}
// The site needs its name before it is first used.
inline void SetNameOfSite(geckoprof_marker_site& site, const MarkerName& name) {
  if (name.literal != nullptr) SetAtSite(site.name, name.literal);
}

// Returns a copy. A value that the compiler knows is made anew, since compilers do not take a copy apart.
__attribute__((always_inline)) inline MarkerName Copy(const MarkerName& name) {
  const bool is_of_site = !name.is_own && !name.was_cut;
  return __builtin_constant_p(is_of_site) && is_of_site ? MarkerName{{}, false, false, name.literal} : MarkerName(name);
}

// Returns whether an expression, spelled out by #, consists of string literals alone: "load" or "lo" "ad". It returns
// false for "load " + path, and for "a"[0] == 'a' ? "b" : "c", which is an array, too.
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

// `kIsLiteral`: the spelling is a literal, so the site may have it.
template <bool kIsLiteral, typename Name>
MarkerName NameOf(const Name& name) {
  static_assert(!std::is_null_pointer_v<Name>, "the name of a marker is a text, not a null pointer");
  static_assert(std::is_null_pointer_v<Name> || !kIsUtf16Text<Name>,
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
