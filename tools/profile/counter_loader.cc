#include "tools/profile/counter_loader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/counter_peak.h"
#include "tools/profile/gecko_table.h"
#include "tools/profile/model_builder.h"

namespace geckoprof {
namespace {

// In the range of 64 bits, so that sums stay finite; else 0.
double CountOf(JsonView value) {
  constexpr double kMost = 1.9e19;
  const double number = value.NumberOr(0);
  return std::abs(number) <= kMost ? number : 0;
}

ProfileCounter Named(JsonView counter, int32_t process) {
  ProfileCounter out;
  out.process = process;
  out.name = counter["name"].AsString();
  out.category = counter["category"].AsString();
  out.description = counter["description"].AsString();
  out.color = counter["display"]["color"].AsString();
  const JsonView display = counter["display"], unit = display["unit"];
  // Where the file does not say: as the viewer takes it.
  out.is_rate = display.Exists() ? display["graphType"].AsString() == "line-rate" : out.category != "Memory";
  const bool is_bytes = out.category == "Memory" || out.category == "Bandwidth";
  out.unit = unit.IsString() ? unit.AsString() : is_bytes ? "bytes" : out.category == "power" ? kEnergyUnit : "";
  return out;
}

// Whole numbers to the last one, as far as 128 bits go, whatever the order; beside them what has a fraction.
class CounterSum {
 public:
  void Add(JsonView value) {
    const std::optional<int64_t> integer = value.AsInteger();
    if (integer.has_value()) {
      whole_ += *integer;
    } else {
      rest_ += CountOf(value);
    }
  }
  double total() const { return static_cast<double>(whole_) + rest_; }

 private:
  __extension__ __int128 whole_ = 0;  // 2^63 rows would have to be read to leave it
  double rest_ = 0;
};

struct CounterSums {
  CounterPeak peak;
  CounterSum count = {}, operations = {};
};

// The first row says what there was before.
void AddRow(size_t row, double time_ms, JsonView count, JsonView number, bool with_rows, CounterSums* sums,
            ProfileCounter* counter) {
  if (with_rows) counter->rows.push_back({time_ms, CountOf(count), CountOf(number)});
  if (row == 0) counter->first_ms = time_ms;
  counter->last_ms = std::max(counter->last_ms, time_ms);
  sums->peak.Add(time_ms, CountOf(count));
  counter->peak = sums->peak.value();
  if (row == 0) return;
  sums->count.Add(count);
  sums->operations.Add(number);
  counter->total = sums->count.total();
  counter->operations = sums->operations.total();
}

}  // namespace

absl::Status CountCounterRows(JsonView profile, ModelBuilder* builder) {
  const JsonView counters = profile["counters"];
  absl::Status status = builder->CountRows(counters.size(), sizeof(ProfileCounter));
  for (size_t i = 0; status.ok() && builder->is_full() && i < counters.size(); ++i) {
    const JsonView samples = counters.At(i)["samples"];
    status = builder->CountRows(samples["count"].size() + samples["data"].size(), sizeof(ProfileCounter::Row));
  }
  return status;
}

void LoadGeckoCounters(JsonView profile, int32_t process, ProfileModel* model, bool with_rows) {
  const JsonView counters = profile["counters"];
  for (size_t i = 0; i < counters.size(); ++i) {
    const JsonView counter = counters.At(i);
    ProfileCounter out = Named(counter, process);
    const GeckoTable table(counter["samples"]);
    if (!table.IsTable()) continue;
    const auto time = table.Column("time"), count = table.Column("count"), number = table.Column("number");
    out.has_operations = number.has_value();
    const double shift_ms = with_rows ? model->processes[static_cast<size_t>(process)].shift_ms : 0;
    CounterSums sums{CounterPeak(out.is_rate, model->interval_ms)};
    for (size_t row = 0; row < table.rows(); ++row) {
      const JsonView cells = table.Row(row);
      AddRow(row, ReadTimeMs(GeckoTable::Cell(cells, time)) + shift_ms, GeckoTable::Cell(cells, count),
             GeckoTable::Cell(cells, number), with_rows, &sums, &out);
    }
    model->counters.push_back(std::move(out));
  }
}

void LoadProcessedCounters(JsonView profile, ProfileModel* model, bool with_rows) {
  const JsonView counters = profile["counters"];
  absl::flat_hash_map<std::string_view, int32_t> processes;  // rows by pid
  for (size_t i = 0; i < model->processes.size(); ++i) {
    processes.emplace(model->processes[i].pid, static_cast<int32_t>(i));
  }
  for (size_t i = 0; i < counters.size(); ++i) {
    const JsonView counter = counters.At(i), samples = counter["samples"];
    const auto process = processes.find(TextOf(counter["pid"]));
    if (process == processes.end() || !samples["count"].IsArray()) continue;
    ProfileCounter out = Named(counter, process->second);
    out.has_operations = samples["number"].IsArray();
    const JsonView times = samples["time"], deltas = samples["timeDeltas"];
    double time_ms = 0;
    CounterSums sums{CounterPeak(out.is_rate, model->interval_ms)};
    for (size_t row = 0; row < samples["count"].size(); ++row) {
      time_ms = times.IsArray() ? ReadTimeMs(times.At(row)) : time_ms + ReadTimeMs(deltas.At(row));
      AddRow(row, time_ms, samples["count"].At(row), samples["number"].At(row), with_rows, &sums, &out);
    }
    model->counters.push_back(std::move(out));
  }
}

}  // namespace geckoprof
