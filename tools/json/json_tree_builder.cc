#include "tools/json/json_tree_builder.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace geckoprof {
namespace {

constexpr int64_t kMostExact = int64_t{1} << 53;  // up to here a double has every whole number

template <typename Number>
bool Fits(int64_t value) {
  return value >= std::numeric_limits<Number>::min() && value <= std::numeric_limits<Number>::max();
}

// The number that begins at `value`; nothing for what is no whole number.
std::optional<int64_t> IntegerOf(const uint8_t* value) {
  const uint8_t tag = *value++;
  if (tag >= static_cast<uint8_t>(JsonTag::kSmallInt)) return tag - static_cast<uint8_t>(JsonTag::kSmallInt);
  switch (static_cast<JsonTag>(tag)) {
    case JsonTag::kInt8:
      return NumberAt<int8_t>(value);
    case JsonTag::kInt16:
      return NumberAt<int16_t>(value);
    case JsonTag::kInt32:
      return NumberAt<int32_t>(value);
    case JsonTag::kInt64:
      return NumberAt<int64_t>(value);
    default:
      return std::nullopt;
  }
}

// The narrowest column that has all the values and a number left for null; kFarArray: there is none.
JsonTag ColumnFor(const uint8_t* value, size_t count) {
  int64_t least = 0, most = 0;
  bool has_double = false;
  for (size_t i = 0; i < count; ++i, value = JsonTree::Skip(value)) {
    if (const std::optional<int64_t> integer = IntegerOf(value)) {
      least = std::min(least, *integer);
      most = std::max(most, *integer);
    } else if (static_cast<JsonTag>(*value) == JsonTag::kDouble) {
      has_double = true;
    } else if (static_cast<JsonTag>(*value) != JsonTag::kNull) {
      return JsonTag::kFarArray;
    }
  }
  if (has_double) return least >= -kMostExact && most <= kMostExact ? JsonTag::kDoubleColumn : JsonTag::kFarArray;
  const auto fits = [&](auto null) { return least > null && Fits<decltype(null)>(most); };
  if (fits(std::numeric_limits<int8_t>::min())) return JsonTag::kInt8Column;
  if (fits(std::numeric_limits<int16_t>::min())) return JsonTag::kInt16Column;
  if (fits(std::numeric_limits<int32_t>::min())) return JsonTag::kInt32Column;
  return least > INT64_MIN ? JsonTag::kInt64Column : JsonTag::kFarArray;
}

}  // namespace

void JsonTreeBuilder::WideInteger(int64_t value) {
  if (Fits<int8_t>(value)) {
    PutTagged(JsonTag::kInt8, &value, 1);  // little-endian: the low bytes come first
  } else if (Fits<int16_t>(value)) {
    PutTagged(JsonTag::kInt16, &value, 2);
  } else if (Fits<int32_t>(value)) {
    PutTagged(JsonTag::kInt32, &value, 4);
  } else {
    PutTagged(JsonTag::kInt64, &value, 8);
  }
}

void JsonTreeBuilder::String(std::string_view text) {
  if (text.size() <= UINT8_MAX) {
    const uint8_t length = static_cast<uint8_t>(text.size());
    PutTagged(JsonTag::kShortString, &length, sizeof length);
  } else {
    const uint32_t length = static_cast<uint32_t>(text.size());
    PutTagged(JsonTag::kLongString, &length, sizeof length);
  }
  stack_.Append(text.data(), text.size());
}

// Objects of a kind have their keys in the same order, so the key after the last is most often the one that came after
// it before.
uint32_t JsonTreeBuilder::NumberOfKey(std::string_view name) {
  const uint32_t guess = followers_[last_key_];
  if (guess != 0 && tree_->keys_[guess - 1] == name) return last_key_ = guess;
  const auto known = key_numbers_.find(name);
  uint32_t number = 0;
  if (known != key_numbers_.end()) {
    number = known->second;
  } else if (tree_->keys_.size() < kMaxKeys && name.size() <= kMaxKeyBytes) {
    tree_->keys_.emplace_back(name);
    number = static_cast<uint32_t>(tree_->keys_.size());
    key_numbers_.emplace(tree_->keys_.back(), number);
    followers_.push_back(0);
  }
  followers_[last_key_] = number;
  return last_key_ = number;
}

void JsonTreeBuilder::Key(std::string_view name) {
  uint32_t number = NumberOfKey(name);
  if (number == 0) {
    stack_.AppendByte(0);
    return String(name);
  }
  for (; number >= 0x80; number >>= 7) stack_.AppendByte(static_cast<uint8_t>(number | 0x80));
  stack_.AppendByte(static_cast<uint8_t>(number));
}

bool JsonTreeBuilder::EndContainer(JsonTag near, JsonTag far, size_t count) {
  const size_t start = starts_.back(), first = start + 3, bytes = stack_.size() - first;
  starts_.pop_back();
  if (bytes <= UINT8_MAX && count <= UINT8_MAX) {
    uint8_t* const header = stack_.data() + start;
    header[0] = static_cast<uint8_t>(near);
    header[1] = static_cast<uint8_t>(bytes);
    header[2] = static_cast<uint8_t>(count);
    return true;
  }
  if (tree_->bytes_.size() > UINT32_MAX) return false;
  const uint32_t position = static_cast<uint32_t>(tree_->bytes_.size());
  MoveFar(far, first, count);
  stack_.Truncate(start);
  PutTagged(JsonTag::kFar, &position, sizeof position);
  return true;
}

void JsonTreeBuilder::AppendHeader(JsonTag tag, size_t count) {
  tree_->bytes_.AppendByte(static_cast<uint8_t>(tag));
  tree_->bytes_.AppendNumber(static_cast<uint32_t>(count));
}

void JsonTreeBuilder::MoveFar(JsonTag far, size_t first, size_t count) {
  const uint8_t* const values = stack_.data() + first;
  const JsonTag tag = far == JsonTag::kFarArray ? ColumnFor(values, count) : far;
  AppendHeader(tag, count);
  switch (tag) {
    case JsonTag::kInt8Column:
      return AppendColumn<int8_t>(INT8_MIN, values, count);
    case JsonTag::kInt16Column:
      return AppendColumn<int16_t>(INT16_MIN, values, count);
    case JsonTag::kInt32Column:
      return AppendColumn<int32_t>(INT32_MIN, values, count);
    case JsonTag::kInt64Column:
      return AppendColumn<int64_t>(INT64_MIN, values, count);
    case JsonTag::kDoubleColumn:
      return AppendColumn<double>(std::numeric_limits<double>::quiet_NaN(), values, count);
    case JsonTag::kFarArray:
      AppendStarts(values, count);
      break;
    default:
      break;
  }
  tree_->bytes_.Append(values, stack_.size() - first);
}

// REQUIRES: the values take less than 4 GiB.
void JsonTreeBuilder::AppendStarts(const uint8_t* first, size_t count) {
  uint8_t* starts = tree_->bytes_.Extend(count * sizeof(uint32_t));
  const uint8_t* value = first;
  for (size_t i = 0; i < count; ++i, value = JsonTree::Skip(value)) {
    const uint32_t start = static_cast<uint32_t>(value - first);
    memcpy(starts + i * sizeof start, &start, sizeof start);
  }
}

template <typename Number>
void JsonTreeBuilder::AppendColumn(Number null, const uint8_t* value, size_t count) {
  uint8_t* const numbers = tree_->bytes_.Extend(count * sizeof(Number));
  for (size_t i = 0; i < count; ++i, value = JsonTree::Skip(value)) {
    Number number = null;
    if (const std::optional<int64_t> integer = IntegerOf(value)) {
      number = static_cast<Number>(*integer);
    } else if (static_cast<JsonTag>(*value) == JsonTag::kDouble) {
      number = static_cast<Number>(NumberAt<double>(value + 1));
    }
    memcpy(numbers + i * sizeof number, &number, sizeof number);
  }
}

void JsonTreeBuilder::Finish() {
  tree_->root_ = tree_->bytes_.size();
  tree_->bytes_.Append(stack_.data(), stack_.size());
  tree_->bytes_.Shrink();
}

}  // namespace geckoprof
