// One mistake a case, and what was meant: see CMakeLists.txt.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "baseprofiler/base_profiler.h"

#ifdef FAULT
#define RIGHT_OR_WRONG(right, wrong) wrong
#else
#define RIGHT_OR_WRONG(right, wrong) right
#endif

namespace mistakes {

using geckoprof::MarkerSchema;

// A type with one field.
#define ONE_FIELD(Type, input, flags)                                                                                 \
  struct Type : geckoprof::BaseMarkerType<Type> {                                                                     \
    static constexpr const char* Name = #Type;                                                                        \
    static constexpr MarkerSchema::PayloadField PayloadFields[] = {                                                   \
        {"f", MarkerSchema::InputType::input, "F", MarkerSchema::Format::String, MarkerSchema::PayloadFlags::flags}}; \
  }
ONE_FIELD(Integer, Int64, None);
ONE_FIELD(Text, CString, None);
ONE_FIELD(Boolean, Boolean, None);
ONE_FIELD(Duration, TimeDuration, None);
ONE_FIELD(Time, TimeStamp, None);
ONE_FIELD(OfFlow, Flow, None);
ONE_FIELD(List, StringList, None);
ONE_FIELD(Maybe, Int64, Optional);

#define SEVEN(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define EIGHT(...) SEVEN(__VA_ARGS__), __VA_ARGS__
#ifdef FAULT
#define MANY_TEXTS(...) EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__)
#else
#define MANY_TEXTS(...) EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), EIGHT(__VA_ARGS__), SEVEN(__VA_ARGS__)
#endif
struct ManyTexts : geckoprof::BaseMarkerType<ManyTexts> {
  static constexpr const char* Name = "ManyTexts";
  static constexpr MarkerSchema::PayloadField PayloadFields[] = {
      MANY_TEXTS({"f", MarkerSchema::InputType::CString, "F", MarkerSchema::Format::String})};
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

inline const std::string g_text = "text";
inline const std::vector<std::string> g_list = {"a"};
inline const std::vector<int> g_numbers = {1};

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
#elif defined(OPTIONAL_WITHOUT_FLAG)
  MARK(RIGHT_OR_WRONG(Maybe, Integer), std::optional<int>(1));
#elif defined(NAME_NOT_LITERAL)
  [[maybe_unused]] static const char* const name = "name";
  AUTO_PROFILER_MARKER_UNTYPED(RIGHT_OR_WRONG("name", name), OTHER);
#elif defined(TOO_MANY_TEXTS)
  MARK(ManyTexts, MANY_TEXTS("t"));
#elif defined(UNKNOWN_CATEGORY)
  PROFILER_MARKER_UNTYPED("m", RIGHT_OR_WRONG(OTHER, NONSENSE));
#else
#error "no such case"
#endif
}

}  // namespace mistakes
