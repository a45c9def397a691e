#include "tools/report/text_report.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "tools/report/cell_text.h"
#include "tools/report/lock_waits.h"
#include "tools/report/loop_table.h"
#include "tools/report/overhead_table.h"
#include "tools/report/section_totals.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

struct Amounts {
  double cpu_ns = 0, rows = 0, bytes = 0;
};

Amounts AmountsOf(const ProfileSummary::Thread& thread) {
  return {static_cast<double>(thread.cpu_ns.value_or(0)), thread.samples + thread.idle_samples,
          thread.allocations.bytes};
}

bool IsTiny(const ProfileSummary::Thread& thread, const Amounts& most) {
  constexpr double kShare = 100;
  const Amounts own = AmountsOf(thread);
  return thread.markers == 0 && own.cpu_ns * kShare <= most.cpu_ns && own.rows * kShare <= most.rows &&
         own.bytes * kShare <= most.bytes;
}

}  // namespace

ListedThreads ListThreads(const ProfileSummary& summary, size_t most) {
  Amounts largest;
  for (const ProfileSummary::Thread& thread : summary.threads) {
    const Amounts own = AmountsOf(thread);
    largest.cpu_ns = std::max(largest.cpu_ns, own.cpu_ns);
    largest.rows = std::max(largest.rows, own.rows);
    largest.bytes = std::max(largest.bytes, own.bytes);
  }
  const bool is_empty = largest.cpu_ns == 0 && largest.rows == 0 && largest.bytes == 0;
  const bool all_fit = summary.threads.size() <= most;
  ListedThreads listed;
  for (size_t i = 0; i < summary.threads.size(); ++i) {
    const ProfileSummary::Thread& thread = summary.threads[i];
    if (listed.rows.size() < most && (all_fit || is_empty || !IsTiny(thread, largest))) {
      listed.rows.push_back(i);
      continue;
    }
    ++listed.others;
    listed.samples += thread.samples;
    if (thread.cpu_ns.has_value()) listed.cpu_ns = listed.cpu_ns.value_or(0) + *thread.cpu_ns;
  }
  return listed;
}

namespace {

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
  return Concat(GroupedText(count), " ", one, count == 1 ? "" : "s");
}

// With the unit where it is not a plain number; a rate is rounded. Energy is shown in J.
std::string AmountText(double amount, const std::string& unit) {
  const std::string sign = amount < 0 ? "-" : "";
  amount = std::abs(amount);
  if (unit == kEnergyUnit) return sign + FixedText(amount * kJoulesPerPwh, 2) + " J";
  if (unit == "bytes") return sign + BytesText(amount);
  if (amount >= 100) amount = std::round(amount);
  return sign + GroupedText(amount) + (unit.empty() ? "" : " " + CleanText(unit));
}

std::string RateText(double amount_per_second, const std::string& unit) {
  std::string text = AmountText(amount_per_second, unit);
  if (unit == kEnergyUnit) text.back() = 'W';
  return text;
}

std::string PeakText(const ProfileCounter& counter) {
  if (!counter.peak.has_value()) return "-";
  if (!counter.is_rate) return AmountText(*counter.peak, counter.unit);
  return Concat(RateText(*counter.peak, counter.unit), counter.unit == kEnergyUnit ? "" : "/s");
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
  void BlockedLoops();
  void Markers();
  void Counters();
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
    if (all > shown) Line(Concat("  ... and ", GroupedText(static_cast<double>(all - shown)), " more"));
  }
  void Nothing() {
    const bool any = summary_.samples > 0 || !summary_.allocations.empty();
    Line(any && !summary_.has_stacks ? "  no stacks were recorded" : "  none");
  }
  std::string ContentsText() const;
  std::string CountedText() const;
  std::string FunctionText(int32_t row, size_t used) const;
  void Section(std::string_view label, const ProfileSection& section);

  const ProfileModel& model_;
  const ProfileSummary& summary_;
  const size_t top_;
  const TerminalStyle style_;
  std::string text_;
};

// The name and the library, shortened to what fits behind the `used` columns of a row.
std::string TextReport::FunctionText(int32_t row, size_t used) const {
  constexpr size_t kNameWidth = 80, kLeastNameWidth = 24;
  const ProfileFunction& function = model_.functions[static_cast<size_t>(row)];
  std::string name = CleanText(model_.strings[static_cast<size_t>(function.name)]);
  std::string library;
  if (function.library != kNoRow) {
    const std::string library_name = CleanText(model_.strings[static_cast<size_t>(function.library)]);
    // "libc.so.6+0x1c15" names its library already.
    if (!name.starts_with(Concat(library_name, "+0x"))) library = Concat("  [", library_name, "]");
  }
  if (style_.full_names) return name + library;
  if (style_.width == 0) return ShortFunctionName(name, kNameWidth) + library;
  used += DisplayWidth(library);
  const size_t room = std::max(style_.width - std::min(used, style_.width), kLeastNameWidth);
  return CutText(ShortFunctionName(name, room), room) + library;
}

void TextReport::Meta(const std::string& file) {
  const std::string_view format = model_.format == ProfileFormat::kGecko ? "Gecko" : "processed";
  Fact("Profile", Concat(file, " (", format, " format, version ", model_.version, ")"));
  Fact("Product", model_.product);
  constexpr size_t kCommandWidth = 400;  // of a list of files it says enough
  Fact("Command", CutText(model_.command_line, style_.full_names ? 0 : kCommandWidth));
  Fact("Machine", model_.machine);
  if (model_.start_epoch_ms > 0) Fact("Started", UtcTime(model_.start_epoch_ms));
  Fact("Duration", DurationText(summary_.duration_ms));
  if (model_.interval_ms > 0) Fact("Interval", DurationText(model_.interval_ms));
  Fact("", LongerIntervalText(model_));
  Fact("End", RecordingText(model_, "End"));
  Fact("Contents", ContentsText());
  Fact("Overhead", OverheadText(model_));
  if (summary_.gaps.has_value() && summary_.gaps->count > 0) {
    Fact("Gaps", summary_.gaps->Text(summary_.cpu_ns.value_or(0)));
    Fact("", kGapCause);
    Fact("", kGapRemedy);
  }
  if (summary_.rows_without_weight > 0) {
    const double rows = static_cast<double>(summary_.rows_without_weight);
    Fact("Left out", Concat(Plural(rows, "row"), rows == 1 ? " whose weight is" : " whose weights are",
                            " 0, negative or too large to be counted"));
  }
}

std::string TextReport::ContentsText() const {
  const double threads = static_cast<double>(summary_.threads.size());
  const std::string of =
      Concat(" of ", Plural(threads, "thread"), " in ", GroupedText(static_cast<double>(summary_.processes)),
             summary_.processes == 1 ? " process" : " processes");
  const std::string idle =
      summary_.idle_samples > 0 ? Concat(" and ", GroupedText(summary_.idle_samples), " idle ones") : "";
  const std::string images =
      summary_.program_images > summary_.processes
          ? Concat(" (", GroupedText(static_cast<double>(summary_.program_images)), " recordings)")
          : "";
  const std::string markers = Concat(", ", Plural(static_cast<double>(summary_.markers), "marker"));
  const AllocationSums& allocations = summary_.allocations;
  if (summary_.in_bytes) return Concat(allocations.Text("row"), of, images, markers);
  const std::string bytes = allocations.empty() ? "" : Concat(", and ", allocations.Text());
  return Concat(Plural(summary_.samples, "sample"), idle, of, images, markers, bytes);
}

void TextReport::Threads() {
  Heading("Threads");
  constexpr size_t kIdWidth = 15;
  const bool has_waits = summary_.has_wait_times;
  Line(Concat("    CPU time ", has_waits ? "for a core    waiting " : "", "   samples     idle  ",
              PadRight("pid/tid", kIdWidth), "  thread"));
  const ListedThreads listed = ListThreads(summary_, top_);
  for (const size_t row : listed.rows) {
    const ProfileSummary::Thread& sum = summary_.threads[row];
    const ProfileThread& thread = model_.threads[static_cast<size_t>(sum.row)];
    const ProfileProcess& process = model_.processes[static_cast<size_t>(thread.process)];
    std::string ids = Concat(CleanText(process.pid), "/", thread.tid);
    if (DisplayWidth(ids) < kIdWidth) ids = PadRight(ids, kIdWidth);  // a long one is not cut
    const auto time = [](std::optional<int64_t> ns) {
      return PadLeft(ns.has_value() ? DurationText(static_cast<double>(*ns) / 1e6) : "-", 10);
    };
    const std::string waits = has_waits ? Concat(time(sum.ready_ns), " ", time(sum.wait_ns), " ") : "";
    std::string name = CleanText(thread.name.empty() ? "(no name)" : thread.name);
    if (!process.name.empty()) name += Concat("  (", CleanText(process.name), ")");
    const bool of_bytes = thread.weight_unit == ProfileWeightUnit::kBytes;
    if (sum.gaps.has_value() && sum.gaps->count > 0) name += Concat(": ", sum.gaps->Text(0));
    if (of_bytes) name += Concat(": ", sum.allocations.Text(summary_.in_bytes ? "row" : "allocation"));
    const std::string samples = of_bytes ? "-" : GroupedText(sum.samples);
    const auto rows = sum.samples + sum.idle_samples;
    const std::string idle = of_bytes || rows == 0 ? "-" : PercentText(sum.idle_samples, rows);
    Line(Concat("  ", time(sum.cpu_ns), " ", waits, PadLeft(samples, 10), "  ", PadLeft(idle, 7), "  ", ids, "  ",
                name));
  }
  if (listed.others == 0) return;
  const std::string cpu =
      listed.cpu_ns.has_value() ? Concat(DurationText(static_cast<double>(*listed.cpu_ns) / 1e6), ", ") : "";
  Line(Concat("  ... and ", GroupedText(static_cast<double>(listed.others)), " more: ", cpu,
              Plural(listed.samples, "sample"), " (all: --by thread --top ", summary_.threads.size(), ")"));
}

// Which samples the functions are made of: all with a stack, and the idle ones if they were asked for.
std::string TextReport::CountedText() const {
  const double counted = summary_.counted_samples;
  if (summary_.in_bytes && counted == summary_.allocations.bytes) return Plural(counted, "byte");
  if (summary_.in_bytes) {
    return Concat("the ", GroupedText(counted), " of ", Plural(summary_.allocations.bytes, "byte"),
                  " that have a stack");
  }
  // Fractions add up differently in another order.
  const double slack = 1e-9 * summary_.samples;
  if (std::abs(counted - summary_.samples) <= slack) return Plural(counted, "sample");
  if (counted > summary_.samples) return Concat(Plural(counted, "sample"), " with the idle ones");
  return Concat("the ", GroupedText(counted), " of ", Plural(summary_.samples, "sample"), " that have a stack");
}

void TextReport::Functions(std::string_view title, const std::vector<ProfileSummary::Function>& functions) {
  Heading(Concat("Functions by ", title, " (", CountedText(), ")"));
  if (functions.empty()) return Nothing();
  Line("               self              total  function");
  const size_t shown = std::min(top_, functions.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSummary::Function& row = functions[i];
    const std::string numbers = Concat("  ", PadLeft(PercentText(row.self_samples, summary_.counted_samples), 7), " ",
                                       PadLeft(GroupedText(row.self_samples), 9), "  ",
                                       PadLeft(PercentText(row.total_samples, summary_.counted_samples), 7), " ",
                                       PadLeft(GroupedText(row.total_samples), 9), "  ");
    Line(Concat(numbers, FunctionText(row.row, numbers.size())));
  }
  AndMore(shown, functions.size());
}

// Long chains are cut in the middle: both ends say the most.
void TextReport::HeaviestPath() {
  Heading("Heaviest call path");
  const std::vector<ProfileSummary::PathStep>& path = summary_.heaviest_path;
  if (path.empty()) return Nothing();
  constexpr size_t kMaxSteps = 40;
  constexpr size_t kHead = 15, kTail = 25;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > kMaxSteps && i == kHead) {
      Line(Concat("                     ... ", GroupedText(static_cast<double>(path.size() - kHead - kTail)), " more"));
      i = path.size() - kTail;
    }
    const ProfileSummary::PathStep& step = path[i];
    const std::string numbers = Concat("  ", PadLeft(PercentText(step.samples, summary_.counted_samples), 7), " ",
                                       PadLeft(GroupedText(step.samples), 9), "  ");
    Line(Concat(numbers, FunctionText(step.function, numbers.size())));
  }
}

void TextReport::Markers() {
  if (summary_.marker_names.empty()) return;
  Heading("Markers");
  Line("       count    total time  name");
  const size_t shown = std::min(top_, summary_.marker_names.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileSummary::Marker& marker = summary_.marker_names[i];
    Line(Concat("  ", PadLeft(GroupedText(static_cast<double>(marker.count)), 10), "  ",
                PadLeft(marker.total_ms > 0 ? DurationText(marker.total_ms) : "-", 12), "  ",
                CleanText(model_.strings[static_cast<size_t>(marker.name)])));
  }
  AndMore(shown, summary_.marker_names.size());
  if (const std::string text = LockMarkersText(model_); !text.empty()) Line(Concat("  ", text));
}

void TextReport::BlockedLoops() {
  constexpr size_t kMostBlocks = 5;
  const ReportTable table = LoopTable(model_, std::min(top_, kMostBlocks));
  if (table.rows.empty()) return;
  text_ += WriteTableText(table, style_);
}

void TextReport::Counters() {
  if (summary_.counters.empty()) return;
  Heading("Counters");
  Line("         total         a second             peak   operations  name");
  const size_t shown = std::min(top_, summary_.counters.size());
  for (size_t i = 0; i < shown; ++i) {
    const ProfileCounter& counter = model_.counters[static_cast<size_t>(summary_.counters[i])];
    const double seconds = (counter.last_ms - counter.first_ms) / 1000;
    const bool has_rate = seconds * 1000 > 2 * model_.interval_ms;  // of a tick or two it says nothing
    const std::string pid = model_.processes.size() > 1
                                ? Concat("  ", model_.processes[static_cast<size_t>(counter.process)].pid)
                                : std::string();
    const std::string category = counter.category.empty() ? "" : Concat("  (", CleanText(counter.category), ")");
    Line(Concat("  ", PadLeft(AmountText(counter.total, counter.unit), 12), "  ",
                PadLeft(has_rate ? RateText(counter.total / seconds, counter.unit) : "-", 15), "  ",
                PadLeft(PeakText(counter), 15), "  ",
                PadLeft(counter.has_operations ? AmountText(counter.operations, "") : "-", 11), "  ",
                CleanText(counter.name), category, pid));
  }
  AndMore(shown, summary_.counters.size());
}

void TextReport::Section(std::string_view label, const ProfileSection& section) {
  Heading(label == "Recording" ? std::string(label) : Concat("Recording: ", CleanText(label)));
  size_t width = 0;
  for (const auto& entry : section.entries) width = std::max(width, DisplayWidth(CleanText(entry.label)));
  width = std::min<size_t>(width, 44);
  for (const auto& entry : section.entries) {
    Line(Concat("  ", PadRight(CleanText(entry.label), width), "  ", CleanText(SectionValueText(entry))));
  }
}

// The first says something of the recording, the others of one process each, of which a script may start hundreds.
void TextReport::Sections() {
  constexpr size_t kMaxSections = 5;
  const std::span<const ProfileSection> sections(model_.sections);
  const size_t shown = sections.size() > kMaxSections ? 1 : sections.size();
  for (const ProfileSection& section : sections.first(shown)) Section(section.label, section);
  if (shown == sections.size()) return;
  const std::span<const ProfileSection> rest = sections.subspan(shown);
  Section(Concat("the other ", GroupedText(static_cast<double>(rest.size())), " sections added up (--json lists them)"),
          AddUpSections(rest));
}

}  // namespace

std::string WriteTextReport(const ProfileModel& model, const ProfileSummary& summary, const std::string& file,
                            size_t top, const TerminalStyle& style) {
  TextReport report(model, summary, top, style);
  report.Meta(file);
  report.Threads();
  report.Functions(summary.in_bytes ? "own bytes" : "own time", summary.by_self);
  report.Functions(summary.in_bytes ? "total bytes" : "total time", summary.by_total);
  report.HeaviestPath();
  report.BlockedLoops();
  report.Markers();
  report.Counters();
  report.Sections();
  return report.Take();
}

}  // namespace geckoprof
