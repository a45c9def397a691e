#include "tools/profile/json_document.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <stdlib.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

// Passes the parser's events on to the document until a limit is met.
class LimitedBuilder {
 public:
  explicit LimitedBuilder(rapidjson::Document* document) : document_(document) {}

  bool too_deep() const { return depth_ > JsonDocument::kMaxDepth; }
  bool too_wide() const { return too_wide_; }
  bool too_many() const { return values_ > JsonDocument::kMaxValues; }
  bool number_too_large() const { return number_too_large_; }

  bool Null() { return Count() && document_->Null(); }
  bool Bool(bool value) { return Count() && document_->Bool(value); }
  bool Int(int value) { return Count() && document_->Int(value); }
  bool Uint(unsigned value) { return Count() && document_->Uint(value); }
  bool Int64(int64_t value) { return Count() && document_->Int64(value); }
  bool Uint64(uint64_t value) { return Count() && document_->Uint64(value); }
  bool Double(double value) { return Count() && document_->Double(value); }
  // `text` obeys JSON's grammar, and a byte that belongs to no number follows it.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    if (!Count()) return false;
    const char* const end = text + length;
    int64_t integer = 0;
    const auto [stopped, error] = std::from_chars(text, end, integer);
    if (stopped == end && error == std::errc()) return document_->Int64(integer);
    double number = 0;
    if (std::from_chars(text, end, number).ec == std::errc::result_out_of_range) number = strtod(text, nullptr);
    number_too_large_ = std::isinf(number);
    return !number_too_large_ && document_->Double(number);
  }
  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return Count() && document_->String(text, length, copy);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    return Count() && document_->Key(text, length, copy);
  }
  bool StartObject() { return Enter() && document_->StartObject(); }
  bool EndObject(rapidjson::SizeType members) {
    too_wide_ = members > JsonDocument::kMaxMembers;
    return !too_wide_ && Leave() && document_->EndObject(members);
  }
  bool StartArray() { return Enter() && document_->StartArray(); }
  bool EndArray(rapidjson::SizeType elements) { return Leave() && document_->EndArray(elements); }

 private:
  bool Count() { return ++values_ <= JsonDocument::kMaxValues; }
  bool Enter() { return ++depth_ <= JsonDocument::kMaxDepth && Count(); }
  bool Leave() {
    --depth_;
    return true;
  }

  rapidjson::Document* document_;
  int depth_ = 0;
  size_t values_ = 0;
  bool too_wide_ = false;
  bool number_too_large_ = false;
};

// Numbers come as text: RapidJSON's own exact conversion reads outside its tables for some with thousands of digits.
constexpr unsigned kParseFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;

}  // namespace

JsonView JsonView::operator[](std::string_view key) const {
  if (!IsObject()) return JsonView();
  const rapidjson::Value name(rapidjson::StringRef(key.data() == nullptr ? "" : key.data(), key.size()));
  const auto found = value_->FindMember(name);
  return found == value_->MemberEnd() ? JsonView() : JsonView(&found->value);
}

size_t JsonView::size() const { return IsArray() ? value_->Size() : IsObject() ? value_->MemberCount() : 0; }

JsonView JsonView::At(size_t index) const {
  if (!IsArray() || index >= value_->Size()) return JsonView();
  return JsonView(&(*value_)[static_cast<rapidjson::SizeType>(index)]);
}

std::string_view JsonView::AsString() const {
  return IsString() ? std::string_view(value_->GetString(), value_->GetStringLength()) : std::string_view();
}

std::optional<double> JsonView::AsNumber() const {
  if (!IsNumber()) return std::nullopt;
  return value_->GetDouble();
}

std::optional<int64_t> JsonView::AsInteger() const {
  if (!IsNumber()) return std::nullopt;
  if (value_->IsInt64()) return value_->GetInt64();
  const double number = value_->GetDouble();
  // 2^63 itself does not fit; every double below it does.
  if (number != std::floor(number) || number < -9223372036854775808.0 || number >= 9223372036854775808.0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);
}

std::string_view JsonView::TypeName() const {
  if (value_ == nullptr) return "missing";
  switch (value_->GetType()) {
    case rapidjson::kNullType:
      return "null";
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return "boolean";
    case rapidjson::kObjectType:
      return "object";
    case rapidjson::kArrayType:
      return "array";
    case rapidjson::kStringType:
      return "string";
    case rapidjson::kNumberType:
      return "number";
  }
  return "value";
}

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string text, Utf8 utf8) {
  JsonDocument result;
  result.text_ = std::make_unique<std::string>(std::move(text));
  result.document_ = std::make_unique<rapidjson::Document>();
  rapidjson::InsituStringStream stream(result.text_->data());
  rapidjson::ParseResult outcome;
  bool too_deep = false, too_wide = false, too_many = false, number_too_large = false;
  auto build = [&](rapidjson::Document& document) {
    LimitedBuilder builder(&document);
    rapidjson::Reader reader;
    // Recursive descent is safe here: the depth limit bounds it.
    outcome = utf8 == Utf8::kStrict ? reader.Parse<kParseFlags | rapidjson::kParseValidateEncodingFlag>(stream, builder)
                                    : reader.Parse<kParseFlags>(stream, builder);
    too_deep = builder.too_deep();
    too_wide = builder.too_wide();
    too_many = builder.too_many();
    number_too_large = builder.number_too_large();
    return !outcome.IsError();
  };
  result.document_->Populate(build);
  // A zero byte ends RapidJSON's stream; what follows it would be ignored in silence.
  if (!outcome.IsError() && stream.Tell() < result.text_->size()) {
    return absl::InvalidArgumentError(Concat("not valid JSON at byte ", stream.Tell(), ": zero byte"));
  }
  if (!outcome.IsError()) return result;
  std::string reason = rapidjson::GetParseError_En(outcome.Code());
  if (too_deep) reason = Concat("nested deeper than ", kMaxDepth);
  if (too_wide) reason = Concat("an object with more than ", kMaxMembers, " members");
  if (too_many) reason = Concat("more than ", kMaxValues, " values");
  if (number_too_large) reason = "a number too large for a double";
  return absl::InvalidArgumentError(Concat("not valid JSON at byte ", outcome.Offset(), ": ", reason));
}

}  // namespace geckoprof
