// How what is given for a field lies in the payload.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_FIELD_KINDS_H_
#define GECKOPROF_BASEPROFILER_DETAIL_FIELD_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "baseprofiler/detail/schema_words.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

constexpr uint32_t ToKind(MS::InputType type) {
  switch (type) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
      return GECKOPROF_FIELD_UINT64;
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return GECKOPROF_FIELD_INT64;
    case MS::InputType::Double:
      return GECKOPROF_FIELD_DOUBLE;
    case MS::InputType::Boolean:
      return GECKOPROF_FIELD_BOOL;
    case MS::InputType::CString:
    case MS::InputType::String:
      return GECKOPROF_FIELD_STRING;
    case MS::InputType::TimeStamp:
      return GECKOPROF_FIELD_TIME;
    case MS::InputType::TimeDuration:
      return GECKOPROF_FIELD_NS;
    case MS::InputType::Flow:
      return GECKOPROF_FIELD_FLOW;
    case MS::InputType::StringList:
    case MS::InputType::Table:
      return GECKOPROF_FIELD_VALUE;
  }
  return GECKOPROF_FIELD_VALUE;
}

// One of a type's PayloadFields. By std::data: clang 14 does not know the size of a class template's array before
// somebody deduces it, and refuses an index.
template <typename Type>
constexpr const MS::PayloadField& FieldAt(size_t index) {
  return std::data(Type::PayloadFields)[index];
}

// The original gives ids of flows as numbers; in a profile they are texts.
constexpr MS::InputType InputOf(const MS::PayloadField& field) {
  const bool is_flow = field.Fmt == MS::Format::FlowId || field.Fmt == MS::Format::TerminatingFlowId;
  return is_flow && field.InputTy == MS::InputType::Uint64 ? MS::InputType::Flow : field.InputTy;
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_FIELD_KINDS_H_
