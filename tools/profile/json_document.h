#ifndef GECKOPROF_TOOLS_PROFILE_JSON_DOCUMENT_H_
#define GECKOPROF_TOOLS_PROFILE_JSON_DOCUMENT_H_

#include <rapidjson/document.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace geckoprof {

// JsonView: one value of a JsonDocument, or the mark that there is none ("missing"). The only place, with JsonDocument,
// where RapidJSON's types are seen. Every question may be asked of every value: one of the wrong type answers like a
// missing one, so a reader needs a check only where the difference matters. Lifetime:  a pointer into the document,
// which must outlive it.
class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(const rapidjson::Value* value) : value_(value) {}

  bool Exists() const { return value_ != nullptr; }
  bool IsNull() const { return value_ == nullptr || value_->IsNull(); }
  bool IsObject() const { return value_ != nullptr && value_->IsObject(); }
  bool IsArray() const { return value_ != nullptr && value_->IsArray(); }
  bool IsString() const { return value_ != nullptr && value_->IsString(); }
  bool IsNumber() const { return value_ != nullptr && value_->IsNumber(); }
  bool IsBool() const { return value_ != nullptr && value_->IsBool(); }
  bool IsTrue() const { return value_ != nullptr && value_->IsTrue(); }

  // The first member of that name. Linear in the number of members.
  JsonView operator[](std::string_view key) const;
  // Elements of an array, members of an object; else 0.
  size_t size() const;
  // Element of an array; missing where there is none.
  JsonView At(size_t index) const;

  std::string_view AsString() const;
  std::optional<double> AsNumber() const;
  double NumberOr(double fallback) const { return AsNumber().value_or(fallback); }
  // A number without a fraction that a 64-bit integer holds.
  std::optional<int64_t> AsInteger() const;
  // "null", "string", "number", ...: for messages.
  std::string_view TypeName() const;

  // Calls visit(std::string_view key, JsonView value) for each member of an object.
  template <typename Visit>
  void ForEachMember(Visit visit) const {
    if (!IsObject()) return;
    for (const auto& member : value_->GetObject()) {
      visit(std::string_view(member.name.GetString(), member.name.GetStringLength()), JsonView(&member.value));
    }
  }

 private:
  const rapidjson::Value* value_ = nullptr;
};

// JsonDocument: a parsed text and the text itself, in which the strings lie (parsing is in place).
//
// Hostile input: nesting, the members of an object and the number of values are limited (a gigabyte of "[0,0,..." would
// need eight of tables), so a parse ends with a value or with a one-line error that names the byte.
class JsonDocument {
 public:
  static constexpr int kMaxDepth = 100;  // a profile nests about 12 deep
  // Finding a member walks them, so an object with millions would make a reader of millions of rows hang; real ones
  // have hundreds.
  static constexpr size_t kMaxMembers = 4096;
  static constexpr size_t kMaxValues = size_t{128}
                                       << 20;  // 2 GiB of values; the largest real profile seen has 12 million

  // utf8: kStrict refuses text that is not UTF-8; a report can do without, since it cleans what it prints.
  enum class Utf8 { kStrict, kAny };
  static absl::StatusOr<JsonDocument> Parse(std::string text, Utf8 utf8);

  JsonView root() const { return JsonView(document_.get()); }

 private:
  JsonDocument() = default;

  std::unique_ptr<std::string> text_;  // on the heap: its bytes must not move with the document
  std::unique_ptr<rapidjson::Document> document_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROFILE_JSON_DOCUMENT_H_
