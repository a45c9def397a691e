#include "tools/machine/cpu_list.h"

#include <charconv>
#include <cstddef>

#include "tools/text/concat.h"

namespace geckoprof {
namespace {

constexpr int kMostCpus = 4096;

// Takes a number from the begin of the text. Returns -1 if there is none.
int TakeNumber(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() && number >= 0 && number < kMostCpus ? number : -1;
}

}  // namespace

std::vector<int> ParseCpuList(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const int first = TakeNumber(text);
    int last = first;
    if (!text.empty() && text.front() == '-') {
      text.remove_prefix(1);
      last = TakeNumber(text);
    }
    if (first < 0) break;
    for (int cpu = first; cpu <= last && cpus.size() < kMostCpus; ++cpu) cpus.push_back(cpu);
    if (text.empty() || (text.front() != ',' && text.front() != ' ')) break;
    text.remove_prefix(1);
  }
  return cpus;
}

std::string CpuListText(const std::vector<int>& cpus) {
  std::string text;
  for (size_t first = 0, next = 0; first < cpus.size(); first = next) {
    next = first + 1;
    while (next < cpus.size() && cpus[next] == cpus[next - 1] + 1) ++next;
    text += Concat(text.empty() ? "" : ",", cpus[first]);
    if (next - first > 1) text += Concat("-", cpus[next - 1]);
  }
  return text;
}

}  // namespace geckoprof
