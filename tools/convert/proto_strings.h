#ifndef GECKOPROF_TOOLS_CONVERT_PROTO_STRINGS_H_
#define GECKOPROF_TOOLS_CONVERT_PROTO_STRINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {

// ProtoStrings: the string table that pprof and OTLP profiles have: row 0 is the empty text, and stands for none.
class ProtoStrings {
 public:
  ProtoStrings() { Row(""); }

  uint64_t Row(std::string_view text) {
    const auto [entry, added] = rows_.try_emplace(std::string(text), texts_.size());
    if (added) texts_.emplace_back(text);
    return entry->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  absl::flat_hash_map<std::string, uint64_t> rows_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_PROTO_STRINGS_H_
