#include "tools/convert/pprof_values.h"

#include <algorithm>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kMostListedValues = 20;

struct Unit {
  std::string_view name;
  double size;
};

double SizeOf(std::string_view name, const Unit* begin, const Unit* end) {
  const Unit* const found = std::find_if(begin, end, [name](const Unit& unit) { return unit.name == name; });
  return found == end ? 0 : found->size;
}

std::string_view NameOr(std::string_view name) { return name.empty() ? "(no name)" : name; }

}  // namespace

double PprofUnitNs(std::string_view unit) {
  constexpr Unit kUnits[] = {{"nanoseconds", 1}, {"ns", 1},   {"microseconds", 1e3},
                             {"us", 1e3},        {"ms", 1e6}, {"milliseconds", 1e6},
                             {"seconds", 1e9},   {"s", 1e9}};
  return SizeOf(unit, std::begin(kUnits), std::end(kUnits));
}

double PprofUnitBytes(std::string_view unit) {
  constexpr double kKilo = 1024, kMega = kKilo * 1024, kGiga = kMega * 1024;
  constexpr Unit kUnits[] = {{"bytes", 1},        {"byte", 1},   {"B", 1},       {"kilobytes", kKilo},
                             {"kilobyte", kKilo}, {"kB", kKilo}, {"KiB", kKilo}, {"megabytes", kMega},
                             {"megabyte", kMega}, {"MB", kMega}, {"MiB", kMega}, {"gigabytes", kGiga},
                             {"gigabyte", kGiga}, {"GB", kGiga}, {"GiB", kGiga}};
  return SizeOf(unit, std::begin(kUnits), std::end(kUnits));
}

std::optional<size_t> PprofValues::Find(std::string_view name) const {
  const auto found = std::find_if(types_.begin(), types_.end(), [name](const Type& type) { return type.name == name; });
  if (name.empty() || found == types_.end()) return std::nullopt;
  return static_cast<size_t>(found - types_.begin());
}

bool PprofValues::IsCpu(size_t number) const {
  const std::string_view name = types_[number].name;
  return IsTime(number) && (name == "cpu" || name == "cpu-time" || name == "cpu_time");
}

// Writers put the number of samples before their time: "samples", "cpu", "alloc_objects", "alloc_space".
std::optional<size_t> PprofValues::CountBeside(size_t time) const {
  for (size_t i = time; i > 0; --i) {
    if (types_[i - 1].unit == "count") return i - 1;
  }
  for (size_t i = time + 1; i < types_.size(); ++i) {
    if (types_[i].unit == "count") return i;
  }
  return std::nullopt;
}

std::optional<size_t> PprofValues::TimeBeside(size_t count) const {
  std::optional<size_t> time;
  for (size_t i = 0; i < types_.size(); ++i) {
    if (IsTime(i) && CountBeside(i) == count && (!time.has_value() || (IsCpu(i) && !IsCpu(*time)))) time = i;
  }
  return time;
}

PprofValues::Choice PprofValues::Alone(size_t number) const {
  Choice choice;
  choice.weight = number;
  const std::string_view unit = types_[number].unit;
  if (const double bytes = PprofUnitBytes(unit); bytes > 0) {
    choice.unit = ProfileWeightUnit::kBytes;
    choice.scale = bytes;
  }
  if (!IsTime(number)) return choice;
  choice.scale = PprofUnitNs(unit) / 1e6;
  if (IsCpu(number)) {
    choice.time = number;
    choice.has_cpu = true;
  } else {
    choice.unit = ProfileWeightUnit::kMs;
  }
  return choice;
}

absl::StatusOr<PprofValues::Choice> PprofValues::Choose(std::string_view wanted, std::string_view default_name) const {
  const std::optional<size_t> named = Find(wanted);
  if (!wanted.empty() && !named.has_value()) {
    std::vector<size_t> all;
    for (size_t i = 0; i < types_.size(); ++i) all.push_back(i);
    return absl::NotFoundError(Concat("there is no value \"", wanted, "\", but ", Listed(all)));
  }
  const size_t taken = named.has_value() ? *named : Find(default_name).value_or(types_.size() - 1);
  std::optional<size_t> time, count;
  if (types_[taken].unit == "count") {
    count = taken;
    time = TimeBeside(taken);
  } else if (!named.has_value() && IsTime(taken)) {
    count = CountBeside(taken);
    time = taken;
  }
  if (!count.has_value() || !time.has_value()) return Alone(taken);
  Choice choice;
  choice.weight = *count;
  choice.time = time;
  choice.has_cpu = IsCpu(*time);
  return choice;
}

std::string PprofValues::NameTaken(const Choice& choice) const {
  std::string text(NameOr(types_[choice.weight].name));
  if (choice.has_cpu && !choice.is_cpu_alone()) {
    text += Concat(" with the CPU time of ", NameOr(types_[*choice.time].name));
  }
  return text;
}

std::string PprofValues::ListOthers(const Choice& choice) const {
  std::vector<size_t> others;
  for (size_t i = 0; i < types_.size(); ++i) {
    if (i != choice.weight && !(choice.has_cpu && choice.time == i)) others.push_back(i);
  }
  return Listed(others);
}

std::string PprofValues::Listed(const std::vector<size_t>& numbers) const {
  std::string list;
  for (size_t i = 0; i < std::min(numbers.size(), kMostListedValues); ++i) {
    const Type& type = types_[numbers[i]];
    list += Concat(i == 0 ? "" : ", ", NameOr(type.name), " (", NameOr(type.unit), ")");
  }
  if (numbers.size() > kMostListedValues) list += Concat(", ... and ", numbers.size() - kMostListedValues, " more");
  return list;
}

}  // namespace geckoprof
