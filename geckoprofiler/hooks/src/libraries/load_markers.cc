#include "libraries/load_markers.h"

#include <cstddef>

#include "baseprofiler/category.h"
#include "runtime/hook_marker.h"

namespace geckoprof {
namespace {

constexpr uint32_t kCategory = baseprofiler::ToCategoryPair(MarkerCategory::OTHER);
constexpr const char* kDisplay[] = {"marker-chart", "marker-table", "timeline-overview"};

consteval geckoprof_marker_type WithDisplay(geckoprof_marker_type type, const char* description, const char* label) {
  type.description = description;
  type.table_label = label;
  type.chart_label = "{marker.data.file}";
  type.display = kDisplay;
  type.display_count = sizeof(kDisplay) / sizeof(*kDisplay);
  return type;
}

constexpr geckoprof_marker_field kLoadFields[] = {
    {"file", "Library", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"size", "Size in memory", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"relocations", "Relocations", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"constructors", "Constructors", "duration", GECKOPROF_FIELD_NS, GECKOPROF_FIELD_OPTIONAL},
};
constinit geckoprof_marker_type g_load_type =
    WithDisplay(MakeHookMarkerType("LibraryLoad", kLoadFields),
                "A library was loaded. The marker lasts while its constructors run.", "{marker.data.file}");
constinit geckoprof_marker_site g_load_site = MakeHookMarkerSite("Library load", &g_load_type, kCategory);

constexpr geckoprof_marker_field kUnloadFields[] = {
    {"file", "Library", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"size", "Size in memory", "bytes", GECKOPROF_FIELD_UINT64, 0},
};
constinit geckoprof_marker_type g_unload_type =
    WithDisplay(MakeHookMarkerType("LibraryUnload", kUnloadFields),
                "A library was unloaded. The marker lasts as long as the dlclose that did it.", "{marker.data.file}");
constinit geckoprof_marker_site g_unload_site = MakeHookMarkerSite("Library unload", &g_unload_type, kCategory);

constexpr geckoprof_marker_field kCallFields[] = {
    {"file", "Name", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"outcome", "Outcome", "string", GECKOPROF_FIELD_STRING, 0},
    {"libraries", "Loaded libraries", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"mapping", "Search and mapping", "duration", GECKOPROF_FIELD_NS, GECKOPROF_FIELD_OPTIONAL},
    {"relocation", "Relocation", "duration", GECKOPROF_FIELD_NS, GECKOPROF_FIELD_OPTIONAL},
    {"constructors", "Constructors", "duration", GECKOPROF_FIELD_NS, GECKOPROF_FIELD_OPTIONAL},
};
constinit geckoprof_marker_type g_call_type =
    WithDisplay(MakeHookMarkerType("LibraryCall", kCallFields), "A call that loads a library, and what it needs.",
                "{marker.data.file}: {marker.data.outcome}");
constinit geckoprof_marker_site g_dlopen_site = MakeHookMarkerSite("dlopen", &g_call_type, kCategory);
constinit geckoprof_marker_site g_dlmopen_site = MakeHookMarkerSite("dlmopen", &g_call_type, kCategory);

constinit geckoprof_marker_site g_full_site = MakeHookMarkerSite("Libraries are not recorded", nullptr, kCategory);

constexpr size_t kMostText = 512;
using LibraryPayload = HookPayload<kMostText + 128>;

// A long path has its end.
std::string_view Cut(std::string_view text) {
  return text.size() > kMostText ? text.substr(text.size() - kMostText) : text;
}

void AddOptional(std::optional<int64_t> ns, LibraryPayload* payload) {
  payload->Byte(ns.has_value());
  if (ns.has_value()) payload->Number(static_cast<uint64_t>(*ns));
}

geckoprof_marker_options OptionsOf(geckoprof_time start, geckoprof_time end) {
  geckoprof_marker_options options = HookIntervalOptions(start, end);
  if (start == 0) options.flags = GECKOPROF_MARKER_INSTANT;
  return options;
}

}  // namespace

void AddLibraryLoad(const LibraryFacts& library, geckoprof_time start, geckoprof_time end) {
  LibraryPayload payload;
  payload.Text(Cut(library.path)).Number(library.size_bytes).Number(library.relocations);
  AddOptional(start != 0 ? std::optional(geckoprof_base_ns_between(start, end)) : std::nullopt, &payload);
  (void)payload.AddTo(g_load_site, OptionsOf(start, end));
}

void AddLibraryUnload(const LibraryFacts& library, geckoprof_time start, geckoprof_time end) {
  LibraryPayload payload;
  payload.Text(Cut(library.path)).Number(library.size_bytes);
  (void)payload.AddTo(g_unload_site, OptionsOf(start, end));
}

void AddLoadCall(const LoadCallFacts& call, uint32_t skipped_frames) {
  LibraryPayload payload;
  payload.Text(Cut(call.name))
      .Text(!call.was_loaded      ? "failed"
            : call.libraries == 0 ? "nothing new"
                                  : "loaded")
      .Number(call.libraries);
  AddOptional(call.mapping_ns, &payload);
  AddOptional(call.relocation_ns, &payload);
  AddOptional(call.constructors_ns, &payload);
  geckoprof_marker_site& site = call.function == "dlmopen" ? g_dlmopen_site : g_dlopen_site;
  (void)payload.AddTo(site, HookIntervalOptions(call.start, call.end, skipped_frames));
}

void AddTableIsFull() {
  geckoprof_base_begin_in_place(&g_full_site, GECKOPROF_MARKER_INSTANT | GECKOPROF_MARKER_NOW, 0, 0, 0);
}

}  // namespace geckoprof
