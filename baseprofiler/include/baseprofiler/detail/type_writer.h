// Whether a marker type has a StreamJSONMarkerData that writes its fields.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_TYPE_WRITER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_TYPE_WRITER_H_

#include <type_traits>

namespace geckoprof::internal {

// A type that writes itself, though it has fields.
template <typename Type>
concept WritesFields = requires {
  Type::Name;
  &Type::StreamJSONMarkerData;
};

// Whether there is anything of that name, a template or several functions as well: it clashes with the one beside it.
struct BesideType {
  static void StreamJSONMarkerData();
};
template <typename Type>
struct WithBesideType : Type, BesideType {};
template <typename Type>
concept HasWritingName = !std::is_final_v<Type> && !requires {
  &WithBesideType<Type>::StreamJSONMarkerData;
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_TYPE_WRITER_H_
