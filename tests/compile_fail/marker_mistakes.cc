// One mistake a case, and what was meant: see CMakeLists.txt.
#include <pthread.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"
#include "baseprofiler/counters.h"

#ifdef FAULT
#define RIGHT_OR_WRONG(right, wrong) wrong
#else
#define RIGHT_OR_WRONG(right, wrong) right
#endif

namespace mistakes {

using geckoprof::MarkerSchema;

// A type with one field.
#define ONE_FIELD_AS(Type, input, format, flags)                                                                      \
  struct Type : geckoprof::BaseMarkerType<Type> {                                                                     \
    static constexpr const char* Name = #Type;                                                                        \
    static constexpr MarkerSchema::PayloadField PayloadFields[] = {                                                   \
        {"f", MarkerSchema::InputType::input, "F", MarkerSchema::Format::format, MarkerSchema::PayloadFlags::flags}}; \
  }
#define ONE_FIELD(Type, input, flags) ONE_FIELD_AS(Type, input, String, flags)
ONE_FIELD(Integer, Int64, None);
ONE_FIELD(Text, CString, None);
ONE_FIELD(Boolean, Boolean, None);
ONE_FIELD(Duration, TimeDuration, None);
ONE_FIELD(Time, TimeStamp, None);
ONE_FIELD(OfFlow, Flow, None);
ONE_FIELD_AS(List, StringList, List, None);
ONE_FIELD(Maybe, Int64, Optional);

#if defined(COUNT_WITHOUT_BLOCK)
PROFILER_DEFINE_COUNT(open_requests, "Server", "Open requests");
#elif defined(ANOTHERS_BASE)
struct NamesAnother : geckoprof::BaseMarkerType<RIGHT_OR_WRONG(NamesAnother, Integer)> {
  static constexpr const char* Name = "NamesAnother";
};
#elif defined(REAL_FOR_COUNT) || defined(REAL_FOR_COUNTER)
PROFILER_DEFINE_COUNT(spent, "Time", "Spent");
#endif

#if defined(WRITER_IS_TEMPLATE)
#define WRITER_TYPES RIGHT_OR_WRONG(, template <typename Writer>)
#define WRITER RIGHT_OR_WRONG(geckoprof::baseprofiler::SpliceableJSONWriter, Writer)
struct WritesMore : geckoprof::BaseMarkerType<WritesMore> {
  static constexpr const char* Name = "WritesMore";
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {
      {"f", MarkerSchema::InputType::Int64, "F", MarkerSchema::Format::Integer}};
  WRITER_TYPES static void StreamJSONMarkerData(WRITER& writer, int64_t number) {
    StreamJSONMarkerDataImpl(writer, number);
  }
};
#endif

template <typename>
struct OfTemplate : geckoprof::BaseMarkerType<OfTemplate<int>> {
  static constexpr const char* Name = "OfTemplate";
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {
      {"path", MarkerSchema::InputType::CString, "Path", MarkerSchema::Format::FilePath},
      {"size", MarkerSchema::InputType::Uint64, "Size", MarkerSchema::Format::Bytes}};
};

struct Older {
#ifdef NAME_OF_OLDER
  static constexpr RIGHT_OR_WRONG(const char*, int) MarkerTypeName() { return RIGHT_OR_WRONG("Older", 7); }
  template <typename Writer>
  static void StreamJSONMarkerData(Writer& writer, int64_t number) {
    writer.IntProperty("number", number);
  }
#else
  static constexpr std::string_view MarkerTypeName() { return "Older"; }
  static void StreamJSONMarkerData(geckoprof::baseprofiler::SpliceableJSONWriter& writer, int64_t number) {
    writer.IntProperty("number", number);
  }
#endif
#if !defined(FAULT) || defined(NAME_OF_OLDER)
  static MarkerSchema MarkerTypeDisplay() { return MarkerSchema(MarkerSchema::Location::MarkerTable); }
#endif
};

#define SEVEN(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define EIGHT(...) SEVEN(__VA_ARGS__), __VA_ARGS__
#ifdef FAULT
#define MANY_TEXTS(...) EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__)
#else
#define MANY_TEXTS(...) EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), SEVEN(__VA_ARGS__)
#endif
#define TEXT_FIELD(key) \
  { key, MarkerSchema::InputType::CString, "F", MarkerSchema::Format::String }
#define SEVEN_FIELDS(key)                                                                                  \
  TEXT_FIELD(key "1"), TEXT_FIELD(key "2"), TEXT_FIELD(key "3"), TEXT_FIELD(key "4"), TEXT_FIELD(key "5"), \
      TEXT_FIELD(key "6"), TEXT_FIELD(key "7")
#define EIGHT_FIELDS(key) SEVEN_FIELDS(key), TEXT_FIELD(key "8")
struct ManyTexts : geckoprof::BaseMarkerType<ManyTexts> {
  static constexpr const char* Name = "ManyTexts";
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {
      EIGHT_FIELDS("a"), EIGHT_FIELDS("b"), EIGHT_FIELDS("c"), SEVEN_FIELDS("d"),
#ifdef FAULT
      TEXT_FIELD("d8"),
#endif
  };
};

constexpr MarkerSchema::TableColumn kTwoColumns[] = {{"a"}, {"b", MarkerSchema::Format::Integer}};
#define ONE_TABLE(Type, format, columns)                                                                         \
  struct Type : geckoprof::BaseMarkerType<Type> {                                                                \
    static constexpr const char* Name = #Type;                                                                   \
    static constexpr MarkerSchema::TableColumn Unindexed[] = {{"a", MarkerSchema::Format::UniqueString}, {"b"}}; \
    static constexpr MarkerSchema::PayloadField PayloadFields[] = {{"f", MarkerSchema::InputType::Table, "F",    \
                                                                    MarkerSchema::Format::format,                \
                                                                    MarkerSchema::PayloadFlags::None, columns}}; \
  }
ONE_TABLE(Table, Table, kTwoColumns);
inline const std::vector<std::pair<const char*, int>> g_pairs;
inline const std::vector<std::tuple<int, int, int>> g_triples;
inline const std::vector<std::pair<const char*, const char*>> g_pairs_of_texts;
inline const std::vector<std::pair<std::string, std::optional<bool>>> g_pairs_with_bool;
#if defined(TABLE_WITHOUT_COLUMNS)
ONE_TABLE(Faulty, Table, RIGHT_OR_WRONG(kTwoColumns, {}));
#elif defined(TABLE_AS_LIST)
#define FORMAT RIGHT_OR_WRONG(Table, List)
ONE_TABLE(Faulty, FORMAT, kTwoColumns);
#elif defined(INDEX_IN_TABLE)
ONE_TABLE(Faulty, Table, RIGHT_OR_WRONG(kTwoColumns, Unindexed));
#else
using Faulty = Table;
#endif
struct Finer : geckoprof::BaseMarkerType<Finer> {
  static constexpr const char* Name = "Finer";
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {
      {"f", MarkerSchema::InputType::TimeDuration, "F",
#ifdef DURATION_IN_US
       RIGHT_OR_WRONG(MarkerSchema::Format::Duration, MarkerSchema::Format::Microseconds)
#else
       MarkerSchema::Format::Duration
#endif
      }};
};

// Descriptions whose parts do not fit each other.
#if defined(TEXT_AS_BYTES)
#define FIRST CString, RIGHT_OR_WRONG(FilePath, Bytes)
#elif defined(COLOR_OF_UNIQUE)
#define FIRST CString, RIGHT_OR_WRONG(String, UniqueString)
#elif defined(NUMBER_AS_INDEX)
#define FIRST CString, UniqueString
#define COLOR "other"
#define SECOND Double, RIGHT_OR_WRONG(Decimal, UniqueString)
#elif defined(NUMBER_AS_LIST)
#define SECOND Double, RIGHT_OR_WRONG(Decimal, List)
#endif
#ifndef FIRST
#define FIRST CString, String
#endif
#ifndef SECOND
#define SECOND Double, Decimal
#endif
#ifdef GRAPH_OF_TEXT
#define GRAPH RIGHT_OR_WRONG("second", "first")
#else
#define GRAPH "second"
#endif
#ifdef COLOR_OF_NOTHING
#define COLOR RIGHT_OR_WRONG("first", "third")
#elif !defined(COLOR)
#define COLOR "first"
#endif
#ifdef LABEL_OF_NOTHING
#define LABEL RIGHT_OR_WRONG("{marker.data.first}", "{marker.data.third}")
#else
#define LABEL "{marker.data.second ? 'yes' : 'no'} {marker.name}"
#endif
#if defined(SAME_KEY)
#define THIRD_KEY RIGHT_OR_WRONG("other", "first")
#elif defined(TAKEN_KEY)
#define THIRD_KEY RIGHT_OR_WRONG("kind", "type")
#else
#define THIRD_KEY "other"
#endif
#define FIELD_(key, input, shown) \
  { key, MarkerSchema::InputType::input, "Label", MarkerSchema::Format::shown }
#define FIELD(key, ...) FIELD_(key, __VA_ARGS__)
struct Described : geckoprof::BaseMarkerType<Described> {
#if defined(NO_NAME)
  static constexpr const char* RIGHT_OR_WRONG(Name, name) = "Described";
#elif defined(NAME_OF_OBJECT)
  RIGHT_OR_WRONG(static constexpr, ) const char* Name = "Described";
#elif defined(NAME_AS_VIEW)
  static constexpr RIGHT_OR_WRONG(const char*, std::string_view) Name = "Described";
#elif defined(EMPTY_NAME)
  static constexpr const char* Name = RIGHT_OR_WRONG("Described", "");
#elif defined(NAME_OF_VIEWER)
  static constexpr const char* Name = "Network";
  static constexpr bool HasSchema = RIGHT_OR_WRONG(false, true);
#elif defined(NO_SCHEMA)
  static constexpr const char* Name = "Described";
  static constexpr bool HasSchema = RIGHT_OR_WRONG(true, false);
#else
  static constexpr const char* Name = "Described";
#endif
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {FIELD("first", FIRST), FIELD("second", SECOND),
                                                                 FIELD(THIRD_KEY, CString, String)};
  static constexpr MarkerSchema::Graph Graphs[] = {{GRAPH, MarkerSchema::GraphType::Bar}};
  static constexpr const char* ColorField = COLOR;
  static constexpr const char* TableLabel = LABEL;
};

inline const std::string g_text = "text";
inline const std::vector<std::string> g_list = {"a"};
inline const std::vector<int> g_numbers = {1};
struct ReadOnce {
  std::istream_iterator<std::string> begin() const { return {}; }
  std::istream_iterator<std::string> end() const { return {}; }
};
#ifdef VARIABLE_FIELDS
struct OfVariable : geckoprof::BaseMarkerType<OfVariable> {
  static constexpr const char* Name = "OfVariable";
  static RIGHT_OR_WRONG(constexpr, inline) MarkerSchema::PayloadField PayloadFields[] = {FIELD("n", Int32, Integer)};
};
#endif
#ifdef ARRAY_OBJECT_OF_FIELDS
struct InArrayObject : geckoprof::BaseMarkerType<InArrayObject> {
  static constexpr const char* Name = "InArrayObject";
#ifdef FAULT
  static constexpr std::array<MarkerSchema::PayloadField, 1> PayloadFields = {{ FIELD("n", Int32, Integer) }};
#else
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {FIELD("n", Int32, Integer)};
#endif
};
#endif

#define MARK(Type, ...) PROFILER_MARKER("m", OTHER, {}, Type, __VA_ARGS__)

inline void Mark() {
#if defined(TOO_FEW)
#ifdef FAULT
  MARK(geckoprof::markers::NetIO, 1);
#else
  MARK(geckoprof::markers::NetIO, 1, 2);
#endif
#elif defined(TOO_MANY)
#ifdef FAULT
  MARK(Integer, 1, 2);
#else
  MARK(Integer, 1);
#endif
#elif defined(TABLE_WITHOUT_COLUMNS) || defined(TABLE_AS_LIST) || defined(INDEX_IN_TABLE)
  MARK(Faulty, g_pairs);
#elif defined(DURATION_IN_US)
  MARK(Finer, std::chrono::seconds(1));
#elif defined(WRONG_ROW)
  MARK(Table, RIGHT_OR_WRONG(g_pairs, g_triples));
#elif defined(TEXT_IN_NUMBERS)
  MARK(Table, RIGHT_OR_WRONG(g_pairs, g_pairs_of_texts));
#elif defined(BOOLEAN_IN_NUMBERS)
  MARK(Table, RIGHT_OR_WRONG(g_pairs, g_pairs_with_bool));
#elif defined(TEXTS_FOR_TABLE)
  MARK(Table, RIGHT_OR_WRONG(g_pairs, g_list));
#elif defined(NONE_WANTED)
#ifdef FAULT
  MARK(geckoprof::markers::StackMarker, 1);
#else
  PROFILER_MARKER("m", OTHER, {}, geckoprof::markers::StackMarker);
#endif
#elif defined(COUNT_OF_FUNCTION)
  const auto category = geckoprof::MarkerCategory::OTHER;
#ifdef FAULT
  profiler_add_marker("m", category, {}, Integer{});
#else
  profiler_add_marker("m", category, {}, Integer{}, 1);
#endif
#elif defined(TEXT_FOR_NUMBER)
  MARK(Integer, RIGHT_OR_WRONG(1, "1"));
#elif defined(NUMBER_FOR_TEXT)
  MARK(Text, RIGHT_OR_WRONG(g_text, 1));
#elif defined(NUMBER_FOR_BOOLEAN)
  MARK(Boolean, RIGHT_OR_WRONG(true, 1));
#elif defined(BOOLEAN_FOR_NUMBER)
  MARK(Integer, RIGHT_OR_WRONG(1, true));
#elif defined(REAL_FOR_INTEGER)
  MARK(Integer, RIGHT_OR_WRONG(1, 1.5));
#elif defined(NUMBER_FOR_DURATION)
  MARK(Duration, RIGHT_OR_WRONG(std::chrono::milliseconds(1), 1));
#elif defined(NUMBER_FOR_TIME)
  MARK(Time, RIGHT_OR_WRONG(geckoprof::TimeStamp::Now(), int64_t{1}));
#elif defined(NUMBER_FOR_FLOW)
  MARK(OfFlow, RIGHT_OR_WRONG(geckoprof::Flow::Global(1), uint64_t{1}));
#elif defined(UTF16_FOR_CSTRING)
  MARK(Text, RIGHT_OR_WRONG("text", u"text"));
#elif defined(TEXT_FOR_LIST)
  MARK(List, RIGHT_OR_WRONG(g_list, g_text));
#elif defined(NUMBERS_FOR_LIST)
  MARK(List, RIGHT_OR_WRONG(g_list, g_numbers));
#elif defined(LIST_READ_ONCE)
  MARK(List, RIGHT_OR_WRONG(g_list, ReadOnce()));
#elif defined(VARIABLE_FIELDS)
  MARK(OfVariable, 1);
#elif defined(ARRAY_OBJECT_OF_FIELDS)
  MARK(InArrayObject, 1);
#elif defined(OPTIONAL_WITHOUT_FLAG)
  MARK(RIGHT_OR_WRONG(Maybe, Integer), std::optional<int>(1));
#elif defined(NOTHING_WITHOUT_FLAG)
  MARK(RIGHT_OR_WRONG(Maybe, Integer), std::nullopt);
#elif defined(FIELD_OF_TEMPLATE)
  MARK(OfTemplate<int>, "path", RIGHT_OR_WRONG(4096u, "size"));
#elif defined(NAME_NOT_LITERAL)
  [[maybe_unused]] static const char* const name = "name";
  AUTO_PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG("name", name), OTHER);
#elif defined(NAME_CHOSEN)
  AUTO_PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG("name", "name"[0] == 'n' ? "some" : "none"), OTHER);
#elif defined(NAME_OF_UTF16)
  PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG(std::string("name"), std::u16string(u"name")), OTHER);
#elif defined(NUMBER_AS_NAME)
  PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG(std::string("name"), 5), OTHER);
#elif defined(NULL_AS_NAME)
  PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG(std::string("name"), nullptr), OTHER);
#elif defined(NO_TYPE)
  PROFILER_MARKER("m", OTHER, {}, RIGHT_OR_WRONG(geckoprof::markers::Tracing, ), "kind");
#elif defined(STRING_AS_LABEL)
  AUTO_PROFILER_LABEL(RIGHT_OR_WRONG("label", std::string("label")), OTHER);
#elif defined(STRING_AS_LABEL_TEXT)
  const std::string text = "text";
  AUTO_PROFILER_LABEL_DYNAMIC_CSTR_HOT("label", OTHER, RIGHT_OR_WRONG(text.c_str(), text));
#elif defined(ANOTHERS_BASE)
  PROFILER_MARKER("m", OTHER, {}, NamesAnother);
#elif defined(REAL_FOR_COUNT)
  AUTO_PROFILER_COUNT(spent, RIGHT_OR_WRONG(size_t{1}, 0.5));
#elif defined(REAL_FOR_COUNTER)
  profiler_count_spent += RIGHT_OR_WRONG(1u, 0.5f);
#elif defined(PTHREAD_AS_THREAD)
  PROFILER_MARKER_UNTYPED("m", OTHER, geckoprof::MarkerThreadId(RIGHT_OR_WRONG(1L, pthread_self())));
#elif defined(WRITER_IS_TEMPLATE)
  MARK(WritesMore, 1);
#elif defined(TOO_MANY_TEXTS)
  MARK(ManyTexts, MANY_TEXTS("t"));
#elif defined(OLDER_WITHOUT_DISPLAY) || defined(NAME_OF_OLDER)
  PROFILER_MARKER("m", OTHER, {}, Older, 7);
#elif defined(UNKNOWN_CATEGORY)
  PROFILER_MARKER_UNTYPED("m", RIGHT_OR_WRONG(OTHER, NONSENSE));
#elif defined(TIME_AS_OPTION)
  const geckoprof::TimeStamp start = geckoprof::TimeStamp::Now();
  PROFILER_MARKER_TEXT("m", OTHER, RIGHT_OR_WRONG(geckoprof::MarkerTiming::IntervalUntilNowFrom(start), start), "t");
#elif defined(TIME_AS_OPTION_OF_SCOPE)
  AUTO_PROFILER_MARKER_UNTYPED("m", OTHER, {});
  AUTO_BASE_PROFILER_MARKER_UNTYPED("m", OTHER,
                                    RIGHT_OR_WRONG(geckoprof::MarkerStack::Capture(), geckoprof::TimeStamp::Now()));
#elif defined(SCOPE_WITHOUT_BLOCK) || defined(SCOPE_WITH_OPTIONS_WITHOUT_BLOCK) || defined(TEXT_WITHOUT_BLOCK) || \
    defined(FLOW_WITHOUT_BLOCK) || defined(LABEL_WITHOUT_BLOCK) || defined(LABEL_TEXT_WITHOUT_BLOCK) ||           \
    defined(COUNT_WITHOUT_BLOCK)
#if defined(SCOPE_WITHOUT_BLOCK)
#define SCOPE AUTO_PROFILER_MARKER_UNTYPED("m", OTHER)
#elif defined(SCOPE_WITH_OPTIONS_WITHOUT_BLOCK)
#define SCOPE AUTO_PROFILER_MARKER_UNTYPED("m", OTHER, geckoprof::MarkerStack::Capture())
#elif defined(TEXT_WITHOUT_BLOCK)
#define SCOPE AUTO_PROFILER_MARKER_TEXT("m", OTHER, {}, "text")
#elif defined(LABEL_WITHOUT_BLOCK)
#define SCOPE AUTO_PROFILER_LABEL("label", OTHER)
#elif defined(LABEL_TEXT_WITHOUT_BLOCK)
#define SCOPE AUTO_BASE_PROFILER_LABEL_DYNAMIC_STRING("label", OTHER, g_text)
#elif defined(COUNT_WITHOUT_BLOCK)
#define SCOPE AUTO_PROFILER_COUNT_IN_SCOPE(open_requests, 1)
#else
#define SCOPE AUTO_PROFILER_FLOW_MARKER("m", OTHER, geckoprof::Flow::Global(7))
#endif
#ifdef FAULT
  if (geckoprof_base_is_active() != 0) SCOPE;
#else
  if (geckoprof_base_is_active() != 0) {
    SCOPE;
  }
#endif
#elif defined(NUMBER_FOR_FLOW_OF_SCOPE)
  AUTO_PROFILER_FLOW_MARKER("m", OTHER, geckoprof::Flow::Global(7));
  AUTO_PROFILER_TERMINATING_FLOW_MARKER("m", OTHER, RIGHT_OR_WRONG(geckoprof::Flow::Global(7), 7));
#elif defined(NUMBER_AS_OPTION)
  PROFILER_MARKER_TEXT("m", OTHER, RIGHT_OR_WRONG(geckoprof::MarkerThreadId(42), 42), "t");
#elif defined(FLOW_AS_OPTION)
  const geckoprof::Flow flow = geckoprof::Flow::Global(7);
  PROFILER_MARKER_UNTYPED("m", OTHER, RIGHT_OR_WRONG(geckoprof::MarkerFlow(flow), flow));
#elif defined(OPTION_OF_FUNCTION)
  const geckoprof::MarkerOptions options(geckoprof::MarkerTiming::InstantNow());
  profiler_add_marker("m", geckoprof::MarkerCategory::OTHER, RIGHT_OR_WRONG(options, "late"));
#elif defined(TEXT_AS_BYTES) || defined(NUMBER_AS_INDEX) || defined(NUMBER_AS_LIST) || defined(GRAPH_OF_TEXT) ||      \
    defined(COLOR_OF_NOTHING) || defined(COLOR_OF_UNIQUE) || defined(LABEL_OF_NOTHING) || defined(SAME_KEY) ||        \
    defined(TAKEN_KEY) || defined(NO_NAME) || defined(EMPTY_NAME) || defined(NAME_OF_VIEWER) || defined(NO_SCHEMA) || \
    defined(NAME_OF_OBJECT) || defined(NAME_AS_VIEW)
  MARK(Described, "first", 2.5, "third");
#else
#error "no such case"
#endif
}

}  // namespace mistakes
