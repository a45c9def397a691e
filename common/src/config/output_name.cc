#include "geckoprof/config/output_name.h"

#include <sys/utsname.h>

#include <cstddef>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

// Each ends with '='. Slurm's comes last, because a batch script has it for all that it starts.
constexpr char kRankVariables[] =
    "OMPI_COMM_WORLD_RANK=PMIX_RANK=PMI_RANK=MV2_COMM_WORLD_RANK=PALS_RANKID=FLUX_TASK_RANK=SLURM_PROCID=";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view DigitsOf(const char* text) {
  constexpr size_t kMostDigits = 9;
  size_t count = 0;
  while (count < kMostDigits && IsDigit(text[count])) ++count;
  return {text, text[count] == '\0' ? count : 0};
}

bool IsOfHost(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return IsDigit(c) || (lower >= 'a' && lower <= 'z') || c == '-' || c == '.';
}

}  // namespace

std::string_view FindRank(const char* const* environment) {
  const char* variable = kRankVariables;
  while (environment != nullptr && *variable != '\0') {
    size_t length = 0;
    while (variable[length] != '=') ++length;
    ++length;
    for (const char* const* line = environment; *line != nullptr; ++line) {
      size_t same = 0;
      while (same < length && (*line)[same] == variable[same]) ++same;
      if (same != length) continue;
      if (const std::string_view rank = DigitsOf(*line + length); !rank.empty()) return rank;
    }
    variable += length;
  }
  return {};
}

void AppendHostName(std::string_view host, TextBuilder& out) {
  bool is_first = true;
  for (const char c : host) {
    const bool is_kept = IsOfHost(c) && !(is_first && c == '.');
    out.Text(is_kept ? std::string_view(&c, 1) : "_");
    is_first = false;
  }
}

void ExpandOutputName(std::string_view name, std::string_view rank, int64_t pid, TextBuilder& out) {
  for (size_t i = 0; i < name.size(); ++i) {
    const char kind = name[i] == '%' && i + 1 < name.size() ? name[i + 1] : '\0';
    ++i;
    if (kind == 'p') {
      out.Number(pid);
    } else if (kind == 'r') {
      out.Text(rank.empty() ? "0" : rank);
    } else if (kind == 'h') {
      utsname names = {};
      (void)RawSyscall(SYS_uname, &names);
      AppendHostName(names.nodename, out);
    } else {
      --i;
      out.Text(name.substr(i, 1));
    }
  }
}

}  // namespace geckoprof
