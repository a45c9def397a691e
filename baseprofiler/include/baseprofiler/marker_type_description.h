// From a declared type to what marker_abi.h wants, at compile time; and its arguments into a payload.
#ifndef GECKOPROF_BASEPROFILER_MARKER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_MARKER_TYPE_DESCRIPTION_H_

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"
#include "baseprofiler/marker_schema.h"

namespace geckoprof::internal {

using MS = MarkerSchema;

constexpr const char* ToText(MS::Location location) {
  constexpr const char* kTexts[] = {"marker-chart", "marker-table",    "timeline-overview", "timeline-memory",
                                    "timeline-ipc", "timeline-fileio", "timeline-network",  "stack-chart"};
  return kTexts[static_cast<size_t>(location)];
}

constexpr const char* ToText(MS::Format format) {
  constexpr const char* kTexts[] = {"url",          "file-path",     "sanitized-string",
                                    "string",       "unique-string", "duration",
                                    "time",         "seconds",       "milliseconds",
                                    "microseconds", "nanoseconds",   "bytes",
                                    "percentage",   "integer",       "decimal",
                                    "hexadecimal",  "pid",           "tid",
                                    "list",         "flow-id",       "terminating-flow-id"};
  return kTexts[static_cast<size_t>(format)];
}

constexpr const char* ToText(MS::GraphType type) {
  constexpr const char* kTexts[] = {"line", "bar", "line-filled"};
  return kTexts[static_cast<size_t>(type)];
}

constexpr const char* ToText(MS::GraphColor color) {
  constexpr const char* kTexts[] = {nullptr,  "blue",   "green", "grey", "ink",   "magenta",
                                    "orange", "purple", "red",   "teal", "yellow"};
  return kTexts[static_cast<size_t>(color)];
}

constexpr uint32_t ToKind(MS::InputType type) {
  switch (type) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
      return GECKOPROF_FIELD_UINT64;
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return GECKOPROF_FIELD_INT64;
    case MS::InputType::Double:
      return GECKOPROF_FIELD_DOUBLE;
    case MS::InputType::Boolean:
      return GECKOPROF_FIELD_BOOL;
    case MS::InputType::CString:
    case MS::InputType::String:
      return GECKOPROF_FIELD_STRING;
    case MS::InputType::TimeStamp:
      return GECKOPROF_FIELD_TIME;
    case MS::InputType::TimeDuration:
      return GECKOPROF_FIELD_NS;
    case MS::InputType::Flow:
      return GECKOPROF_FIELD_FLOW;
    case MS::InputType::StringList:
      return GECKOPROF_FIELD_VALUE;
  }
  return GECKOPROF_FIELD_VALUE;
}

// Lists that are empty take one place, which is not counted.
template <typename To, typename From, size_t kCount, typename Convert>
constexpr std::array<To, kCount == 0 ? 1 : kCount> ConvertAll(const From (&from)[kCount], Convert convert) {
  std::array<To, kCount> to{};
  for (size_t i = 0; i < kCount; ++i) to[i] = convert(from[i]);
  return to;
}

// Hidden, as all variables here: else the compiler makes them unique in the process, and the dynamic linker never
// unloads a plugin that marks.
template <typename Type>
struct __attribute__((visibility("hidden"))) TypeLists {
  static constexpr auto Fields() {
    if constexpr (requires { Type::PayloadFields; }) {
      return ConvertAll<geckoprof_marker_field>(Type::PayloadFields, [](const MS::PayloadField& field) {
        return geckoprof_marker_field{
            field.Key, field.Label, internal::ToText(field.Fmt), ToKind(field.InputTy),
            (Has(field.Flags, MS::PayloadFlags::Hidden) ? GECKOPROF_FIELD_HIDDEN : 0) |
                (Has(field.Flags, MS::PayloadFlags::Optional) ? GECKOPROF_FIELD_OPTIONAL : 0)};
      });
    } else {
      return std::array<geckoprof_marker_field, 0>{};
    }
  }
  static constexpr auto Display() {
    if constexpr (requires { Type::Locations; }) {
      return ConvertAll<const char*>(Type::Locations, [](MS::Location location) { return internal::ToText(location); });
    } else {
      return std::array<const char*, 2>{"marker-chart", "marker-table"};
    }
  }
  static constexpr auto Notes() {
    if constexpr (requires { Type::Notes; }) {
      return ConvertAll<geckoprof_marker_note>(Type::Notes, [](const MS::Note& note) {
        return geckoprof_marker_note{note.Label, note.Value};
      });
    } else {
      return std::array<geckoprof_marker_note, 0>{};
    }
  }
  static constexpr auto Graphs() {
    if constexpr (requires { Type::Graphs; }) {
      return ConvertAll<geckoprof_marker_graph>(Type::Graphs, [](const MS::Graph& graph) {
        return geckoprof_marker_graph{graph.Key, internal::ToText(graph.Type), internal::ToText(graph.Color)};
      });
    } else {
      return std::array<geckoprof_marker_graph, 0>{};
    }
  }
  static constexpr auto kFields = Fields();
  static constexpr auto kDisplay = Display();
  static constexpr auto kNotes = Notes();
  static constexpr auto kGraphs = Graphs();
};

#define GECKOPROF_TYPE_TEXT_(type, member)                                                                \
  [] {                                                                                                    \
    const char* text = nullptr;                                                                           \
    if constexpr (requires { type::member; }) {                                                           \
      text = type::member;                                                                                \
    } else if constexpr (requires { type::AllLabels; } && std::string_view(#member).ends_with("Label")) { \
      text = type::AllLabels;                                                                             \
    }                                                                                                     \
    return text;                                                                                          \
  }()

template <typename Type>
constexpr geckoprof_marker_type Describe() {
  using Lists = TypeLists<Type>;
  geckoprof_marker_type type{};
  type.size_bytes = sizeof(type);
  if constexpr (requires { Type::IsStackBased; }) type.flags = Type::IsStackBased ? GECKOPROF_TYPE_STACK_BASED : 0;
  type.name = Type::Name;
  if constexpr (requires { Type::Description; }) type.description = Type::Description;
  if constexpr (requires { Type::ColorField; }) type.color_field = Type::ColorField;
  type.chart_label = GECKOPROF_TYPE_TEXT_(Type, ChartLabel);
  type.tooltip_label = GECKOPROF_TYPE_TEXT_(Type, TooltipLabel);
  type.table_label = GECKOPROF_TYPE_TEXT_(Type, TableLabel);
  type.display = Lists::kDisplay.data();
  type.fields = Lists::kFields.data();
  type.notes = Lists::kNotes.data();
  type.graphs = Lists::kGraphs.data();
  type.display_count = static_cast<uint32_t>(Lists::kDisplay.size());
  type.field_count = static_cast<uint32_t>(Lists::kFields.size());
  type.note_count = static_cast<uint32_t>(Lists::kNotes.size());
  type.graph_count = static_cast<uint32_t>(Lists::kGraphs.size());
  return type;
}
#undef GECKOPROF_TYPE_TEXT_

// One of each type in an executable or library.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_type g_marker_type = Describe<Type>();
// Null for a type whose description is made when it is first used (marker_type_older.h), and for no payload.
struct NoPayload {};
template <typename Type>
constexpr geckoprof_marker_type* ConstantTypeOf() {
  if constexpr (requires { Type::Name; }) {
    return &g_marker_type<Type>;
  } else {
    return nullptr;
  }
}
// Of markers whose name comes with them.
template <typename Type>
__attribute__((visibility("hidden"))) inline constinit geckoprof_marker_site g_nameless_site = {
    sizeof(geckoprof_marker_site), 1u << 8, nullptr, ConstantTypeOf<Type>(), 0};

// --- arguments ---

template <typename Argument>
struct IsOptional : std::false_type {};
template <typename Value>
struct IsOptional<std::optional<Value>> : std::true_type {};

template <typename Argument>
concept StringLike = std::convertible_to<const Argument&, std::string_view>;
template <typename Argument>
concept Utf16Like = std::convertible_to<const Argument&, std::u16string_view>;
template <typename Argument>
struct IsChronoDuration : std::false_type {};
template <typename Rep, typename Period>
struct IsChronoDuration<std::chrono::duration<Rep, Period>> : std::true_type {};

template <MS::InputType kType, typename Argument>
constexpr bool Fits() {
  switch (kType) {
    case MS::InputType::Uint64:
    case MS::InputType::Uint32:
    case MS::InputType::Uint8:
    case MS::InputType::Int64:
    case MS::InputType::Int32:
    case MS::InputType::Int8:
      return (std::is_integral_v<Argument> && !std::is_same_v<Argument, bool>) || std::is_enum_v<Argument>;
    case MS::InputType::Double:
      return std::is_arithmetic_v<Argument> && !std::is_same_v<Argument, bool>;
    case MS::InputType::Boolean:
      return std::is_same_v<Argument, bool>;
    case MS::InputType::CString:
      return StringLike<Argument>;
    case MS::InputType::String:
      return StringLike<Argument> || Utf16Like<Argument>;
    case MS::InputType::TimeStamp:
      return std::is_same_v<Argument, TimeStamp>;
    case MS::InputType::TimeDuration:
      return IsChronoDuration<Argument>::value;
    case MS::InputType::Flow:
      return std::is_same_v<Argument, Flow>;
    case MS::InputType::StringList:
      return requires(const Argument& list) { requires StringLike<std::decay_t<decltype(*std::begin(list))>>; };
  }
  return false;
}

// Writes one argument as its field wants it. Sink: Payload, or PayloadInPlace.
template <MS::InputType kType, typename Sink, typename Argument>
void AddValue(Sink& sink, const Argument& argument) {
  using Plain = std::decay_t<Argument>;
  static_assert(Fits<kType, Plain>(), "this argument's type does not fit the InputType of its PayloadField");
  if constexpr (kType == MS::InputType::CString || kType == MS::InputType::String) {
    if constexpr (StringLike<Plain>) {
      sink.Text(argument);
    } else {
      sink.Text(sink.ToUtf8(argument));
    }
  } else if constexpr (kType == MS::InputType::StringList) {
    sink.List(argument);
  } else if constexpr (kType == MS::InputType::Boolean) {
    sink.Byte(argument ? 1 : 0);
  } else if constexpr (kType == MS::InputType::Double) {
    sink.Number(static_cast<double>(argument));
  } else if constexpr (kType == MS::InputType::TimeStamp) {
    sink.Number(argument.time());
  } else if constexpr (kType == MS::InputType::TimeDuration) {
    sink.Number(static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(argument).count()));
  } else if constexpr (kType == MS::InputType::Flow) {
    sink.Number(argument.id());
  } else if constexpr (ToKind(kType) == GECKOPROF_FIELD_UINT64) {
    sink.Number(static_cast<uint64_t>(argument));
  } else {
    sink.Number(static_cast<int64_t>(argument));
  }
}

template <MS::InputType kType, bool kIsOptional, typename Sink, typename Argument>
void AddField(Sink& sink, const Argument& argument) {
  if constexpr (IsOptional<std::decay_t<Argument>>::value) {
    static_assert(kIsOptional, "an optional argument needs PayloadFlags::Optional in its PayloadField");
    sink.Byte(argument.has_value() ? 1 : 0);
    if (argument.has_value()) AddValue<kType>(sink, *argument);
  } else {
    if constexpr (kIsOptional) sink.Byte(1);
    AddValue<kType>(sink, argument);
  }
}

// Counts what a payload takes that is written in place. A text of 128 bytes or more is too long for that.
class PayloadSize {
 public:
  template <typename Value>
  void Number(Value) {
    bytes_ += sizeof(Value);
  }
  void Byte(uint8_t) { ++bytes_; }
  void Text(std::string_view text) { bytes_ += text.size() < 128 ? 1 + text.size() : 1000; }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// Writes where there is room for it.
class PayloadInPlace {
 public:
  explicit PayloadInPlace(void* to) : to_(static_cast<uint8_t*>(to)) {}
  template <typename Value>
  void Number(Value value) {
    std::memcpy(to_, &value, sizeof value);
    to_ += sizeof value;
  }
  void Byte(uint8_t value) { *to_++ = value; }
  void Text(std::string_view text) {
    Byte(static_cast<uint8_t>(text.size()));
    if (!text.empty()) std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
  }

 private:
  uint8_t* to_;
};

// What UTF-16 texts and lists of one marker may take together, as UTF-8.
inline constexpr size_t kScratchBytes = 2048;

// Payload: the pieces of one marker's payload. What is of fixed size lies in `bytes_`; strings stay where they are.
template <size_t kFieldCount, bool kHasScratch>
class Payload {
 public:
  // A text is cut there, between characters.
  static constexpr size_t kMostTextBytes = 4096;

  const geckoprof_piece* Finish() {
    Flush();
    return pieces_;
  }
  uint32_t piece_count() const { return piece_count_; }
  bool was_cut() const { return was_cut_; }

  template <typename Value>
  void Number(Value value) {
    std::memcpy(bytes_ + used_, &value, sizeof value);
    used_ += sizeof value;
  }
  void Byte(uint8_t value) { bytes_[used_++] = value; }
  void Text(std::string_view text) {
    if (text.size() > kMostTextBytes) {
      size_t size = kMostTextBytes;
      while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) --size;
      text = text.substr(0, size);
      was_cut_ = true;
    }
    Length(text.size());
    if (text.empty()) return;
    Flush();
    pieces_[piece_count_++] = {text.data(), text.size()};
  }
  // Elements that fit into the scratch; the rest is cut.
  template <typename Range>
  void List(const Range& range) {
    const size_t begin = scratch_used_;
    uint64_t count = 0;
    for (const auto& element : range) {
      const std::string_view text = element;
      if (!ScratchHas(1 + kMostLengthBytes + text.size())) {
        was_cut_ = true;
        break;
      }
      scratch_[scratch_used_++] = GECKOPROF_VALUE_STRING;
      scratch_used_ += PutLength(scratch_ + scratch_used_, text.size());
      if (!text.empty()) std::memcpy(scratch_ + scratch_used_, text.data(), text.size());
      scratch_used_ += text.size();
      ++count;
    }
    Byte(GECKOPROF_VALUE_ARRAY);
    Length(count);
    Flush();
    if (scratch_used_ > begin) pieces_[piece_count_++] = {scratch_ + begin, scratch_used_ - begin};
  }
  // Half a pair becomes U+FFFD.
  std::string_view ToUtf8(std::u16string_view text) {
    const size_t begin = scratch_used_;
    for (size_t i = 0; i < text.size(); ++i) {
      uint32_t code = text[i];
      const bool leads = code >= 0xd800 && code < 0xdc00 && i + 1 < text.size() && (text[i + 1] & 0xfc00) == 0xdc00;
      if (leads) {
        code = 0x10000 + ((code & 0x3ff) << 10 | (text[++i] & 0x3ffu));
      } else if (code >= 0xd800 && code < 0xe000) {
        code = 0xfffd;
      }
      if (!ScratchHas(4)) {
        was_cut_ = true;
        break;
      }
      PutUtf8(code);
    }
    return {reinterpret_cast<const char*>(scratch_) + begin, scratch_used_ - begin};
  }
  void PutUtf8(uint32_t code) {
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    constexpr uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = bytes; i-- > 1; code >>= 6)
      scratch_[scratch_used_ + i] = static_cast<uint8_t>(0x80 | (code & 0x3f));
    scratch_[scratch_used_] = static_cast<uint8_t>(kLead[bytes] | code);
    scratch_used_ += bytes;
  }
  bool ScratchHas(size_t bytes) const { return scratch_used_ + bytes <= sizeof scratch_; }

 private:
  static constexpr size_t kMostLengthBytes = 10;  // ULEB128
  static size_t PutLength(uint8_t* to, uint64_t value) {
    size_t bytes = 0;
    for (; value >= 0x80; value >>= 7) to[bytes++] = static_cast<uint8_t>(value | 0x80);
    to[bytes++] = static_cast<uint8_t>(value);
    return bytes;
  }
  void Length(uint64_t value) { used_ += PutLength(bytes_ + used_, value); }
  void Flush() {
    if (used_ == flushed_) return;
    pieces_[piece_count_++] = {bytes_ + flushed_, used_ - flushed_};
    flushed_ = used_;
  }

  size_t used_ = 0;
  size_t flushed_ = 0;
  size_t scratch_used_ = 0;
  uint32_t piece_count_ = 0;
  bool was_cut_ = false;
  uint8_t bytes_[kFieldCount * 12 + 16];
  uint8_t scratch_[kHasScratch ? kScratchBytes : 1];
  geckoprof_piece pieces_[2 * kFieldCount + 2];
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_MARKER_TYPE_DESCRIPTION_H_
