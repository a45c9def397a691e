#ifndef GECKOPROF_TOOLS_JSON_JSON_DOCUMENT_H_
#define GECKOPROF_TOOLS_JSON_JSON_DOCUMENT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/json/json_tree.h"
#include "tools/json/json_view.h"

namespace geckoprof {

// JsonPath: where a value stands in a file, "$.threads[3].samples.data[17][0]". A step that points at the step before
// it, so a walk over millions of values costs nothing until one is at fault. Lifetime: each step lives on the stack of
// the function that made it. A step never outlives the one it points at. Example:
//   JsonPath root;                                    // $
//   JsonPath threads = root / "threads";              // $.threads
//   faults->Add(threads / 3 / "name", "is missing");  // $.threads[3].name
class JsonPath {
 public:
  JsonPath() = default;

  JsonPath operator/(std::string_view key) const { return JsonPath(this, key, 0); }
  JsonPath operator/(const char* key) const { return JsonPath(this, std::string_view(key), 0); }
  JsonPath operator/(size_t index) const { return JsonPath(this, std::string_view(), index); }
  JsonPath operator/(int index) const { return JsonPath(this, std::string_view(), static_cast<size_t>(index)); }

  // Keys that are not plain words are quoted: $.profilingLog["21604"].
  std::string ToString() const;

 private:
  JsonPath(const JsonPath* parent, std::string_view key, size_t index) : parent_(parent), key_(key), index_(index) {}

  const JsonPath* parent_ = nullptr;
  std::string_view key_;  // data() is null for an index
  size_t index_ = 0;
};

// JsonDocument: a parsed text. Of the text itself nothing is kept: its memory goes back while it is read, so that both
// together never need much more than the larger of them.
//
// Hostile input: nesting, the members of an object and the number of values are limited, so a parse ends with a value
// or with a one-line error that names the byte.
class JsonDocument {
 public:
  static constexpr size_t kMaxDepth = 100;  // a profile nests about 12 deep
  // Finding a member walks them, so an object with millions would make a reader of millions of rows hang; real ones
  // have hundreds.
  static constexpr size_t kMaxMembers = 4096;
  // At most 9 bytes each while they are read; a profile of 1 GiB has 120 to 170 million.
  static constexpr size_t kMaxValues = size_t{256} << 20;

  // utf8: kStrict refuses text that is not UTF-8; a report can do without, since it cleans what it prints.
  enum class Utf8 { kStrict, kAny };
  // without_objects_in: a member, anywhere, in which objects that are elements of arrays become null. So what markers
  // carry, most of a file, costs nothing where nobody asks for it.
  static absl::StatusOr<JsonDocument> Parse(std::string text, Utf8 utf8, std::string_view without_objects_in = {});

  JsonView root() const { return JsonView(tree_.get(), tree_->root()); }
  // The length of the text.
  size_t text_bytes() const { return text_bytes_; }

 private:
  JsonDocument() : tree_(std::make_unique<JsonTree>()) {}

  std::unique_ptr<JsonTree> tree_;  // on the heap: views point to it
  size_t text_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_DOCUMENT_H_
