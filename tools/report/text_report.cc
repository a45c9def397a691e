#include "tools/report/text_report.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "tools/profile/concat.h"

namespace geckoprof {
namespace {

std::string Fixed(double number, int decimals) {
  char buffer[400];  // a double has at most 309 digits before the point
  snprintf(buffer, sizeof buffer, "%.*f", decimals, number);
  return buffer;
}

// 1234567 -> "1,234,567"; weights may have a fraction.
std::string Grouped(double number) {
  const std::string digits = Fixed(number, number == std::floor(number) ? 0 : 1);
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < point && (point - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string Percent(double part, double whole) { return Concat(Fixed(whole > 0 ? 100 * part / whole : 0, 1), " %"); }

std::string Duration(double ms) {
  if (ms >= 1000) return Concat(Fixed(ms / 1000, 3), " s");
  if (ms == 0) return "0";
  return ms >= 1 ? Concat(Fixed(ms, 1), " ms") : Concat(Fixed(ms * 1000, 1), " us");
}

std::string UtcTime(double epoch_ms) {
  const time_t seconds = static_cast<time_t>(epoch_ms / 1000);
  struct tm parts = {};
  char buffer[64];
  if (gmtime_r(&seconds, &parts) == nullptr || strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) {
    return "";
  }
  return buffer;
}

std::string Plural(double count, std::string_view one) {
  return Concat(Grouped(count), " ", one, count == 1 ? "" : "s");
}

// Builds the text section by section.
class TextReport {
 public:
  TextReport(const ProfileModel& model, const ProfileSummary& summary, size_t top, const TerminalStyle& style)
      : model_(model), summary_(summary), top_(top), style_(style) {}

  void Meta(const std::string& file);
  void Threads();
  void Functions(std::string_view title, const std::vector<ProfileSummary::Function>& functions);
  void HeaviestPath();
  void Markers();
  void Sections();
  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view line) {
    text_ += CutText(line, style_.width);
    text_ += '\n';
  }
  void Heading(std::string_view title) {
    text_ += '\n';
    const std::string cut = CutText(title, style_.width);
    text_ += style_.color ? Concat("\x1b[1m", cut, "\x1b[0m\n") : Concat(cut, "\n");
  }
  void Fact(std::string_view label, std::string_view value) {
    if (!value.empty()) Line(Concat(PadRight(label, 13), CleanText(value)));
  }
  void AndMore(size_t shown, size_t all) {
    if (all > shown) Line(Concat("  ... and ", Grouped(static_cast<double>(all - shown)), " more"));
  }
  std::string FunctionText(int32_t row) const;

  const ProfileModel& model_;
  const ProfileSummary& summary_;
  const size_t top_;
  const TerminalStyle style_;
  std::string text_;
};

std::string TextReport::FunctionText(int32_t row) const {
  const ProfileFunction& function = model_.functions[static_cast<size_t>(row)];
  const std::string name = CleanText(model_.strings[static_cast<size_t>(function.name)]);
  if (function.library == kNoRow) return name;
  const std::string library = CleanText(model_.strings[static_cast<size_t>(function.library)]);
  // "libc.so.6+0x1c15" names its library already.
  return name.starts_with(Concat(library, "+0x")) ? name : Concat(name, "  [", library, "]");
}

void TextReport::Meta(const std::string& file) {
  const std::string_view format = model_.format == ProfileFormat::kGecko ? "Gecko" : "processed";
  Fact("Profile", Concat(file, " (", format, " format, version ", model_.version, ")"));
  Fact("Product", model_.product);
  Fact("Command", model_.command_line);
  Fact("Machine", model_.machine);
  if (model_.start_epoch_ms > 0) Fact("Started", UtcTime(model_.start_epoch_ms));
  Fact("Duration", Duration(summary_.duration_ms));
  if (model_.interval_ms > 0) Fact("Interval", Duration(model_.interval_ms));
  const double threads = static_cast<double>(summary_.threads.size());
  Fact("Contents",
       Concat(Plural(summary_.samples, "sample"), " of ", Plural(threads, "thread"), " in ",
              Grouped(static_cast<double>(summary_.processes)), summary_.processes == 1 ? " process" : " processes",
              ", ", Plural(static_cast<double>(summary_.markers), "marker")));
}

void TextReport::Threads() {
  Heading("Threads");
  Line("    CPU time    samples     idle  pid/tid          thread");
  const size_t shown = std::min(top_, summary_.threads.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSummary::Thread& sum = summary_.threads[i];
    const ProfileThread& thread = model_.threads[static_cast<size_t>(sum.row)];
    const ProfileProcess& process = model_.processes[static_cast<size_t>(thread.process)];
    const std::string cpu = sum.cpu_ns.has_value() ? Duration(static_cast<double>(*sum.cpu_ns) / 1e6) : "-";
    std::string name = CleanText(thread.name.empty() ? "(no name)" : thread.name);
    if (!process.name.empty()) name += Concat("  (", CleanText(process.name), ")");
    Line(Concat("  ", PadLeft(cpu, 10), " ", PadLeft(Grouped(sum.samples), 10), "  ",
                PadLeft(Percent(sum.idle_samples, sum.samples), 7), "  ",
                PadRight(Concat(CleanText(process.pid), "/", thread.tid), 15), "  ", name));
  }
  AndMore(shown, summary_.threads.size());
}

void TextReport::Functions(std::string_view title, const std::vector<ProfileSummary::Function>& functions) {
  const double left_out = summary_.samples - summary_.counted_samples;
  const std::string note =
      left_out > 0 ? Concat(" without the idle: ", Grouped(summary_.counted_samples), " of ") : " ";
  Heading(Concat("Functions by ", title, " (samples", note, Grouped(summary_.samples), ")"));
  if (functions.empty()) return Line("  none");
  Line("               self              total  function");
  const size_t shown = std::min(top_, functions.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSummary::Function& row = functions[i];
    Line(Concat("  ", PadLeft(Percent(row.self_samples, summary_.counted_samples), 7), " ",
                PadLeft(Grouped(row.self_samples), 9), "  ",
                PadLeft(Percent(row.total_samples, summary_.counted_samples), 7), " ",
                PadLeft(Grouped(row.total_samples), 9), "  ", FunctionText(row.row)));
  }
  AndMore(shown, functions.size());
}

// Long chains are cut in the middle: both ends say the most.
void TextReport::HeaviestPath() {
  Heading("Heaviest call path");
  const std::vector<ProfileSummary::PathStep>& path = summary_.heaviest_path;
  if (path.empty()) return Line("  none");
  constexpr size_t kMaxSteps = 40;
  constexpr size_t kHead = 15, kTail = 25;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > kMaxSteps && i == kHead) {
      Line(Concat("                     ... ", Grouped(static_cast<double>(path.size() - kHead - kTail)), " more"));
      i = path.size() - kTail;
    }
    const ProfileSummary::PathStep& step = path[i];
    Line(Concat("  ", PadLeft(Percent(step.samples, summary_.counted_samples), 7), " ",
                PadLeft(Grouped(step.samples), 9), "  ", FunctionText(step.function)));
  }
}

void TextReport::Markers() {
  if (summary_.marker_names.empty()) return;
  Heading("Markers");
  Line("       count    total time  name");
  const size_t shown = std::min(top_, summary_.marker_names.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSummary::Marker& marker = summary_.marker_names[i];
    Line(Concat("  ", PadLeft(Grouped(static_cast<double>(marker.count)), 10), "  ",
                PadLeft(marker.total_ms > 0 ? Duration(marker.total_ms) : "-", 12), "  ",
                CleanText(model_.strings[static_cast<size_t>(marker.name)])));
  }
  AndMore(shown, summary_.marker_names.size());
}

void TextReport::Sections() {
  for (const ProfileSection& section : model_.sections) {
    Heading(Concat("Recording: ", CleanText(section.label)));
    size_t width = 0;
    for (const auto& entry : section.entries) width = std::max(width, DisplayWidth(CleanText(entry.label)));
    width = std::min<size_t>(width, 44);
    for (const auto& entry : section.entries) {
      Line(Concat("  ", PadRight(CleanText(entry.label), width), "  ", CleanText(entry.value)));
    }
  }
}

}  // namespace

std::string WriteTextReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top, const TerminalStyle& style) {
  TextReport report(model, summary, top, style);
  report.Meta(file);
  report.Threads();
  report.Functions("own time", summary.by_self);
  report.Functions("total time", summary.by_total);
  report.HeaviestPath();
  report.Markers();
  report.Sections();
  return report.Take();
}

}  // namespace geckoprof
