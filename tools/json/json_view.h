#ifndef GECKOPROF_TOOLS_JSON_JSON_VIEW_H_
#define GECKOPROF_TOOLS_JSON_JSON_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/json/json_tree.h"

namespace geckoprof {

// JsonView: one value of a JsonDocument, or the mark that there is none ("missing"). Every question may be asked of
// every value: one of the wrong type answers like a missing one, so a reader needs a check only where the difference
// matters. Lifetime: containers and strings are views into the document, which must outlive them; numbers are copies.
class JsonView {
 public:
  JsonView() = default;
  // The value that begins at these bytes of the tree.
  JsonView(const JsonTree* tree, const uint8_t* bytes) : tree_(tree) {
    // Most values are numbers of these two kinds.
    if (*bytes >= static_cast<uint8_t>(JsonTag::kSmallInt)) {
      kind_ = Kind::kInteger;
      integer_ = *bytes - static_cast<uint8_t>(JsonTag::kSmallInt);
    } else if (*bytes == static_cast<uint8_t>(JsonTag::kDouble)) {
      kind_ = Kind::kDouble;
      number_ = NumberAt<double>(bytes + 1);
    } else {
      Read(bytes);
    }
  }

  bool Exists() const { return kind_ != Kind::kMissing; }
  bool IsNull() const { return kind_ <= Kind::kNull; }
  bool IsObject() const { return kind_ == Kind::kObject; }
  bool IsArray() const { return kind_ >= Kind::kNearArray; }
  bool IsString() const { return kind_ == Kind::kString; }
  bool IsNumber() const { return kind_ == Kind::kInteger || kind_ == Kind::kDouble; }
  bool IsBool() const { return kind_ == Kind::kFalse || kind_ == Kind::kTrue; }
  bool IsTrue() const { return kind_ == Kind::kTrue; }

  // The first member of that name. Linear in the number of members.
  JsonView operator[](std::string_view key) const;
  // Elements of an array, members of an object; else 0.
  size_t size() const { return IsArray() || IsObject() ? size_ : 0; }
  // Element of an array; missing where there is none. Of arrays with more than 255 elements in constant time.
  JsonView At(size_t index) const;

  std::string_view AsString() const {
    return IsString() ? std::string_view(reinterpret_cast<const char*>(bytes_), size_) : std::string_view();
  }
  std::optional<double> AsNumber() const {
    if (kind_ == Kind::kDouble) return number_;
    if (kind_ == Kind::kInteger) return static_cast<double>(integer_);
    return std::nullopt;
  }
  double NumberOr(double fallback) const { return AsNumber().value_or(fallback); }
  // A number without a fraction that a 64-bit integer holds.
  std::optional<int64_t> AsInteger() const {
    if (kind_ == Kind::kInteger) return integer_;
    return kind_ == Kind::kDouble ? WholeNumber() : std::nullopt;
  }
  // "null", "string", "number", ...: for messages.
  std::string_view TypeName() const;

  // Calls visit(std::string_view key, JsonView value) for each member of an object.
  template <typename Visit>
  void ForEachMember(Visit visit) const {
    if (!IsObject()) return;
    const uint8_t* at = bytes_;
    for (uint32_t i = 0; i < size_; ++i) {
      const std::string_view key = tree_->TakeKey(&at);
      visit(key, JsonView(tree_, at));
      at = JsonTree::Skip(at);
    }
  }

 private:
  enum class Kind : uint8_t {
    kMissing,
    kNull,
    kFalse,
    kTrue,
    kInteger,
    kDouble,
    kString,
    kObject,
    kNearArray,  // all that follow are arrays
    kFarArray,
    kInt8Column,
    kInt16Column,
    kInt32Column,
    kInt64Column,
    kDoubleColumn,
  };

  std::optional<int64_t> WholeNumber() const;
  static JsonView OfInteger(int64_t integer);
  static JsonView OfDouble(double number);
  template <typename Number>
  JsonView IntegerAt(size_t index) const;
  void Read(const uint8_t* bytes);
  void ReadFar(const uint8_t* far);

  const JsonTree* tree_ = nullptr;
  union {
    const uint8_t* bytes_ = nullptr;  // of a string; of a container the first value, member, start or number
    int64_t integer_;
    double number_;
  };
  uint32_t size_ = 0;
  Kind kind_ = Kind::kMissing;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_VIEW_H_
