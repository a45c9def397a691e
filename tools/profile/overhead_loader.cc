#include "tools/profile/overhead_loader.h"

#include <algorithm>
#include <utility>

#include "tools/profile/gecko_table.h"

namespace geckoprof {
namespace {

// The columns of the table, by number.
enum Column : size_t { kTime, kLocking, kUpkeep, kCounters, kThreads, kLateness, kColumns };
constexpr const char* kNames[kColumns] = {"time",     "locking", "expiredMarkerCleaning",
                                          "counters", "threads", "lateness"};

double Us(JsonView cell) {
  constexpr double kMost = 1e15;  // thirty years
  const double us = cell.NumberOr(0);
  return us > 0 && us < kMost ? us : 0;
}

void Add(double us, ProfileOverhead::Sum* sum) {
  sum->total_us += us;
  sum->most_us = std::max(sum->most_us, us);
}

// `cell` returns that of a column, and `time_ms` is on the time line of the file.
template <typename Cell>
void AddLook(double time_ms, bool has_lateness, const Cell& cell, ProfileOverhead* out) {
  if (out->looks++ == 0) out->begin_ms = out->end_ms = time_ms;
  // Firefox writes its first times in another unit, so that they lie far behind.
  out->begin_ms = std::min(out->begin_ms, time_ms);
  out->end_ms = std::max(out->end_ms, time_ms);
  Add(Us(cell(kLocking)), &out->locking);
  Add(Us(cell(kUpkeep)), &out->upkeep);
  Add(Us(cell(kCounters)), &out->counters);
  Add(Us(cell(kThreads)), &out->threads);
  if (has_lateness) out->lateness_us.push_back(static_cast<float>(Us(cell(kLateness))));
}

// Firefox does not write these. The time of its looks is then that of the recording.
void ReadTotals(JsonView overhead, ProfileOverhead* out) {
  const auto ms = [overhead](const char* name) -> std::optional<double> {
    return overhead[name].IsNumber() ? std::optional(std::max(ReadTimeMs(overhead[name]), 0.0)) : std::nullopt;
  };
  out->sampler_ms = ms("samplerCPUTime");
  out->handler_ms = ms("handlerTime");
  out->recording_ms = ms("recordingTime").value_or(out->end_ms - out->begin_ms);
}

}  // namespace

absl::Status LoadGeckoOverhead(JsonView profile, int32_t process, ModelBuilder* builder) {
  const GeckoTable table(profile["profilerOverhead"]["samples"]);
  if (!table.IsTable()) return absl::OkStatus();
  if (absl::Status status = builder->CountRows(table.rows(), sizeof(float)); !status.ok()) return status;
  ProfileModel& model = builder->model();
  const double shift_ms = model.processes[static_cast<size_t>(process)].shift_ms;
  std::optional<size_t> columns[kColumns];
  for (size_t i = 0; i < kColumns; ++i) columns[i] = table.Column(kNames[i]);
  ProfileOverhead out;
  out.process = process;
  for (size_t row = 0; row < table.rows(); ++row) {
    const JsonView cells = table.Row(row);
    const auto cell = [&](Column column) { return GeckoTable::Cell(cells, columns[column]); };
    AddLook(Us(cell(kTime)) / 1000 + shift_ms, columns[kLateness].has_value(), cell, &out);
  }
  ReadTotals(profile["profilerOverhead"], &out);
  model.overheads.push_back(std::move(out));
  return absl::OkStatus();
}

absl::Status LoadProcessedOverhead(JsonView profile, ModelBuilder* builder) {
  ProfileModel& model = builder->model();
  const JsonView list = profile["profilerOverhead"];
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonView samples = list.At(i)["samples"];
    const auto process =
        std::ranges::find(model.processes, TextOf(list.At(i)["pid"]), [](const ProfileProcess& p) { return p.pid; });
    const JsonView times = samples["time"];
    if (process == model.processes.end() || !times.IsArray()) continue;
    if (absl::Status status = builder->CountRows(times.size(), sizeof(float)); !status.ok()) return status;
    JsonView columns[kColumns];
    for (size_t column = 0; column < kColumns; ++column) columns[column] = samples[kNames[column]];
    ProfileOverhead out;
    out.process = static_cast<int32_t>(process - model.processes.begin());
    for (size_t row = 0; row < times.size(); ++row) {
      const auto cell = [&](Column column) { return columns[column].At(row); };
      AddLook(ReadTimeMs(times.At(row)), columns[kLateness].IsArray(), cell, &out);
    }
    ReadTotals(list.At(i), &out);
    model.overheads.push_back(std::move(out));
  }
  return absl::OkStatus();
}

}  // namespace geckoprof
