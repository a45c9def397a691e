#include "tools/profile/system_pid.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace geckoprof {
namespace {

constexpr uint64_t kGeckoProgramStep = 10'000'000;  // more than any pid
constexpr uint64_t kGeckoNamespaceStep = 100'000'000'000'000;

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Maybe of another pid namespace: "1@2".
bool IsPid(std::string_view text) {
  const size_t at = text.find('@');
  return IsDigits(text.substr(0, at)) && (at == std::string_view::npos || IsDigits(text.substr(at + 1)));
}

}  // namespace

std::string SystemPid(std::string_view pid) {
  const size_t dot = pid.find('.');
  const bool numbered = dot != std::string_view::npos && IsPid(pid.substr(0, dot)) && IsDigits(pid.substr(dot + 1));
  return std::string(numbered ? pid.substr(0, dot) : pid);
}

std::string ProcessedPidOfGecko(std::string_view pid) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  if (error != std::errc() || end != pid.data() + pid.size()) return std::string(pid);
  const uint64_t space = number / kGeckoNamespaceStep;
  const uint64_t program = number % kGeckoNamespaceStep / kGeckoProgramStep;
  std::string processed_pid = std::to_string(number % kGeckoProgramStep);
  if (space != 0) processed_pid += "@" + std::to_string(space);
  if (program != 0) processed_pid += "." + std::to_string(program);
  return processed_pid;
}

}  // namespace geckoprof
