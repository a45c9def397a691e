// Markers whose fields are variables of the program.
//
//   PROFILER_MARKER_SIMPLE_PAYLOAD("Resized", GRAPHICS, width, height, is_final);
//   PROFILER_MARKER_SIMPLE_PAYLOAD_WITH_LABEL("Resized", GRAPHICS, "{marker.data.width} px", width, height);
//
// The fields have the names and the kinds of the variables: numbers, enumerations, bool, durations and texts. The name
// of the marker, a literal, is that of its type, too. So two places with one name must have the same variables. A place
// has 31 of them at most. While nothing is recorded, a macro costs a load and a branch.
//
// Threads: any. Context: not signal context at the first marker of a place, because a lock is taken.
#ifndef GECKOPROF_BASEPROFILER_SIMPLE_PAYLOAD_MARKER_H_
#define GECKOPROF_BASEPROFILER_SIMPLE_PAYLOAD_MARKER_H_

#include "baseprofiler/markers.h"

#if GECKOPROF_IS_ENABLED_

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "baseprofiler/c/geckoprof_markers.h"

namespace geckoprof::internal {

// The value of a variable, and how the viewer shows it.
template <typename Value>
geckoprof_value SimpleValue(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return SimpleValue(static_cast<std::underlying_type_t<Value>>(value));
  } else if constexpr (std::is_same_v<Value, bool>) {
    return geckoprof_bool(value ? 1 : 0);
  } else if constexpr (kIsDuration<Value>) {
    return geckoprof_duration_ns(TimeDuration(value).count());
  } else if constexpr (std::is_floating_point_v<Value>) {
    return geckoprof_double(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<Value> && std::is_signed_v<Value>) {
    return geckoprof_int64(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return geckoprof_uint64(value);
  } else {
    static_assert(kIsUtf8Text<Value>, "a simple payload has numbers, bool, durations and texts");
    const MarkerText text(value);
    return geckoprof_string_of(text.data(), text.size());
  }
}

inline const char* SimpleFormat(uint32_t kind) {
  switch (kind) {
    case GECKOPROF_FIELD_DOUBLE:
      return "decimal";
    case GECKOPROF_FIELD_NS:
      return "duration";
    case GECKOPROF_FIELD_BOOL:
    case GECKOPROF_FIELD_STRING:
      return "string";
    default:
      return "integer";
  }
}

// Declares the site of a place. `names` is the text of the macro's arguments. Commas within brackets do not end a name.
inline geckoprof_site* DeclareSimple(geckoprof_site** place, const char* marker, uint32_t category, const char* label,
                                     std::string_view names, const geckoprof_value* values, uint32_t count) {
  char keys[1024];
  if (names.size() >= sizeof(keys) || count > GECKOPROF_MOST_FIELDS) return nullptr;
  geckoprof_marker_field fields[GECKOPROF_MOST_FIELDS] = {};
  memcpy(keys, names.data(), names.size());
  keys[names.size()] = '\0';
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    while (keys[at] == ' ') ++at;
    fields[i].key = keys + at;
    fields[i].format = SimpleFormat(values[i].kind);
    fields[i].kind = values[i].kind;
    for (int depth = 0; keys[at] != '\0' && (keys[at] != ',' || depth > 0); ++at) {
      if (strchr("([{", keys[at]) != nullptr) ++depth;
      if (strchr(")]}", keys[at]) != nullptr) --depth;
    }
    if (keys[at] != '\0') keys[at++] = '\0';
  }
  geckoprof_marker_type description = {};
  description.size_bytes = sizeof(description);
  description.name = marker;
  description.table_label = label;
  description.fields = fields;
  description.field_count = count;
  geckoprof_type* const type = geckoprof_base_declare_type(nullptr, &description);
  return type == nullptr ? nullptr : geckoprof_base_declare_site(place, marker, category, type);
}

template <typename... Values>
void AddSimple(geckoprof_site** place, const char* name, uint32_t category, const char* label, std::string_view names,
               const Values&... given) {
  const geckoprof_value values[] = {SimpleValue(given)...};
  constexpr uint32_t kCount = sizeof...(Values);
  static_assert(kCount <= GECKOPROF_MOST_FIELDS, "too many variables");
  geckoprof_site* site = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (site == nullptr) site = DeclareSimple(place, name, category, label, names, values, kCount);
  const geckoprof_marker_options options = geckoprof_instant();
  (void)geckoprof_base_mark(site, &options, values, kCount);  // a null site is counted
}

}  // namespace geckoprof::internal

#define PROFILER_MARKER_SIMPLE_PAYLOAD(name, category, ...) \
  PROFILER_MARKER_SIMPLE_PAYLOAD_WITH_LABEL(name, category, nullptr, __VA_ARGS__)
// `label` is what the viewer's marker table shows.
#define PROFILER_MARKER_SIMPLE_PAYLOAD_WITH_LABEL(name, category, label, ...)                                      \
  do {                                                                                                             \
    if (geckoprof_base_wants_markers() != 0) {                                                                     \
      static geckoprof_place_ geckoprof_place_of_mark;                                                             \
      ::geckoprof::internal::AddSimple(&geckoprof_place_of_mark.site, "" name, GECKOPROF_CATEGORY_PAIR_(category), \
                                       label, #__VA_ARGS__, __VA_ARGS__);                                          \
    }                                                                                                              \
  } while (false)

#else

#define PROFILER_MARKER_SIMPLE_PAYLOAD(name, category, ...) GECKOPROF_NOTHING_
#define PROFILER_MARKER_SIMPLE_PAYLOAD_WITH_LABEL(name, category, label, ...) GECKOPROF_NOTHING_

#endif  // GECKOPROF_IS_ENABLED_

#endif  // GECKOPROF_BASEPROFILER_SIMPLE_PAYLOAD_MARKER_H_
