#include "tools/report/startup_phases.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tools/profile/counted_samples.h"
#include "tools/report/marker_times.h"

namespace geckoprof {
namespace {

using PhaseKind = StartupPhase::Kind;

constexpr std::string_view kExecMarker = "exec to constructor (dynamic linker)";
constexpr std::string_view kHandoverMarker = "Profilers handover";

// Returns whether the name of a function says nothing but where it is: "0x1a2b", "fun_1a2b" (of unwind data alone) or
// "library+0x1a2b".
bool IsAddress(std::string_view name, std::string_view library) {
  constexpr std::string_view kFunction = "fun_";
  if (name.starts_with("0x")) return true;
  if (name.starts_with(kFunction)) {
    return name.size() > kFunction.size() &&
           name.find_first_not_of("0123456789abcdef", kFunction.size()) == std::string_view::npos;
  }
  return !library.empty() && name.starts_with(library) && name.substr(library.size()).starts_with("+0x");
}

// Tells of a stack which phase it is of.
class StackPhases {
 public:
  explicit StackPhases(const ProfileModel& model);

  struct Phase {
    PhaseKind kind = PhaseKind::kLoader;
    int32_t library = kNoRow;  // row of model.strings
  };
  // None: the stack tells nothing (no frame, or not from the start of the thread).
  std::optional<Phase> Of(int32_t stack) const;

 private:
  // kNameless: code of a program or library whose functions have no names. kCut: it says that outer frames are missing.
  enum class Code : uint8_t { kRoot, kCut, kLoader, kStart, kStartMain, kLibc, kMain, kNameless, kOther };
  // From the outermost frame on, what the frames so far say.
  enum class State : uint8_t {
    kNothing,
    kCut,
    kLoader,
    kNamelessStart,  // _start, or main in a stack without its beginning
    kStart,
    kStartMain,
    kStartLibc,
    kConstructor,
    kMain
  };

  Code CodeOf(int32_t function) const;
  static State Next(State state, Code code);

  const ProfileModel& model_;
  bool has_start_call_main_ = false;
  std::vector<State> states_;       // by row of model.stacks
  std::vector<int32_t> libraries_;  // likewise: of the constructor
};

StackPhases::Code StackPhases::CodeOf(int32_t row) const {
  const ProfileFunction& function = model_.functions[static_cast<size_t>(row)];
  const std::string_view name = model_.strings[static_cast<size_t>(function.name)];
  const std::string_view library =
      function.library == kNoRow ? std::string_view() : model_.strings[static_cast<size_t>(function.library)];
  if (name == "(root)") return Code::kRoot;
  if (library.empty() && name.starts_with("(")) return Code::kCut;
  if (name == "main") return Code::kMain;
  if (library.starts_with("ld-linux") || library.starts_with("ld-2.") || library.starts_with("ld.so")) {
    return Code::kLoader;
  }
  if (name == "_start") return Code::kStart;
  if (name.starts_with("__libc_start_main")) return Code::kStartMain;
  // These call the program's constructors in a libc that has its symbols.
  if (name == "call_init" || name == "__libc_csu_init" || name == "_init") return Code::kStart;
  if (library.starts_with("libc.so") || library.starts_with("libc-2.")) return Code::kLibc;
  return has_start_call_main_ && IsAddress(name, library) ? Code::kNameless : Code::kOther;
}

StackPhases::State StackPhases::Next(State state, Code code) {
  if (state == State::kMain || state == State::kConstructor) return state;
  if (code == Code::kMain) return State::kMain;
  const bool is_first = state == State::kNothing || state == State::kCut;
  switch (code) {
    case Code::kRoot:
      return state;
    case Code::kCut:
      return is_first ? State::kCut : state;
    case Code::kLoader:
      if (state == State::kNamelessStart) return State::kMain;
      return is_first || state == State::kLoader ? State::kLoader : state;
    case Code::kStart:
      return is_first ? State::kStart : state;
    case Code::kStartMain:
      return is_first || state == State::kStart || state == State::kNamelessStart ? State::kStartMain : state;
    case Code::kLibc:
      // libc's start code is the first that the program's start code calls.
      if (state == State::kNamelessStart) return State::kStartMain;
      // What libc's start code calls of its own is on its way to main; what the loader calls of it is the loader's.
      if (state == State::kStartMain) return State::kStartLibc;
      return is_first ? State::kMain : state;
    case Code::kNameless:
      if (state == State::kNothing) return State::kNamelessStart;
      [[fallthrough]];
    case Code::kOther:
    case Code::kMain:
      if (state == State::kLoader || state == State::kStartMain) return State::kConstructor;
      return state == State::kStart ? state : State::kMain;
  }
  return state;
}

StackPhases::StackPhases(const ProfileModel& model)
    : model_(model), states_(model.stacks.size(), State::kNothing), libraries_(model.stacks.size(), kNoRow) {
  // Since glibc 2.34 a function of libc stands between __libc_start_main and main. Before, nothing but names tells main
  // from constructors.
  has_start_call_main_ = std::ranges::find(model.strings, "libc.so.6") != model.strings.end();
  std::vector<Code> codes;
  for (size_t i = 0; i < model.functions.size(); ++i) codes.push_back(CodeOf(static_cast<int32_t>(i)));
  for (size_t i = 0; i < states_.size(); ++i) {
    const ProfileStack& stack = model.stacks[i];
    const size_t prefix = static_cast<size_t>(stack.prefix);
    const State state = stack.prefix == kNoRow ? State::kNothing : states_[prefix];
    states_[i] = Next(state, codes[static_cast<size_t>(stack.function)]);
    const bool began = states_[i] == State::kConstructor && state != State::kConstructor;
    libraries_[i] = began                    ? model.functions[static_cast<size_t>(stack.function)].library
                    : stack.prefix == kNoRow ? kNoRow
                                             : libraries_[prefix];
  }
}

std::optional<StackPhases::Phase> StackPhases::Of(int32_t stack) const {
  if (stack == kNoRow) return std::nullopt;
  const size_t row = static_cast<size_t>(stack);
  switch (states_[row]) {
    case State::kLoader:
      return Phase{PhaseKind::kLoader, kNoRow};
    case State::kConstructor:
      return Phase{PhaseKind::kConstructors, libraries_[row]};
    case State::kNamelessStart:
    case State::kMain:
      return Phase{PhaseKind::kMain, kNoRow};
    default:
      return std::nullopt;
  }
}

// The phases of a process's main thread by their samples.
class PhaseSums {
 public:
  PhaseSums(const ProfileModel& model, const StackPhases& stacks, const IdleRule& idle)
      : model_(model), stacks_(stacks), idle_(idle) {}

  std::vector<StartupPhase> Of(const ProfileThread& thread) {
    std::vector<StartupPhase> sums;
    absl::flat_hash_map<std::pair<PhaseKind, int32_t>, size_t> rows;
    bool first = !thread.starts_later, in_main = false;
    for (const ProfileSample& sample : thread.samples) {
      const double cpu_ms = !first && sample.cpu_ns > 0 ? static_cast<double>(sample.cpu_ns) / 1e6 : 0;
      first = false;
      std::optional<StackPhases::Phase> phase = stacks_.Of(sample.stack);
      if (in_main) phase = StackPhases::Phase{PhaseKind::kMain, kNoRow};
      if (!phase.has_value()) continue;
      in_main = phase->kind == PhaseKind::kMain;
      const auto [row, added] = rows.try_emplace({phase->kind, phase->library}, sums.size());
      if (added) sums.push_back(NewPhase(thread, *phase, sample.time_ms));
      StartupPhase& sum = sums[row->second];
      sum.duration_ms = std::max(0.0, sample.time_ms - sum.start_ms);
      sum.cpu_ms += cpu_ms;
      if (!idle_.IsIdle(sample)) sum.samples += sample.weight;
    }
    return sums;
  }

 private:
  StartupPhase NewPhase(const ProfileThread& thread, const StackPhases::Phase& phase, double start_ms) const {
    StartupPhase made;
    made.kind = phase.kind;
    made.process = thread.process;
    made.start_ms = start_ms;
    made.is_sampled = true;
    if (phase.library != kNoRow) made.what = model_.strings[static_cast<size_t>(phase.library)];
    if (phase.kind == PhaseKind::kMain) {
      const bool is_first = thread.process == 0 && !model_.command_line.empty();
      made.what = is_first ? model_.command_line : model_.processes[static_cast<size_t>(thread.process)].name;
    }
    return made;
  }

  const ProfileModel& model_;
  const StackPhases& stacks_;
  const IdleRule& idle_;
};

// The phases that markers of a thread measure.
class MeasuredPhases {
 public:
  MeasuredPhases(const ProfileModel& model, const IdleRule& idle) : model_(model), idle_(idle) {}

  void Add(const ProfileThread& thread, std::vector<StartupPhase>* phases) const {
    for (const MarkerTime& time : MarkerTimesOf(thread)) {
      const ProfileMarker& marker = thread.markers[static_cast<size_t>(time.marker)];
      StartupPhase phase;
      if (!Describe(marker, &phase) || (phase.kind == PhaseKind::kConstructors && !time.has_duration)) continue;
      phase.process = thread.process;
      phase.start_ms = time.start_ms;
      phase.duration_ms = time.end_ms - time.start_ms;
      phase.is_measured = true;
      if (phase.is_sampled) AddSamples(thread, &phase);
      phases->push_back(std::move(phase));
    }
  }

 private:
  // Returns false if the marker is no phase.
  bool Describe(const ProfileMarker& marker, StartupPhase* phase) const {
    const std::string& name = model_.Text(marker.name);
    if (name == kExecMarker || name == kHandoverMarker) {
      phase->kind = name == kExecMarker ? PhaseKind::kExec : PhaseKind::kHandover;
      return true;
    }
    if (marker.data == kNoRow) return false;
    const ProfileMarkerData& data = model_.marker_data[static_cast<size_t>(marker.data)];
    if (data.type == kNoRow) return false;
    const std::string& type = model_.Text(data.type);
    phase->is_sampled = true;
    if (type == "StartupPhase") {
      phase->kind = PhaseKind::kNamed;
      phase->what = name;
    } else if (type == "LibraryLoad") {
      phase->kind = PhaseKind::kConstructors;
      ReadFields(data, phase);
      phase->what.erase(0, phase->what.rfind('/') + 1);
    } else if (type == "LibraryCall") {
      phase->kind = PhaseKind::kLoad;
      ReadFields(data, phase);
    } else {
      return false;
    }
    return true;
  }

  void ReadFields(const ProfileMarkerData& data, StartupPhase* phase) const {
    for (uint32_t i = 0; i < data.field_count; ++i) {
      const ProfileMarkerField& field = model_.marker_fields[data.first_field + i];
      const std::string& key = model_.Text(field.key);
      if (key == "file" && field.kind == ProfileMarkerField::Kind::kText) phase->what = model_.Text(field.text);
      if (field.kind != ProfileMarkerField::Kind::kNumber) continue;
      if (key == "mapping") phase->mapping_ms = field.number;
      if (key == "relocation") phase->relocation_ms = field.number;
      if (key == "constructors") phase->constructors_ms = field.number;
    }
  }

  void AddSamples(const ProfileThread& thread, StartupPhase* phase) const {
    if (thread.weight_unit == ProfileWeightUnit::kBytes) return;
    const double end_ms = phase->start_ms + phase->duration_ms;
    auto sample = std::ranges::upper_bound(thread.samples, phase->start_ms, {}, &ProfileSample::time_ms);
    for (; sample != thread.samples.end() && sample->time_ms <= end_ms; ++sample) {
      if (sample->cpu_ns > 0) phase->cpu_ms += static_cast<double>(sample->cpu_ns) / 1e6;
      if (!idle_.IsIdle(*sample)) phase->samples += sample->weight;
    }
  }

  const ProfileModel& model_;
  const IdleRule& idle_;
};

// Removes the sampled constructors of libraries whose constructors are measured.
void RemoveMeasured(std::vector<StartupPhase>* phases) {
  absl::flat_hash_set<std::pair<int32_t, std::string>> measured;
  for (const StartupPhase& phase : *phases) {
    if (phase.kind == PhaseKind::kConstructors && phase.is_measured) measured.emplace(phase.process, phase.what);
  }
  std::erase_if(*phases, [&](const StartupPhase& phase) {
    return phase.kind == PhaseKind::kConstructors && !phase.is_measured &&
           measured.contains(std::pair(phase.process, phase.what));
  });
}

}  // namespace

std::vector<StartupPhase> StartupPhasesOf(const ProfileModel& model) {
  const StackPhases stacks(model);
  const IdleRule idle(model);
  std::vector<StartupPhase> phases;
  const MeasuredPhases measured(model, idle);
  for (const ProfileThread& thread : model.threads) {
    measured.Add(thread, &phases);
    if (!thread.is_main || thread.weight_unit == ProfileWeightUnit::kBytes) continue;
    const std::vector<StartupPhase> sums = PhaseSums(model, stacks, idle).Of(thread);
    phases.insert(phases.end(), sums.begin(), sums.end());
  }
  RemoveMeasured(&phases);
  std::stable_sort(phases.begin(), phases.end(), [](const StartupPhase& a, const StartupPhase& b) {
    return std::pair(a.start_ms, a.process) < std::pair(b.start_ms, b.process);
  });
  return phases;
}

const char* PhaseName(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kExec:
      return "exec";
    case PhaseKind::kLoader:
      return "loader";
    case PhaseKind::kConstructors:
      return "static constructors";
    case PhaseKind::kMain:
      return "main";
    case PhaseKind::kHandover:
      return "handover";
    case PhaseKind::kLoad:
      return "dlopen";
    case PhaseKind::kNamed:
      return "phase";
  }
  return "";
}

}  // namespace geckoprof
