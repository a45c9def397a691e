#ifndef GECKOPROF_TOOLS_JSON_JSON_TREE_H_
#define GECKOPROF_TOOLS_JSON_JSON_TREE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "tools/json/growing_bytes.h"

namespace geckoprof {

// JsonTree: the values of a JSON text in few bytes (json_tag.h has the picture). JsonTreeBuilder makes it, JsonView
// reads it. Only the builder's bytes are ever read, so there is nothing hostile in them. It does not move, since views
// point to it.
class JsonTree {
 public:
  JsonTree() = default;
  JsonTree(const JsonTree&) = delete;
  JsonTree& operator=(const JsonTree&) = delete;

  // Where a value ends that begins here.
  static const uint8_t* Skip(const uint8_t* value) {
    const uint8_t fixed_bytes = *value < kFixedBytes.size() ? kFixedBytes[*value] : 1;
    return fixed_bytes != 0 ? value + fixed_bytes : SkipBytes(value);
  }
  // Takes a key and returns its name; `*at` is then the member's value.
  std::string_view TakeKey(const uint8_t** at) const;
  const uint8_t* Far(uint32_t position) const { return bytes_.data() + position; }
  const uint8_t* root() const { return bytes_.data() + root_; }
  // What it occupies, apart from the keys.
  size_t size_bytes() const { return bytes_.size(); }

 private:
  friend class JsonTreeBuilder;

  // Of near values by their tag, which this counts; 0: the value tells. Small numbers are not in it.
  static constexpr std::array<uint8_t, 13> kFixedBytes = {1, 1, 1, 2, 3, 5, 9, 9, 0, 0, 0, 0, 5};

  static const uint8_t* SkipBytes(const uint8_t* value);

  GrowingBytes bytes_;
  std::deque<std::string> keys_;  // whose addresses stay
  size_t root_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_TREE_H_
