#ifndef GECKOPROF_JSON_JSON_WRITER_H_
#define GECKOPROF_JSON_JSON_WRITER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace geckoprof {

// The destination of a JsonWriter's bytes. It is called with up to JsonWriter::kChunkBytes at a time, in order. It
// returns false on failure.
struct JsonSink {
  bool (*write)(void* context, const char* bytes, size_t size_bytes) = nullptr;
  void* context = nullptr;
};

// Returns a sink that appends to a std::string, which must outlive the writer.
JsonSink StringSink(std::string* out);

// JsonNumber is one number or null: a value of JsonWriter::Int, TimeMs, Double or Null.
class JsonNumber {
 public:
  enum class Kind : uint8_t { kNull, kInt, kTimeMs, kDouble };

  constexpr JsonNumber() : JsonNumber(Kind::kNull, 0) {}
  static constexpr JsonNumber Null() { return {}; }
  static constexpr JsonNumber Int(int64_t number) { return {Kind::kInt, number}; }
  static constexpr JsonNumber TimeMs(int64_t time_ns) { return {Kind::kTimeMs, time_ns}; }
  static constexpr JsonNumber Double(double number) { return {Kind::kDouble, std::bit_cast<int64_t>(number)}; }

  constexpr bool IsNull() const { return kind_ == Kind::kNull; }
  Kind kind() const { return kind_; }
  int64_t value() const { return value_; }                         // of kInt and kTimeMs
  double number() const { return std::bit_cast<double>(value_); }  // of kDouble

 private:
  constexpr JsonNumber(Kind kind, int64_t value) : value_(value), kind_(kind) {}

  int64_t value_;
  Kind kind_;
};

// JsonWriter writes one compact JSON text piece by piece, through one fixed chunk of memory to a sink.
//
//   caller --Int, TimeMs, String ...--> [RapidJSON's SAX writer] --> chunk of 64 KiB --full--> sink
//
// Text that is not UTF-8 is repaired with U+FFFD. Control characters and marks of direction are escaped, so that the
// output is safe for a terminal. Numbers that JSON cannot express become null. The output therefore
// always parses if the calls are balanced. Unbalanced calls and a failing sink are failures. The sink is not called
// after that.
//
// Memory: the chunk and a stack of open levels, from operator new. There are no exceptions and no libc calls except
// memcpy. Threads: one at a time. Context: cold code. It may run on the sampler thread if the sink may.
// Example:
//   std::string text;
//   JsonWriter writer(StringSink(&text));
//   writer.StartObject();
//   writer.Key("time");
//   writer.TimeMs(670'258'982);   // 670.258982
//   writer.EndObject();
//   if (!writer.Finish()) ... writer.failure()
class JsonWriter {
 public:
  static constexpr size_t kChunkBytes = 64 * 1024;

  explicit JsonWriter(JsonSink sink);
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void StartObject();
  void EndObject();
  void StartArray();
  void EndArray();
  void Key(std::string_view key);

  void String(std::string_view text);
  void Int(int64_t number);
  void Uint(uint64_t number);
  void Double(double number);  // the shortest digits that read back the same; NaN and infinities: null
  void Bool(bool value);
  void Null();
  // Writes nanoseconds as milliseconds, an integer or up to 6 decimals without trailing zeros. It is exact for every
  // int64_t. It is faster than a double, because it searches for no shortest representation.
  void TimeMs(int64_t time_ns);
  void Number(JsonNumber number);
  // Writes elements of the array that is open. It is faster than one call for each, because the write position stays in
  // a register.
  void Numbers(std::span<const JsonNumber> numbers);
  // Writes an array of numbers, likewise.
  void NumberRow(std::span<const JsonNumber> numbers);
  // Copies a complete JSON value without a check. The caller guarantees that it is valid.
  void Splice(std::string_view json);

  // "key": value
  void StringProperty(std::string_view key, std::string_view text);
  void IntProperty(std::string_view key, int64_t number);
  void UintProperty(std::string_view key, uint64_t number);
  void DoubleProperty(std::string_view key, double number);
  void NumberProperty(std::string_view key, JsonNumber number);
  void BoolProperty(std::string_view key, bool value);
  void NullProperty(std::string_view key);
  void TimeMsProperty(std::string_view key, int64_t time_ns);
  void StartObjectProperty(std::string_view key);
  void StartArrayProperty(std::string_view key);

  // Passes the rest to the sink. Returns true if everything was written and every level is closed.
  [[nodiscard]] bool Finish();

  // Returns the first failure, a literal. It is empty while there is none.
  std::string_view failure() const { return failure_; }
  uint64_t bytes_written() const;

 private:
  struct Backend;  // RapidJSON stays in the source file

  void Start(bool is_object);
  void End(bool is_object);

  std::string_view failure_;
  const std::unique_ptr<Backend> backend_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_JSON_JSON_WRITER_H_
