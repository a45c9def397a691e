// Measures a look at four RAPL zones, and at the load of this machine. The floor is four calls of pread(2). The files
// of the zones lead to a file of sysfs that this machine has. Figures are medians of rounds, in CPU time.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "geckoprof/base/clock.h"
#include "tools/machine/power_zones.h"
#include "tools/machine/system_load.h"
#include "tools/text/concat.h"

namespace {

uint64_t g_allocations = 0;

}  // namespace

void* operator new(size_t bytes) {
  ++g_allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  std::abort();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace geckoprof {
namespace {

constexpr int kZones = 4, kLooks = 2'000;
constexpr size_t kRounds = 21;
constexpr char kKernelFile[] = "/sys/class/net/lo/statistics/rx_bytes";

template <typename Body>
double MedianUs(const Body& body) {
  std::array<double, kRounds> rounds;
  for (double& us : rounds) {
    const int64_t begin_ns = CurrentThreadCpuNs();
    for (int look = 0; look < kLooks; ++look) body();
    us = static_cast<double>(CurrentThreadCpuNs() - begin_ns) / kLooks / 1e3;
  }
  std::ranges::sort(rounds);
  return rounds[rounds.size() / 2];
}

void MeasureSource(const char* name, MachineSource& source) {
  std::vector<uint64_t> values(source.series().size());
  source.Read(MonotonicNs(), values);
  const uint64_t before = g_allocations;
  const double us = MedianUs([&] { source.Read(MonotonicNs(), values); });
  std::printf("%s (%zu values) | %.2f us a look | %llu allocations\n", name, values.size(), us,
              static_cast<unsigned long long>(g_allocations - before));
}

void Main(const std::string& folder) {
  for (int zone = 0; zone < kZones; ++zone) {
    const std::string path = Concat(folder, "/sys/class/powercap/intel-rapl:", zone);
    std::filesystem::create_directories(path);
    std::filesystem::create_symlink(kKernelFile, path + "/energy_uj");
    std::ofstream(path + "/name") << "package-" << zone << "\n";
    std::ofstream(path + "/max_energy_range_uj") << "262143328850\n";
  }
  const int file = open(kKernelFile, O_RDONLY | O_CLOEXEC);
  char room[64];
  const double floor_us = MedianUs([&] {
    for (int zone = 0; zone < kZones; ++zone) {
      if (pread(file, room, sizeof(room), 0) <= 0) std::abort();
    }
  });
  std::printf("four preads of a file of sysfs | %.2f us\n", floor_us);
  close(file);
  PowerZones power(MachineRoots::Below(folder));
  MeasureSource("power", power);
  SystemLoad load(MachineRoots::Below(""));
  MeasureSource("system", load);
}

}  // namespace
}  // namespace geckoprof

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "machine_bench.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  geckoprof::Main(folder);
  std::filesystem::remove_all(folder);
  return 0;
}
