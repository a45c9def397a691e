#ifndef GECKOPROF_TOOLS_MACHINE_SYSTEM_LOAD_H_
#define GECKOPROF_TOOLS_MACHINE_SYSTEM_LOAD_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/machine/growing_count.h"
#include "tools/machine/machine_file.h"
#include "tools/machine/machine_source.h"

namespace geckoprof {

// SystemLoad reads how long tasks of the machine waited for cores, memory, and input and output (PSI). It also reads
// the bytes that its network interfaces received and sent.
//
//   /proc/pressure/cpu     some avg10=0.00 ... total=4711        us in which a task waited
//   /proc/pressure/memory  full avg10=0.00 ... total=12          us in which all tasks did
//   /proc/net/dev          eth0: 4711 0 0 ...                    of the recorder's network namespace
//
// Interfaces of devices count, because bridges, tunnels and the like pass on what these transfer. Where there is no
// device, as in a container, all but `lo` count.
// Threads: one. Context: as MachineSource.
class SystemLoad : public MachineSource {
 public:
  explicit SystemLoad(const MachineRoots& roots);

  void Read(int64_t now_ns, std::span<uint64_t> values) override;

 private:
  struct Pressure {
    MachineFile file;
    bool has_stall;  // "full" is recorded, too
    GrowingCount some, full;
  };
  struct Interface {
    std::array<char, 16> name;  // filled with zeros
    bool is_counted;
    GrowingCount received, sent;
  };

  // Adds the line of a pressure file to its count. Returns the total.
  uint64_t AddPressure(std::string_view text, std::string_view key, int64_t now_ns, const std::string& path,
                       GrowingCount& count);
  bool ReadNetwork(int64_t now_ns);
  void AddLine(std::string_view line, int64_t now_ns, size_t& expected);
  // Returns the interface, which is usually the expected one.
  Interface* Find(std::string_view name, size_t& expected);
  bool HasDevice(std::string_view interface) const;

  std::vector<Pressure> pressures_;
  const std::string devices_;         // folder of the interfaces
  std::vector<MachineFile> network_;  // one, or none
  std::vector<char> room_;
  std::vector<Interface> interfaces_;
  bool only_devices_ = false;
  uint64_t received_ = 0, sent_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_MACHINE_SYSTEM_LOAD_H_
