#include "tools/report/io_sums.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/report/cell_text.h"
#include "tools/report/event_tables.h"
#include "tools/report/marker_times.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

struct IoSum {
  double calls = 0, bytes = 0, ms = 0;
  bool is_rest = false;  // of calls that the hooks could not name one by one
  double unknown = 0;    // requests whose result is not known
};

// Returns a class for readers who do not know the names that the hooks give.
std::string_view ClassText(std::string_view io_class) {
  if (io_class == "path") return "path (open, stat and others that take a path)";
  if (io_class == "other") return "other (devices, events and others)";
  return io_class;
}

// The hooks name a row "(others)" if its class has too many paths. The class "other" has there the descriptors that
// were not open, or were closed without another call.
std::string PathText(std::string_view io_class, std::string_view path, bool is_rest) {
  if (!is_rest) return Concat(io_class, " ", path);
  return io_class == "other" ? "descriptors without a name" : Concat("all further rows of the class ", io_class);
}

struct SlowCall {
  double ms = 0, bytes = 0;
  std::string name;
};

// IoSums: the totals and the slow calls of all threads of a profile.
class IoSums {
 public:
  explicit IoSums(const ProfileModel& model) : model_(model) {
    for (const ProfileThread& thread : model.threads) {
      for (const MarkerTime& time : MarkerTimesOf(thread)) Add(thread, time);
    }
  }

  bool empty() const { return by_class_.empty() && by_request_.empty(); }
  bool has_requests() const { return !by_request_.empty(); }
  double unknown_requests() const {
    double unknown = 0;
    for (const auto& [name, sum] : by_request_) unknown += sum.unknown;
    return unknown;
  }

  void AddRows(size_t top, ReportTable* table) const {
    std::vector<ReportTable::Row> rows;
    AddSums("class", by_class_, top, &rows);
    const Sums paths = ShownPaths();
    AddSums("path", paths, top, &rows);
    AddSums("request", by_request_, top, &rows);
    std::vector<SlowCall> calls = calls_;
    std::stable_sort(calls.begin(), calls.end(), [](const SlowCall& a, const SlowCall& b) { return a.ms > b.ms; });
    calls.resize(std::min(calls.size(), top));
    for (const SlowCall& call : calls) {
      rows.push_back({1, call.bytes, call.ms, {}, {}, {}, call.ms, "call", call.name});
    }
    table->all_rows += by_class_.size() + paths.size() + by_request_.size() + calls_.size();
    table->rows.insert(table->rows.begin(), rows.begin(), rows.end());
  }

 private:
  using Sums = absl::flat_hash_map<std::string, IoSum>;

  // The fields of a marker, by key.
  struct Fields {
    const ProfileModel& model;
    const ProfileMarkerData& data;

    const ProfileMarkerField* Find(std::string_view key) const {
      for (uint32_t i = 0; i < data.field_count; ++i) {
        const ProfileMarkerField& field = model.marker_fields[data.first_field + i];
        if (model.Text(field.key) == key) return &field;
      }
      return nullptr;
    }
    std::string_view Text(std::string_view key) const {
      const ProfileMarkerField* const field = Find(key);
      return field != nullptr && field->kind == ProfileMarkerField::Kind::kText ? model.Text(field->text)
                                                                                : std::string_view();
    }
    double Number(std::string_view key) const {
      const ProfileMarkerField* const field = Find(key);
      return field != nullptr && field->kind == ProfileMarkerField::Kind::kNumber ? field->number : 0;
    }
  };

  void Add(const ProfileThread& thread, const MarkerTime& time) {
    const ProfileMarker& marker = thread.markers[static_cast<size_t>(time.marker)];
    if (marker.data == kNoRow) return;
    const ProfileMarkerData& data = model_.marker_data[static_cast<size_t>(marker.data)];
    if (data.type == kNoRow) return;
    const std::string_view type = model_.Text(data.type);
    const Fields fields{model_, data};
    const double bytes = fields.Number("read") + fields.Number("written") + fields.Number("bytes");
    if (type == "IOTotals") {
      const std::string_view io_class = fields.Text("class"), path = fields.Text("path");
      const bool is_rest = path == "(others)";
      const IoSum sum{fields.Number("calls"), bytes, fields.Number("time"), is_rest};
      AddTo(std::string(ClassText(io_class)), sum, &by_class_);
      AddTo(Concat(Process(thread), PathText(io_class, path, is_rest)), sum, &by_path_);
      total_ms_ += sum.ms;
    } else if (type == "IORequests") {
      const std::string_view io_class = fields.Text("class"), path = fields.Text("path");
      const double requests = fields.Number("requests");
      AddTo(Concat(Process(thread), fields.Text("operation"), " ", PathText(io_class, path, path == "(others)")),
            {requests, bytes, 0, false, requests - fields.Number("completed")}, &by_request_);
    } else if ((type == "FileIO" || type == "NetIO") && time.has_duration) {
      const std::string_view subject = fields.Text(type == "FileIO" ? "filename" : "peer");
      calls_.push_back({time.end_ms - time.start_ms, bytes,
                        Concat(Process(thread), fields.Text("operation"), subject.empty() ? "" : " ", subject)});
    }
  }

  std::string Process(const ProfileThread& thread) const {
    return model_.processes.size() < 2 ? ""
                                       : Concat("[", model_.processes[static_cast<size_t>(thread.process)].pid, "] ");
  }

  static void AddTo(std::string name, const IoSum& sum, Sums* sums) {
    IoSum& to = (*sums)[std::move(name)];
    to.calls += sum.calls;
    to.bytes += sum.bytes;
    to.ms += sum.ms;
    to.is_rest |= sum.is_rest;
    to.unknown += sum.unknown;
  }

  // A rest says something if it has bytes, or a hundredth of the time.
  Sums ShownPaths() const {
    Sums shown = by_path_;
    absl::erase_if(shown, [this](const auto& row) {
      return row.second.is_rest && row.second.bytes == 0 && row.second.ms * 100 < total_ms_;
    });
    return shown;
  }

  void AddSums(const char* source, const Sums& sums, size_t top, std::vector<ReportTable::Row>* rows) const {
    std::vector<std::pair<std::string, IoSum>> sorted(sums.begin(), sums.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second.ms, b.second.bytes, a.first) < std::tie(a.second.ms, a.second.bytes, b.first);
    });
    sorted.resize(std::min(sorted.size(), top));
    for (const auto& [name, sum] : sorted) {
      rows->push_back({sum.calls, sum.bytes, sum.ms, {}, {}, {}, {}, source, name});
      if (&sums == &by_request_) rows->back()[2] = {};  // they have no time
    }
  }

  const ProfileModel& model_;
  Sums by_class_, by_path_, by_request_;
  double total_ms_ = 0;
  std::vector<SlowCall> calls_;
};

}  // namespace

ReportTable IoTable(const ProfileModel& model, size_t top) {
  ReportTable table = EventTable(model, EventTopic::kIo, top);
  const IoSums sums(model);
  if (sums.empty()) return table;
  sums.AddRows(top, &table);
  table.notes.push_back(
      "Rows of a class or a path have all calls. Other rows have the calls above the threshold alone.");
  if (sums.has_requests()) {
    table.notes.push_back("Rows of requests have the requests to rings of io_uring, with the bytes that these moved.");
    if (const double unknown = sums.unknown_requests(); unknown > 0) {
      table.notes.push_back(Concat("The results of ", GroupedText(unknown), " requests are not known."));
    }
  }
  return table;
}

}  // namespace geckoprof
