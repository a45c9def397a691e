#include "geckoprof/gecko_json/gecko_machine.h"

#include <sys/utsname.h>

#include <string_view>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {

GeckoMachine ReadGeckoMachine() {
  GeckoMachine machine;
  struct utsname names = {};
  if (RawSyscall(SYS_uname, &names) == 0) {
    machine.oscpu = names.sysname;
    machine.oscpu += ' ';
    machine.oscpu += names.machine;
  }
  std::string cpuinfo;
  if (ReadWholeFile("/proc/cpuinfo", cpuinfo) == 0) ReadCpuInfo(cpuinfo, machine);
  return machine;
}

void ReadCpuInfo(const std::string& cpuinfo, GeckoMachine& machine) {
  std::string_view rest = cpuinfo;
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    const std::string_view line = rest.substr(0, newline);
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (line.starts_with("processor")) ++machine.logical_cpus;
    if (line.starts_with("model name") && machine.cpu_name.empty()) machine.cpu_name = value;
  }
}

}  // namespace geckoprof
