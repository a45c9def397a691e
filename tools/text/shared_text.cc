#include "tools/text/shared_text.h"

#include "absl/container/node_hash_set.h"

namespace geckoprof {

SharedText::SharedText(std::string_view text) {
  static absl::node_hash_set<std::string>& texts = *new absl::node_hash_set<std::string>;
  text_ = &*texts.emplace(text).first;
}

}  // namespace geckoprof
