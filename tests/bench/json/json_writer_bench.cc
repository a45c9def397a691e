// Sample rows [stack, time, null, cpu] through JsonWriter and through RapidJSON's plain writer with times as doubles.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {
namespace {

constexpr int kRows = 300'000;
constexpr int kRounds = 15;
constexpr double kBar = 2.0;

struct Row {
  int stack;
  int64_t time_ns;
  int cpu_delta_ns;
};

std::vector<Row> MakeRows() {
  std::vector<Row> rows;
  uint64_t random = 88172645463325252;
  int64_t time_ns = 670'258'982;
  for (int i = 0; i < kRows; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    time_ns += 1'000'000 + static_cast<int64_t>(random % 50'000);
    rows.push_back({static_cast<int>(random >> 40) % 20'000, time_ns, static_cast<int>(random % 1'000'000)});
  }
  return rows;
}

double Seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Ours(const std::vector<Row>& rows, uint64_t* bytes) {
  const JsonSink sink{[](void* total, const char*, size_t size_bytes) {
                        *static_cast<uint64_t*>(total) += size_bytes;
                        return true;
                      },
                      bytes};
  const auto start = std::chrono::steady_clock::now();
  JsonWriter writer(sink);
  writer.StartArray();
  for (const Row& row : rows) {
    const JsonNumber numbers[] = {JsonNumber::Int(row.stack), JsonNumber::TimeMs(row.time_ns), JsonNumber::Null(),
                                  JsonNumber::Int(row.cpu_delta_ns)};
    writer.NumberRow(numbers);
  }
  writer.EndArray();
  if (!writer.Finish()) std::puts("failed");
  return Seconds(start);
}

double Plain(const std::vector<Row>& rows, uint64_t* bytes) {
  rapidjson::StringBuffer buffer;
  buffer.Reserve(size_t{kRows} * 48);  // so that neither pays for growth
  const auto start = std::chrono::steady_clock::now();
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.StartArray();
  for (const Row& row : rows) {
    writer.StartArray();
    writer.Int(row.stack);
    writer.Double(static_cast<double>(row.time_ns) / 1e6);
    writer.Null();
    writer.Int(row.cpu_delta_ns);
    writer.EndArray();
  }
  writer.EndArray();
  *bytes += buffer.GetSize();
  return Seconds(start);
}

}  // namespace
}  // namespace geckoprof

int main() {
  using namespace geckoprof;
  const std::vector<Row> rows = MakeRows();
  std::vector<double> ratios;
  uint64_t our_bytes = 0;
  uint64_t plain_bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double plain_s = Plain(rows, &plain_bytes);
    const double ours_s = Ours(rows, &our_bytes);
    ratios.push_back(plain_s / ours_s);
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[ratios.size() / 2];
  std::printf("bytes: ours %llu, plain %llu\n", static_cast<unsigned long long>(our_bytes / kRounds),
              static_cast<unsigned long long>(plain_bytes / kRounds));
  std::printf("BAR json_vs_rapidjson | %.1fx | >=2x | %s\n", median, median >= kBar ? "met" : "missed");
  return 0;
}
