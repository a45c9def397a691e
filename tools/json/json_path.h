#ifndef GECKOPROF_TOOLS_JSON_JSON_PATH_H_
#define GECKOPROF_TOOLS_JSON_JSON_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace geckoprof {

// JsonPath: where a value stands in a file, "$.threads[3].samples.data[17][0]". A step that points at the step before
// it, so a walk over millions of values costs nothing until one is at fault. Lifetime:  each step lives on the stack of
// the function that made it; a step never outlives the one it points at. Example:
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

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_PATH_H_
