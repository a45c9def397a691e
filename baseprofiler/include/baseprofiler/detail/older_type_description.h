// Types of markers as they were written before fields could be declared, so that code which has them can stay as it is:
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
#ifndef GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_
#define GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_

#include <signal.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <string_view>

#include "baseprofiler/detail/marker_type_description.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_schema.h"
#include "baseprofiler/spliceable_json_writer.h"

namespace geckoprof::internal {

template <typename Type>
concept OlderMarkerType = requires {
  { Type::MarkerTypeDisplay() } -> std::convertible_to<MarkerSchema>;
  { Type::MarkerTypeName().data() } -> std::convertible_to<const char*>;
  &Type::StreamJSONMarkerData;
};

template <typename Type>
concept WritesItself = OlderMarkerType<Type> || WritesFields<Type>;

// The description of such a type, made when it is first used. Of its name, MarkerTypeName() must end with a 0, as a
// literal does.
class OlderTypeDescription {
 public:
  OlderTypeDescription(const char* name, const MarkerSchema& schema) : schema_(schema) {
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
  OlderTypeDescription(const OlderTypeDescription&) = delete;
  OlderTypeDescription& operator=(const OlderTypeDescription&) = delete;

  geckoprof_marker_type& type() { return type_; }

 private:
  // Tables for which there is no room, and such without columns, are in no schema.
  const char* FormatText(const MS::KeyFormat& key) {
    if (key.format != MS::Format::Table) return ToText(key.format);
    if (key.columns.empty()) return nullptr;
    const size_t bytes = WriteTableFormat(key.columns, nullptr);
    if (bytes > sizeof table_texts_ - table_text_bytes_) return nullptr;
    char* const text = table_texts_ + table_text_bytes_;
    table_text_bytes_ += WriteTableFormat(key.columns, text);
    return text;
  }

  const MarkerSchema schema_;  // whose texts are borrowed
  geckoprof_marker_type type_{};
  const char* display_[MarkerSchema::kMostLocations];
  geckoprof_marker_field fields_[MarkerSchema::kMostFields + 1];
  geckoprof_marker_note notes_[MarkerSchema::kMostNotes];
  geckoprof_marker_graph graphs_[MarkerSchema::kMostGraphs];
  size_t table_text_bytes_ = 0;
  char table_texts_[1024];
};

// NoInterruption: no signal handler runs on this thread while it lives, but for what an instruction raises: one that
// marks the same type, or leaves by a jump, would find what is being made here neither made nor free. By libc's calls:
// those of the kernel are nothing for a public header.
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

// Hidden: of each library its own, so that one which is closed takes no other's with it.
template <OlderMarkerType Type>
__attribute__((visibility("hidden"))) geckoprof_marker_type& OlderTypeOf() {
  static constinit std::atomic<geckoprof_marker_type*> known{nullptr};
  if (geckoprof_marker_type* const type = known.load(std::memory_order_acquire)) return *type;
  const NoInterruption first_use;
  static OlderTypeDescription description(Type::MarkerTypeName().data(), Type::MarkerTypeDisplay());
  known.store(&description.type(), std::memory_order_release);
  return description.type();
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_OLDER_TYPE_DESCRIPTION_H_
