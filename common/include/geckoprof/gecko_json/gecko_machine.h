// Facts about this machine that a profile's head names.
#ifndef GECKOPROF_GECKO_JSON_GECKO_MACHINE_H_
#define GECKOPROF_GECKO_JSON_GECKO_MACHINE_H_

#include <cstdint>
#include <string>

namespace geckoprof {

struct GeckoMachine {
  std::string oscpu;          // "Linux x86_64"
  std::string cpu_name;       // "Intel(R) Xeon(R) Processor"; empty if unknown
  uint32_t logical_cpus = 0;  // 0 if unknown
};

// By raw system calls.
GeckoMachine ReadGeckoMachine();

// What /proc/cpuinfo says. x86 names the processor in "model name"; arm64 has no such line.
void ReadCpuInfo(const std::string& cpuinfo, GeckoMachine& machine);

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_MACHINE_H_
