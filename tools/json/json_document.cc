#include "tools/json/json_document.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "tools/json/json_reader.h"
#include "tools/text/concat.h"

namespace geckoprof {

std::string JsonPath::ToString() const {
  if (parent_ == nullptr) return "$";
  std::string text = parent_->ToString();
  if (key_.data() == nullptr) {
    text += Concat("[", index_, "]");
    return text;
  }
  const bool plain =
      !key_.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(key_[0])) &&
      std::all_of(key_.begin(), key_.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
  if (plain) {
    text += Concat(".", key_);
  } else {
    text += Concat("[\"", key_, "\"]");
  }
  return text;
}

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string text, Utf8 utf8, std::string_view without_objects_in) {
  JsonDocument result;
  result.text_bytes_ = text.size();
  ConsumedText consumed(std::move(text));
  const absl::Status status = ReadJson(&consumed, result.tree_.get(),
                                       {.max_depth = kMaxDepth,
                                        .max_members = kMaxMembers,
                                        .max_values = kMaxValues,
                                        .only_utf8 = utf8 == Utf8::kStrict,
                                        .without_objects_in = without_objects_in});
  if (!status.ok()) return status;
  return result;
}

}  // namespace geckoprof
