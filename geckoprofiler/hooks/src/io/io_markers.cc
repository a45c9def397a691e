#include "io/io_markers.h"

#include "baseprofiler/detail/category_pairs.h"
#include "runtime/hook_marker.h"
#include "runtime/own_process.h"

namespace geckoprof {
namespace {

constexpr const char* kFileDisplay[] = {"marker-chart", "marker-table", "timeline-fileio"};
constexpr geckoprof_marker_field kFileFields[] = {
    {"operation", "Operation", "string", GECKOPROF_FIELD_STRING, 0},
    {"source", "Source", "string", GECKOPROF_FIELD_STRING, 0},
    {"filename", "Filename", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"bytes", "Bytes", "bytes", GECKOPROF_FIELD_UINT64, 0},
};
consteval geckoprof_marker_type MakeFileType() {
  geckoprof_marker_type type = MakeHookMarkerType("FileIO", kFileFields);
  type.description = "A slow call that reads, writes or changes files";
  type.chart_label = "{marker.data.operation}";
  type.tooltip_label = "FileIO — {marker.data.operation}";
  type.table_label = "({marker.data.source}) {marker.data.operation} — {marker.data.filename}";
  type.display = kFileDisplay;
  type.display_count = sizeof(kFileDisplay) / sizeof(*kFileDisplay);
  return type;
}
constinit geckoprof_marker_type g_file_type = MakeFileType();
constinit geckoprof_marker_site g_file_site = MakeHookMarkerSite("FileIO", &g_file_type, GECKOPROF_CATEGORY_STORAGE);

constexpr const char* kNetDisplay[] = {"marker-chart", "marker-table", "timeline-overview"};
constexpr geckoprof_marker_field kNetFields[] = {
    {"operation", "Operation", "string", GECKOPROF_FIELD_STRING, 0},
    {"peer", "Peer", "sanitized-string", GECKOPROF_FIELD_STRING, 0},
    {"read", "Read", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"written", "Written", "bytes", GECKOPROF_FIELD_UINT64, 0},
};
consteval geckoprof_marker_type MakeNetType() {
  geckoprof_marker_type type = MakeHookMarkerType("NetIO", kNetFields);
  type.description = "A slow call of a socket, or a slow look-up of a name";
  type.chart_label = "{marker.data.operation}";
  type.tooltip_label = "NetIO — {marker.data.operation}";
  type.table_label = "{marker.data.operation} — {marker.data.peer}";
  type.display = kNetDisplay;
  type.display_count = sizeof(kNetDisplay) / sizeof(*kNetDisplay);
  return type;
}
constinit geckoprof_marker_type g_net_type = MakeNetType();
constinit geckoprof_marker_site g_net_site = MakeHookMarkerSite("NetIO", &g_net_type, GECKOPROF_CATEGORY_NETWORK);

constexpr const char* kTotalsDisplay[] = {"marker-table"};
constexpr geckoprof_marker_field kTotalsFields[] = {
    {"class", "Class", "string", GECKOPROF_FIELD_STRING, 0},
    {"path", "Path or peer", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"calls", "Calls", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"read", "Read", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"written", "Written", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"time", "Time in the calls", "duration", GECKOPROF_FIELD_NS, 0},
};
consteval geckoprof_marker_type MakeTotalsType() {
  geckoprof_marker_type type = MakeHookMarkerType("IOTotals", kTotalsFields);
  type.description = "All calls of an interval for one path or peer";
  type.table_label = "{marker.data.class} {marker.data.path}: {marker.data.calls} calls, {marker.data.time}";
  type.display = kTotalsDisplay;
  type.display_count = sizeof(kTotalsDisplay) / sizeof(*kTotalsDisplay);
  return type;
}
constinit geckoprof_marker_type g_totals_type = MakeTotalsType();
constinit geckoprof_marker_site g_totals_site =
    MakeHookMarkerSite("IOTotals", &g_totals_type, GECKOPROF_CATEGORY_STORAGE);

constexpr geckoprof_marker_field kRequestsFields[] = {
    {"class", "Class", "string", GECKOPROF_FIELD_STRING, 0},
    {"path", "Path or peer", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"operation", "Operation", "string", GECKOPROF_FIELD_STRING, 0},
    {"requests", "Requests", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"completed", "Completed", "integer", GECKOPROF_FIELD_UINT64, 0},
    {"bytes", "Bytes", "bytes", GECKOPROF_FIELD_UINT64, 0},
};
consteval geckoprof_marker_type MakeRequestsType() {
  geckoprof_marker_type type = MakeHookMarkerType("IORequests", kRequestsFields);
  type.description = "All requests of a kind to rings of io_uring, in an interval, for one path or peer";
  type.table_label =
      "{marker.data.operation} {marker.data.class} {marker.data.path}: {marker.data.requests} requests, "
      "{marker.data.bytes}";
  type.display = kTotalsDisplay;
  type.display_count = sizeof(kTotalsDisplay) / sizeof(*kTotalsDisplay);
  return type;
}
constinit geckoprof_marker_type g_requests_type = MakeRequestsType();
constinit geckoprof_marker_site g_requests_site =
    MakeHookMarkerSite("IORequests", &g_requests_type, GECKOPROF_CATEGORY_STORAGE);

// Room for two texts and some numbers.
constexpr size_t kMostText = 1024;
using IoPayload = HookPayload<kMostText + 256>;

std::string_view Cut(std::string_view text) { return text.substr(0, kMostText); }
std::string_view NameOrRest(std::string_view path) { return path.empty() ? std::string_view("(others)") : path; }

geckoprof_marker_options OptionsOf(const IoMarker& marker) {
  return HookIntervalOptions(marker.start, marker.end, marker.skipped_frames);
}

}  // namespace

void AddFileIo(const IoMarker& marker) {
  IoPayload payload;
  payload.Text(marker.operation)
      .Text(kIoClassNames[static_cast<size_t>(marker.io_class)])
      .Text(Cut(marker.subject))
      .Number(marker.read_bytes + marker.written_bytes);
  (void)payload.AddTo(g_file_site, OptionsOf(marker));
}

void AddNetIo(const IoMarker& marker) {
  IoPayload payload;
  payload.Text(marker.operation).Text(Cut(marker.subject)).Number(marker.read_bytes).Number(marker.written_bytes);
  (void)payload.AddTo(g_net_site, OptionsOf(marker));
}

bool AddIoTotals(IoClass io_class, std::string_view path, const IoFigures& figures, geckoprof_time start,
                 geckoprof_time end) {
  IoPayload payload;
  payload.Text(kIoClassNames[static_cast<size_t>(io_class)])
      .Text(NameOrRest(path))
      .Number(figures.calls)
      .Number(figures.read_bytes)
      .Number(figures.written_bytes)
      .Number(figures.ns);
  geckoprof_marker_options options = HookIntervalOptions(start, end);
  options.thread = OwnProcess::id();
  return payload.AddTo(g_totals_site, options);
}

bool AddIoRequests(IoClass io_class, std::string_view path, std::string_view operation, const IoRequests::Sum& sum,
                   geckoprof_time start, geckoprof_time end) {
  IoPayload payload;
  payload.Text(kIoClassNames[static_cast<size_t>(io_class)])
      .Text(NameOrRest(path))
      .Text(operation)
      .Number(sum.requests)
      .Number(sum.completed)
      .Number(sum.bytes);
  geckoprof_marker_options options = HookIntervalOptions(start, end);
  options.thread = OwnProcess::id();
  return payload.AddTo(g_requests_site, options);
}

}  // namespace geckoprof
