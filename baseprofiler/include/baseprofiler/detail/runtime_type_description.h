// Marker types that do not declare fields, and are described at run time. Firefox has such types, and they work
// unchanged.
//
//   struct Parsed {
//     static constexpr std::string_view MarkerTypeName() { return "Parsed"; }
//     static void StreamJSONMarkerData(geckoprof::baseprofiler::SpliceableJSONWriter& writer, std::string_view url,
//                                      int tokens) {
//       writer.StringProperty("url", url);
//       writer.IntProperty("tokens", tokens);
//     }
//     static geckoprof::MarkerSchema MarkerTypeDisplay() {
//       using MS = geckoprof::MarkerSchema;
//       MS schema{MS::Location::MarkerChart, MS::Location::MarkerTable};
//       return schema.AddKeyLabelFormat("url", "URL", MS::Format::Url).AddKeyFormat("tokens", MS::Format::Integer);
//     }
//   };
#ifndef GECKOPROF_BASEPROFILER_DETAIL_RUNTIME_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_RUNTIME_TYPE_DESCRIPTION_H_

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "baseprofiler/detail/language.h"
#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

// StreamJSONMarkerData may be a template, for example over the writer, so this does not look for it.
GECKOPROF_DETECTOR_(kHasSchemaDisplay, MarkerSchema(Type::MarkerTypeDisplay()));
template <typename Type>
inline constexpr bool kIsRuntimeType = kHasSchemaDisplay<Type>&& kHasMarkerTypeName<Type>;

template <typename Type>
inline constexpr bool kWritesItself = kIsRuntimeType<Type> || kWritesFields<Type>;

// InterruptedWriteCounter surrounds a call of StreamJSONMarkerData. If an exception or the cancellation of the thread
// ends the call, the marker is counted as bad-marker.
struct InterruptedWriteCounter {
  bool is_complete = false;
  ~InterruptedWriteCounter() {
    if (!is_complete) geckoprof_base_add_marker(nullptr, nullptr, nullptr, 0);
  }
};

// Returns the name of such a type. The text of a string_view must end with a zero, as a literal does.
GECKOPROF_DETECTOR_(kHasNameWithData, Type::MarkerTypeName().data());
template <typename Type>
const char* RuntimeTypeName() {
  if constexpr (kHasNameWithData<Type>) {
    return Type::MarkerTypeName().data();
  } else {
    static_assert(std::is_convertible_v<decltype(Type::MarkerTypeName()), const char*>,
                  "MarkerTypeName returns a std::string_view of a literal, or a const char*");
    return Type::MarkerTypeName();
  }
}

// NoInterruption blocks all signals on this thread while it lives, except those that an instruction raises. A handler
// that marks the same type, or that leaves by a jump, would find a description that is neither made nor free.
class NoInterruption {
 public:
  NoInterruption() {
    sigset_t all;
    sigfillset(&all);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, signal);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoInterruption() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoInterruption(const NoInterruption&) = delete;
  NoInterruption& operator=(const NoInterruption&) = delete;

 private:
  sigset_t before_;
};

// FirstUse is a value that code of the program makes when it is first needed, like a static variable of a function. Two
// callers would wait for ever for such a variable. The child of a fork does not wait for a maker in the parent, and
// makes the value again. A maker that asks for the value, for example in an allocator that marks, gets none.
//
//   0 ---> process and thread of the maker ---> made
//   ^ <-- it threw          | another process: made again, in the same place
//
// Lifetime: static. The value is never destroyed. Threads: any. Others wait for the maker. Context: any except the
// child of a vfork.
template <typename Value>
class FirstUse {
 public:
  // make(place) makes the value at `place`, by placement new. Returns null to a caller inside of `make`.
  template <typename Make>
  Value* Get(const Make& make) {
    Value* value = __atomic_load_n(&made_, __ATOMIC_ACQUIRE);
    while (value == nullptr) {
      const NoInterruption first_use;
      if (const Turn turn = Acquire(); turn != Turn::kAcquired) {
        if (turn == Turn::kOwn) return nullptr;
      } else {
        const Release release{maker_};
        value = make(static_cast<void*>(place_));
        __atomic_store_n(&made_, value, __ATOMIC_RELEASE);
        return value;
      }
      sched_yield();
      value = __atomic_load_n(&made_, __ATOMIC_ACQUIRE);
    }
    return value;
  }

 private:
  enum class Turn : uint8_t { kAcquired, kOwn, kOther };
  struct Release {
    uint64_t& maker;
    ~Release() { __atomic_store_n(&maker, 0, __ATOMIC_RELEASE); }
  };

  Turn Acquire() {
    const auto process = static_cast<uint64_t>(getpid()) << 32;
    const uint64_t self = process | static_cast<uint32_t>(syscall(SYS_gettid));
    uint64_t maker = 0;
    while (!__atomic_compare_exchange_n(&maker_, &maker, self, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      if (maker == self) return Turn::kOwn;
      if (maker >> 32 == process >> 32) return Turn::kOther;
    }
    return __atomic_load_n(&made_, __ATOMIC_ACQUIRE) == nullptr ? Turn::kAcquired : Turn::kOther;
  }

  Value* made_ = nullptr;
  uint64_t maker_ = 0;  // process << 32 | thread, or 0
  alignas(Value) unsigned char place_[sizeof(Value)] = {};
};

// RuntimeTypeDescription is the description of such a type. It is made when the type is first used.
class RuntimeTypeDescription {
 public:
  RuntimeTypeDescription(const char* name, const MarkerSchema& schema) : schema_(schema) {
    type_.size_bytes = sizeof(type_);
    type_.flags = (schema.is_stack_based() ? GECKOPROF_TYPE_STACK_BASED : 0) |
                  (schema.has_schema() ? 0 : GECKOPROF_TYPE_NO_SCHEMA);
    type_.name = name;
    type_.chart_label = schema.chart_label();
    type_.tooltip_label = schema.tooltip_label();
    type_.table_label = schema.table_label();
    for (const MS::Location location : schema.locations()) {
      if (const char* const text = ToText(location); text != nullptr) display_[type_.display_count++] = text;
    }
    for (const MS::KeyFormat& key : schema.keys()) {
      fields_[type_.field_count++] = {
          key.key, key.label, FormatText(key), GECKOPROF_FIELD_VALUE,
          GECKOPROF_FIELD_IN_SCHEMA_ONLY | (Has(key.flags, MS::PayloadFlags::Hidden) ? GECKOPROF_FIELD_HIDDEN : 0)};
    }
    fields_[type_.field_count++] = {"", nullptr, nullptr, GECKOPROF_FIELD_VALUE, GECKOPROF_FIELD_SPREAD};
    for (const MS::Graph& graph : schema.graphs()) {
      graphs_[type_.graph_count++] = {graph.Key, ToText(graph.Type), ToText(graph.Color)};
    }
    for (const MS::Note& note : schema.notes()) notes_[type_.note_count++] = {note.Label, note.Value};
    type_.display = display_;
    type_.fields = fields_;
    type_.graphs = graphs_;
    type_.notes = notes_;
  }
  RuntimeTypeDescription(const RuntimeTypeDescription&) = delete;
  RuntimeTypeDescription& operator=(const RuntimeTypeDescription&) = delete;

  geckoprof_marker_type& type() { return type_; }

 private:
  // A table for which there is no room, or that has no columns, is not in the schema.
  const char* FormatText(const MS::KeyFormat& key) {
    if (key.format != MS::Format::Table) return ToText(key.format);
    if (key.columns.empty()) return nullptr;
    const size_t bytes = WriteTableFormat(key.columns, nullptr);
    if (bytes > sizeof table_texts_ - table_text_bytes_) return nullptr;
    char* const text = table_texts_ + table_text_bytes_;
    table_text_bytes_ += WriteTableFormat(key.columns, text);
    return text;
  }

  const MarkerSchema schema_;  // type_ refers to its texts.
  geckoprof_marker_type type_{};
  const char* display_[MarkerSchema::kMaxLocations];
  geckoprof_marker_field fields_[MarkerSchema::kMaxFields + 1];
  geckoprof_marker_note notes_[MarkerSchema::kMaxNotes];
  geckoprof_marker_graph graphs_[MarkerSchema::kMaxGraphs];
  size_t table_text_bytes_ = 0;
  char table_texts_[1024];
};

// Returns an empty text for a null pointer. The type may make a string_view from the argument.
template <typename Argument>
decltype(auto) WithoutNull(const Argument& argument) {
  if constexpr (std::is_same_v<Argument, const char*> || std::is_same_v<Argument, char*>) {
    return argument == nullptr ? static_cast<const char*>("") : argument;
  } else {
    return (argument);
  }
}

// Each executable or library has a description of its own, so that one may be unloaded. Returns null where FirstUse
// does.
template <typename Type>
__attribute__((visibility("hidden"))) geckoprof_marker_type* RuntimeTypeOf() {
  static GECKOPROF_CONSTINIT_ FirstUse<RuntimeTypeDescription> description;
  RuntimeTypeDescription* const made = description.Get([](void* place) {
    return new (place) RuntimeTypeDescription(RuntimeTypeName<Type>(), Type::MarkerTypeDisplay());
  });
  return made == nullptr ? nullptr : &made->type();
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_RUNTIME_TYPE_DESCRIPTION_H_
