#include "tools/json/json_view.h"

#include <cmath>
#include <limits>

#include "tools/json/json_tree.h"

namespace geckoprof {

void JsonView::Read(const uint8_t* bytes) {
  const uint8_t tag = *bytes++;
  const auto integer = [this](int64_t number) {
    kind_ = Kind::kInteger;
    integer_ = number;
  };
  const auto view = [this](Kind kind, const uint8_t* first, uint32_t size) {
    kind_ = kind;
    bytes_ = first;
    size_ = size;
  };
  switch (static_cast<JsonTag>(tag)) {
    case JsonTag::kNull:
      kind_ = Kind::kNull;
      break;
    case JsonTag::kFalse:
      kind_ = Kind::kFalse;
      break;
    case JsonTag::kTrue:
      kind_ = Kind::kTrue;
      break;
    case JsonTag::kInt8:
      return integer(NumberAt<int8_t>(bytes));
    case JsonTag::kInt16:
      return integer(NumberAt<int16_t>(bytes));
    case JsonTag::kInt32:
      return integer(NumberAt<int32_t>(bytes));
    case JsonTag::kInt64:
      return integer(NumberAt<int64_t>(bytes));
    case JsonTag::kShortString:
      return view(Kind::kString, bytes + 1, *bytes);
    case JsonTag::kLongString:
      return view(Kind::kString, bytes + 4, NumberAt<uint32_t>(bytes));
    case JsonTag::kArray:
      return view(Kind::kNearArray, bytes + 2, bytes[1]);
    case JsonTag::kObject:
      return view(Kind::kObject, bytes + 2, bytes[1]);
    default:
      return ReadFar(tree_->Far(NumberAt<uint32_t>(bytes)));
  }
}

void JsonView::ReadFar(const uint8_t* far) {
  const auto kind_of = [](JsonTag tag) {
    switch (tag) {
      case JsonTag::kFarArray:
        return Kind::kFarArray;
      case JsonTag::kInt8Column:
        return Kind::kInt8Column;
      case JsonTag::kInt16Column:
        return Kind::kInt16Column;
      case JsonTag::kInt32Column:
        return Kind::kInt32Column;
      case JsonTag::kInt64Column:
        return Kind::kInt64Column;
      case JsonTag::kDoubleColumn:
        return Kind::kDoubleColumn;
      default:
        return Kind::kObject;
    }
  };
  kind_ = kind_of(static_cast<JsonTag>(*far));
  size_ = NumberAt<uint32_t>(far + 1);
  bytes_ = far + 5;
}

JsonView JsonView::OfInteger(int64_t integer) {
  JsonView view;
  view.kind_ = Kind::kInteger;
  view.integer_ = integer;
  return view;
}

JsonView JsonView::OfDouble(double number) {
  JsonView view;
  view.kind_ = std::isnan(number) ? Kind::kNull : Kind::kDouble;
  view.number_ = number;
  return view;
}

template <typename Number>
JsonView JsonView::IntegerAt(size_t index) const {
  const Number number = NumberAt<Number>(bytes_ + index * sizeof(Number));
  JsonView view = OfInteger(number);
  if (number == std::numeric_limits<Number>::min()) view.kind_ = Kind::kNull;
  return view;
}

JsonView JsonView::operator[](std::string_view key) const {
  if (!IsObject()) return JsonView();
  const uint8_t* at = bytes_;
  for (uint32_t i = 0; i < size_; ++i) {
    if (tree_->TakeKey(&at) == key) return JsonView(tree_, at);
    at = JsonTree::Skip(at);
  }
  return JsonView();
}

JsonView JsonView::At(size_t index) const {
  if (index >= size_) return JsonView();
  switch (kind_) {
    case Kind::kNearArray: {
      const uint8_t* at = bytes_;
      for (size_t i = 0; i < index; ++i) at = JsonTree::Skip(at);
      return JsonView(tree_, at);
    }
    case Kind::kFarArray:
      return JsonView(tree_, bytes_ + size_t{size_} * 4 + NumberAt<uint32_t>(bytes_ + index * 4));
    case Kind::kInt8Column:
      return IntegerAt<int8_t>(index);
    case Kind::kInt16Column:
      return IntegerAt<int16_t>(index);
    case Kind::kInt32Column:
      return IntegerAt<int32_t>(index);
    case Kind::kInt64Column:
      return IntegerAt<int64_t>(index);
    case Kind::kDoubleColumn:
      return OfDouble(NumberAt<double>(bytes_ + index * 8));
    default:
      return JsonView();
  }
}

std::optional<int64_t> JsonView::WholeNumber() const {
  // 2^63 itself does not fit; every double below it does.
  if (number_ != std::floor(number_) || number_ < -9223372036854775808.0 || number_ >= 9223372036854775808.0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number_);
}

std::string_view JsonView::TypeName() const {
  switch (kind_) {
    case Kind::kMissing:
      return "missing";
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
    case Kind::kTrue:
      return "boolean";
    case Kind::kInteger:
    case Kind::kDouble:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kObject:
      return "object";
    default:
      return "array";
  }
}

}  // namespace geckoprof
