#include "tools/machine/system_load.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "geckoprof/config/start_number.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr size_t kPressureRoomBytes = 512;
constexpr size_t kNetworkRoomBytes = size_t{256} << 10;
constexpr size_t kMostInterfaces = 4096;
constexpr uint64_t kMostBytesPerSecond = 125'000'000'000;  // 1 Tbit/s
constexpr uint64_t kUsPerSecond = 1'000'000;
constexpr size_t kFieldsToSent = 8;  // of a line of /proc/net/dev

struct PressureKind {
  const char* name;
  MachineMeasure some;
  std::optional<MachineMeasure> full;  // the kernel does not count all tasks of the machine waiting for a core
};
constexpr PressureKind kPressures[] = {
    {"cpu", MachineMeasure::kCpuPressure, std::nullopt},
    {"memory", MachineMeasure::kMemoryPressure, MachineMeasure::kMemoryStall},
    {"io", MachineMeasure::kIoPressure, MachineMeasure::kIoStall},
};

// The times of tasks lag behind a little, and can catch up.
GrowingCount PressureCount() { return {0, 2 * kUsPerSecond, kUsPerSecond}; }
GrowingCount NetworkCount() { return {0, kMostBytesPerSecond, kMostBytesPerSecond}; }

// Takes a word from the begin of a text.
std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

SystemLoad::SystemLoad(const MachineRoots& roots) : devices_(roots.sys + "/class/net/") {
  char room[kPressureRoomBytes];
  for (const PressureKind& kind : kPressures) {
    MachineFile file(Concat(roots.proc, "/pressure/", kind.name));
    const std::string_view text = file.ReadText(0, room);
    if (text.empty()) {
      const bool is_missing = file.error() == ENOENT || file.error() == EOPNOTSUPP;
      Note(is_missing ? MachineFault::kNoPressure : MachineFault::kLoadUnreadable, file.error(), file.path());
      continue;
    }
    const bool has_stall = kind.full.has_value() && text.find("full ") != std::string_view::npos;
    AddSeries(kind.some);
    if (has_stall) AddSeries(*kind.full);
    pressures_.push_back({std::move(file), has_stall, PressureCount(), PressureCount()});
  }
  MachineFile network(roots.proc + "/net/dev");
  if (network.error() != 0) {
    Note(MachineFault::kNoNetwork, network.error(), network.path());
    return;
  }
  AddSeries(MachineMeasure::kReceivedBytes);
  AddSeries(MachineMeasure::kSentBytes);
  network_.push_back(std::move(network));
  room_.resize(kNetworkRoomBytes);
  for (const std::string& name : NamesIn(devices_)) only_devices_ |= HasDevice(name);
}

bool SystemLoad::HasDevice(std::string_view interface) const {
  return access(Concat(devices_, interface, "/device").c_str(), F_OK) == 0;
}

uint64_t SystemLoad::AddPressure(std::string_view text, std::string_view key, int64_t now_ns, const std::string& path,
                                 GrowingCount& count) {
  constexpr std::string_view kTotal = " total=";
  text.remove_prefix(std::min(text.find(key), text.size()));
  text = text.substr(0, text.find('\n'));
  const size_t at = text.find(kTotal);
  const uint64_t total_us = at != std::string_view::npos ? NumberOfLine(text.substr(at + kTotal.size())) : kNoReading;
  if (total_us == kNoReading || !count.Add(total_us, now_ns)) {
    Note(MachineFault::kLoadNonsense, 0, path);
    return kNoReading;
  }
  return count.total();
}

SystemLoad::Interface* SystemLoad::Find(std::string_view name, size_t& expected) {
  std::array<char, 16> key = {};
  if (name.empty() || name.size() >= key.size()) return nullptr;
  name.copy(key.data(), name.size());
  for (size_t i = 0; i < interfaces_.size(); ++i) {
    const size_t row = (expected + i) % interfaces_.size();
    if (interfaces_[row].name != key) continue;
    expected = row + 1;
    return &interfaces_[row];
  }
  if (interfaces_.size() == kMostInterfaces) return nullptr;
  const bool is_counted = only_devices_ ? HasDevice(name) : name != "lo";
  interfaces_.push_back({key, is_counted, NetworkCount(), NetworkCount()});
  expected = interfaces_.size();
  return &interfaces_.back();
}

void SystemLoad::AddLine(std::string_view line, int64_t now_ns, size_t& expected) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;  // one of the two lines of titles
  std::string_view name = line.substr(0, colon);
  Interface* const interface = Find(TakeWord(name), expected);
  if (interface == nullptr || !interface->is_counted) return;
  line.remove_prefix(colon + 1);
  const std::optional<uint64_t> received = ParseDecimal(TakeWord(line));
  for (size_t field = 1; field < kFieldsToSent; ++field) TakeWord(line);
  const std::optional<uint64_t> sent = ParseDecimal(TakeWord(line));
  const uint64_t received_before = interface->received.total(), sent_before = interface->sent.total();
  const bool is_sound = received.has_value() && sent.has_value() && interface->received.Add(*received, now_ns) &&
                        interface->sent.Add(*sent, now_ns);
  if (!is_sound) Note(MachineFault::kLoadNonsense, 0, network_.front().path());
  received_ += interface->received.total() - received_before;
  sent_ += interface->sent.total() - sent_before;
}

bool SystemLoad::ReadNetwork(int64_t now_ns) {
  std::string_view text = network_.front().ReadLongText(now_ns, room_);
  if (text.empty()) return false;
  size_t expected = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    AddLine(line, now_ns, expected);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

void SystemLoad::Read(int64_t now_ns, std::span<uint64_t> values) {
  char room[kPressureRoomBytes];
  std::ranges::fill(values, kNoReading);
  size_t row = 0;
  for (Pressure& pressure : pressures_) {
    const std::string_view text = pressure.file.ReadText(now_ns, room);
    const std::string& path = pressure.file.path();
    if (text.empty()) {
      Note(MachineFault::kLoadUnreadable, pressure.file.error(), path);
      row += pressure.has_stall ? 2 : 1;
      continue;
    }
    values[row++] = AddPressure(text, "some ", now_ns, path, pressure.some);
    if (pressure.has_stall) values[row++] = AddPressure(text, "full ", now_ns, path, pressure.full);
  }
  if (network_.empty()) return;
  if (ReadNetwork(now_ns)) {
    values[row] = received_;
    values[row + 1] = sent_;
  } else {
    Note(MachineFault::kLoadUnreadable, network_.front().error(), network_.front().path());
  }
}

}  // namespace geckoprof
