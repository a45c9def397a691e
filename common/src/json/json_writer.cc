#include "geckoprof/json/json_writer.h"

#include "geckoprof/base/utf8_repair.h"
#include "rapidjson_backend.h"

namespace geckoprof {

struct JsonWriter::Backend {
  Backend(JsonSink sink, std::string_view* failure) : stream(sink, failure), writer(stream) {}
  SinkStream stream;
  RapidjsonBackend writer;
};

namespace {

constexpr std::string_view kUnbalanced = "unbalanced JSON levels";

// The first failure stays.
void Fail(std::string_view reason, std::string_view* failure) {
  if (failure->empty()) *failure = reason;
}

bool AppendToString(void* context, const char* bytes, size_t size_bytes) {
  static_cast<std::string*>(context)->append(bytes, size_bytes);
  return true;
}

bool NeedsEscapeOrRepair(std::string_view text) {
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') return true;
  }
  return false;
}

}  // namespace

JsonSink StringSink(std::string* out) { return {&AppendToString, out}; }

JsonWriter::JsonWriter(JsonSink sink) : backend_(new Backend(sink, &failure_)) {}
JsonWriter::~JsonWriter() = default;

void JsonWriter::Start(bool is_object) { backend_->writer.Open(is_object); }

void JsonWriter::End(bool is_object) {
  if (!backend_->writer.Close(is_object)) Fail(kUnbalanced, &failure_);
}

void JsonWriter::StartObject() { Start(true); }
void JsonWriter::EndObject() { End(true); }
void JsonWriter::StartArray() { Start(false); }
void JsonWriter::EndArray() { End(false); }

void JsonWriter::Key(std::string_view key) { String(key); }

void JsonWriter::String(std::string_view text) {
  if (!NeedsEscapeOrRepair(text)) {
    backend_->writer.PlainString(text);
  } else {
    backend_->writer.EscapedString(IsUtf8(text) ? text : std::string_view(RepairUtf8(text)));
  }
}

void JsonWriter::Int(int64_t number) { backend_->writer.Signed(number); }
void JsonWriter::Uint(uint64_t number) { backend_->writer.Unsigned(number); }
void JsonWriter::Double(double number) { Number(JsonNumber::Double(number)); }
void JsonWriter::Bool(bool value) { backend_->writer.Bool(value); }
void JsonWriter::Null() { backend_->writer.Null(); }
void JsonWriter::TimeMs(int64_t time_ns) { backend_->writer.Milliseconds(time_ns); }
void JsonWriter::Number(JsonNumber number) { backend_->writer.Number(number); }
void JsonWriter::Numbers(std::span<const JsonNumber> numbers) { backend_->writer.Numbers(numbers); }
void JsonWriter::NumberRow(std::span<const JsonNumber> numbers) { backend_->writer.NumberRow(numbers); }
void JsonWriter::Splice(std::string_view json) { backend_->writer.RawBytes(json); }

void JsonWriter::StringProperty(std::string_view key, std::string_view text) {
  Key(key);
  String(text);
}
void JsonWriter::IntProperty(std::string_view key, int64_t number) {
  Key(key);
  Int(number);
}
void JsonWriter::UintProperty(std::string_view key, uint64_t number) {
  Key(key);
  Uint(number);
}
void JsonWriter::DoubleProperty(std::string_view key, double number) {
  Key(key);
  Double(number);
}
void JsonWriter::NumberProperty(std::string_view key, JsonNumber number) {
  Key(key);
  Number(number);
}
void JsonWriter::BoolProperty(std::string_view key, bool value) {
  Key(key);
  Bool(value);
}
void JsonWriter::NullProperty(std::string_view key) {
  Key(key);
  Null();
}
void JsonWriter::TimeMsProperty(std::string_view key, int64_t time_ns) {
  Key(key);
  TimeMs(time_ns);
}
void JsonWriter::StartObjectProperty(std::string_view key) {
  Key(key);
  StartObject();
}
void JsonWriter::StartArrayProperty(std::string_view key) {
  Key(key);
  StartArray();
}

bool JsonWriter::Finish() {
  backend_->stream.Drain();
  if (backend_->writer.HasOpenLevel()) Fail(kUnbalanced, &failure_);
  return failure_.empty();
}

uint64_t JsonWriter::bytes_written() const { return backend_->stream.bytes_written(); }

}  // namespace geckoprof
