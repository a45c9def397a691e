#include "tools/json/json_path.h"

#include <algorithm>

#include "absl/strings/ascii.h"
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

}  // namespace geckoprof
