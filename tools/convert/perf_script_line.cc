#include "tools/convert/perf_script_line.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "tools/convert/imported_model.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostListedEvents = 20;

// The letters that may follow an event's name. They are the modes that are counted, the precision and the like.
bool AreModifiers(std::string_view text) { return text.find_first_not_of("ukhGHIpPSDWebRX") == std::string_view::npos; }

// Groups whose tracepoints users name, perhaps by letters that are modifiers elsewhere: "probe_app:hup".
bool IsProbeGroup(std::string_view group) {
  return group.find("probe") != std::string_view::npos || group.starts_with("sdt_");
}

// "cycles" of "cycles,period=5000".
std::string_view FirstTerm(std::string_view name) { return name.substr(0, name.find_first_of(",/")); }

std::string Listed(const std::vector<PerfEvents::Event>& events) {
  std::string list;
  for (size_t i = 0; i < std::min(events.size(), kMostListedEvents); ++i) {
    const std::string_view name = events[i].written.empty() ? "(no name)" : events[i].written;
    list += Concat(i == 0 ? "" : ", ", name, " (", events[i].count, ")");
  }
  if (events.size() > kMostListedEvents) list += Concat(", ... and ", events.size() - kMostListedEvents, " more");
  return list;
}

void SortByCount(std::vector<PerfEvents::Event>* events) {
  std::stable_sort(events->begin(), events->end(), [](const auto& a, const auto& b) { return a.count > b.count; });
}

}  // namespace

std::string_view PerfEventName(std::string_view written) {
  const size_t open = written.find('/'), close = written.rfind('/'), colon = written.rfind(':');
  if (open != close) {  // "cpu_core/cycles/P"
    if (open == 0 || written.substr(0, open).find(':') != std::string_view::npos ||
        !AreModifiers(written.substr(close + 1))) {
      return written;
    }
    const std::string_view terms = written.substr(open + 1, close - open - 1), first = FirstTerm(terms);
    return first.empty() || first.find('=') != std::string_view::npos ? written.substr(0, close + 1) : terms;
  }
  if (colon == std::string_view::npos || colon == 0 || !AreModifiers(written.substr(colon + 1))) return written;
  const std::string_view name = written.substr(0, colon);
  return name.find(':') == std::string_view::npos && IsProbeGroup(name) ? written : name;
}

bool IsPerfClockEvent(std::string_view name) {
  const std::string_view term = FirstTerm(name);
  return term == "cpu-clock" || term == "task-clock";
}

bool IsPerfTimeEvent(std::string_view name) {
  const std::string_view term = FirstTerm(name);
  return IsPerfClockEvent(name) || term == "cycles" || term == "cpu-cycles";
}

size_t PerfEvents::Add(std::string_view written, int64_t period) {
  const auto [known, is_new_spelling] = rows_as_written_.try_emplace(written, 0);
  if (is_new_spelling) {
    const std::string_view name = PerfEventName(written);
    const auto [row, is_new] = rows_.try_emplace(name, events_.size());
    if (is_new) {
      events_.push_back({name, written});
    } else {
      events_[row->second].written = name;
    }
    known->second = row->second;
  }
  Event& event = events_[known->second];
  ++event.count;
  if (period >= 0) {
    event.least_period = event.least_period < 0 ? period : std::min(event.least_period, period);
    event.most_period = std::max(event.most_period, period);
  }
  return known->second;
}

absl::StatusOr<size_t> PerfEvents::Choose(std::string_view wanted) const {
  if (!wanted.empty()) {
    const auto found = rows_.find(PerfEventName(wanted));
    if (found != rows_.end()) return found->second;
    std::vector<Event> events = events_;
    SortByCount(&events);
    return absl::NotFoundError(Concat("there is no event \"", wanted, "\", but ", Listed(events)));
  }
  size_t best = 0;
  for (size_t row = 1; row < events_.size(); ++row) {
    const bool is_time = IsPerfTimeEvent(events_[row].name), best_is_time = IsPerfTimeEvent(events_[best].name);
    if (is_time == best_is_time ? events_[row].count > events_[best].count : is_time) best = row;
  }
  return best;
}

std::string PerfEvents::ListOthers(size_t row) const {
  std::vector<Event> others = events_;
  others.erase(others.begin() + static_cast<ptrdiff_t>(row));
  SortByCount(&others);
  return Listed(others);
}

std::string PerfEvents::ListPeriods(size_t row) const {
  const Event& event = events_[row];
  if (IsPerfTimeEvent(event.name) || event.least_period == event.most_period) return "";
  return Concat(event.least_period, " to ", event.most_period);
}

uint64_t PerfEvents::CountOthers(size_t row) const {
  uint64_t count = 0;
  for (const Event& event : events_) count += event.count;
  return count - events_[row].count;
}

namespace {

// A name has 15 bytes, numbers and flags few: where a line has no thread or time by then it has none at all.
constexpr size_t kMostHeadBytes = 1024;
constexpr std::string_view kSpaces = " \t";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Takes the first word off the front.
std::string_view TakeWord(std::string_view* text) {
  *text = Trimmed(*text);
  const std::string_view word = text->substr(0, text->find_first_of(kSpaces));
  text->remove_prefix(word.size());
  *text = Trimmed(*text);
  return word;
}

std::optional<int64_t> Integer(std::string_view text, int base = 10) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool IsAddress(std::string_view word) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  if (word.empty() || word.size() > 16) return false;
  for (const char c : word) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

// "1234.567891:"
std::optional<double> TimeMs(std::string_view word) {
  constexpr double kMaxSeconds = 1e12;
  if (!word.ends_with(':') || word.find('.') == std::string_view::npos ||
      !absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) {
    return std::nullopt;
  }
  const std::optional<double> seconds = WholeNumber(word.substr(0, word.size() - 1));
  if (!seconds.has_value() || *seconds > kMaxSeconds) return std::nullopt;
  return *seconds * 1e3;
}

// Of a task that it does not know perf prints -1.
std::optional<int64_t> TaskNumber(std::string_view text) {
  return text == "-1" ? std::optional<int64_t>(kUnknownPerfTask) : Integer(text);
}

// "4711/4712" or "4712".
bool ParseThread(std::string_view word, PerfSampleLine* sample) {
  const size_t slash = word.find('/');
  const std::optional<int64_t> tid = TaskNumber(slash == std::string_view::npos ? word : word.substr(slash + 1));
  if (!tid.has_value()) return false;
  if (slash != std::string_view::npos) {
    const std::optional<int64_t> pid = TaskNumber(word.substr(0, slash));
    if (!pid.has_value()) return false;
    sample->pid = *pid;
  }
  sample->tid = *tid;
  return true;
}

// What stands before the time: a name, which may have spaces, the thread, and perhaps the CPU and flags.
bool ParseBeforeTime(std::string_view text, PerfSampleLine* sample) {
  text = Trimmed(text);
  while (!text.empty()) {
    const size_t space = text.find_last_of(kSpaces);
    const std::string_view word = space == std::string_view::npos ? text : text.substr(space + 1);
    text = space == std::string_view::npos ? std::string_view() : Trimmed(text.substr(0, space));
    if (!ParseThread(word, sample)) continue;
    sample->comm = text;
    return true;
  }
  return false;
}

// What stands behind the time: perhaps a period, and an event with its colon. What is left may be a frame.
void ParseEvent(std::string_view text, PerfSampleLine* sample) {
  sample->frame = Trimmed(text);
  std::string_view word = TakeWord(&text);
  const std::optional<int64_t> period = Integer(word);
  if (period.has_value()) word = TakeWord(&text);
  if (!word.empty() && !word.ends_with(':')) return;  // what looks like a period is an address
  sample->period = period.value_or(-1);
  sample->event = word.substr(0, word.empty() ? 0 : word.size() - 1);
  sample->frame = text;
}

// Where the library's parenthesis opens: names of functions and of folders have parentheses, too, but an offset stands
// right before it; without offsets (`-F -symoff`) a path or a name of the kernel's follows it.
size_t OpeningOfLibrary(std::string_view text) {
  for (size_t plus = text.find("+0x"); plus != std::string_view::npos; plus = text.find("+0x", plus + 1)) {
    const size_t end = text.find_first_not_of("0123456789abcdef", plus + 3);
    if (end != std::string_view::npos && end > plus + 3 && text.substr(end, 2) == " (") return end + 1;
  }
  for (const std::string_view begin : {" (/", " (["}) {
    if (const size_t at = text.find(begin); at != std::string_view::npos) return at + 1;
  }
  return text.rfind('(');
}

}  // namespace

std::optional<PerfSampleLine> ParsePerfSample(std::string_view line) {
  for (size_t at = line.find(':'); at < kMostHeadBytes; at = line.find(':', at + 1)) {
    const size_t begin = line.find_last_of(kSpaces, at) + 1;  // 0 where there is no space
    PerfSampleLine sample;
    const std::optional<double> time_ms = TimeMs(line.substr(begin, at + 1 - begin));
    if (!time_ms.has_value() || !ParseBeforeTime(line.substr(0, begin), &sample)) continue;
    sample.time_ms = *time_ms;
    ParseEvent(line.substr(at + 1), &sample);
    return sample;
  }
  return std::nullopt;
}

std::optional<PerfSampleLine> ParseTimelessPerfSample(std::string_view line) {
  line = Trimmed(line);
  // The name may have spaces: the thread is the first number behind it with something sensible after it.
  for (size_t at = line.find_first_of(kSpaces); at < kMostHeadBytes; at = line.find_first_of(kSpaces, at + 1)) {
    PerfSampleLine sample;
    sample.time_ms = -1;
    std::string_view rest = line.substr(at);
    if (!ParseThread(TakeWord(&rest), &sample)) continue;
    sample.comm = Trimmed(line.substr(0, at));
    if (rest.starts_with('[') && rest.find(']') != std::string_view::npos) {  // the CPU
      rest = Trimmed(rest.substr(rest.find(']') + 1));
    }
    ParseEvent(rest, &sample);
    if (sample.frame.empty() || ParsePerfFrame(sample.frame).has_value()) return sample;
  }
  return std::nullopt;
}

bool IsPerfRecord(std::string_view line) {
  line = line.substr(0, kMostHeadBytes);
  const size_t at = line.find("PERF_RECORD_");
  if (at == std::string_view::npos) return false;
  const std::string_view head = line.substr(0, at);
  if (head.empty()) return line.find_first_of(kSpaces) == std::string_view::npos;  // "PERF_RECORD_FINISHED_ROUND"
  std::optional<PerfSampleLine> sample = ParsePerfSample(head);
  if (!sample.has_value()) sample = ParseTimelessPerfSample(head);
  return sample.has_value() && sample->event.empty() && sample->frame.empty();  // no function of such a name
}

std::optional<PerfFrameLine> ParsePerfFrame(std::string_view line) {
  std::string_view rest = line;
  if (!IsAddress(TakeWord(&rest)) || rest.empty()) return std::nullopt;
  PerfFrameLine frame;
  // "(/tmp/a.so (deleted))" has a parenthesis of its own, as names of functions have.
  constexpr std::string_view kDeleted = " (deleted))";
  const std::string_view searched = rest.ends_with(kDeleted) ? rest.substr(0, rest.size() - kDeleted.size()) : rest;
  const size_t open = OpeningOfLibrary(searched);
  if (rest.ends_with(')') && open != std::string_view::npos && (open == 0 || rest[open - 1] == ' ')) {
    frame.library = searched.substr(open + 1);
    if (searched.size() == rest.size()) frame.library.remove_suffix(1);
    rest = Trimmed(rest.substr(0, open));
  }
  frame.is_inlined = frame.library == "inlined";
  if (frame.is_inlined || frame.library == "[unknown]") frame.library = {};
  const size_t plus = rest.rfind("+0x");
  if (plus != std::string_view::npos && IsAddress(rest.substr(plus + 1))) rest = rest.substr(0, plus);
  frame.symbol = rest;
  return frame;
}

std::optional<PerfSourceLine> ParsePerfSource(std::string_view line) {
  line = Trimmed(line);
  constexpr std::string_view kInlined = " (inlined)";
  const bool is_inlined = line.ends_with(kInlined);
  if (is_inlined) line.remove_suffix(kInlined.size());
  const size_t bracket = line.rfind('[');
  if (line.ends_with(']') && bracket != std::string_view::npos && bracket > 0 &&
      IsAddress(line.substr(bracket + 1, line.size() - bracket - 2))) {
    return PerfSourceLine{{}, 0, is_inlined};
  }
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> number = Integer(line.substr(colon + 1));
  if (!number.has_value() || *number > INT32_MAX) return std::nullopt;
  const std::string_view file = line.substr(0, colon);
  if (file.empty() || file == "??") return PerfSourceLine{{}, 0, is_inlined};
  return PerfSourceLine{file, static_cast<int32_t>(*number), is_inlined};
}

}  // namespace geckoprof
