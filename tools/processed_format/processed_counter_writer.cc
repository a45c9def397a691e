#include "tools/processed_format/processed_counter_writer.h"

#include <algorithm>

#include "tools/processed_format/processed_file.h"
#include "tools/processed_format/processed_thread_writer.h"

namespace geckoprof {

void ProcessedCounters::Add(const ProcessProfile& process) {
  const auto main = std::find_if(process.threads.begin(), process.threads.end(),
                                 [](const ThreadRow& thread) { return thread.is_main; });
  if (main != process.threads.end()) {
    const size_t main_thread = first_thread_ + static_cast<size_t>(main - process.threads.begin());
    for (const CounterRow& counter : process.counters) {
      const auto fill = [&](CounterColumn column, size_t first_row, std::span<JsonNumber> cells) {
        FillFromRows(counter.samples, first_row, cells, [&](const CounterSample& sample) {
          if (column == CounterColumn::kTime) return JsonNumber::TimeMs(sample.time_ns - zero_ns_);
          return JsonNumber::Int(column == CounterColumn::kCount ? sample.count : sample.number);
        });
      };
      counters_.Add([&](JsonWriter& writer) {
        WriteCounter(counter, ProcessedPid(process), main_thread, counter.samples.size(), fill, writer);
      });
    }
  }
  first_thread_ += process.threads.size();
}

}  // namespace geckoprof
