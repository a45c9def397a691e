#ifndef GECKOPROF_TOOLS_MACHINE_CPU_LIST_H_
#define GECKOPROF_TOOLS_MACHINE_CPU_LIST_H_

#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// Reads the numbers of cores in "0-3,8" or "0 1 2 3". Any other text ends the list. It has at most 4096 cores.
std::vector<int> ParseCpuList(std::string_view text);

// Returns "0-3,8". REQUIRES: the numbers ascend.
std::string CpuListText(const std::vector<int>& cpus);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_CPU_LIST_H_
