#include "geckoprof/control/process_counters.h"

#include "geckoprof/base/clock.h"

namespace geckoprof {

const ProcessCounter kProcessCounters[kProcessCounterCount] = {
    {&ProcessUsage::cpu_ns, true, kNsPerMs, "CPU", "CPU", "ms",
     "CPU time of all threads of the process, with the sampler's"},
    {&ProcessUsage::resident_bytes, false, 1, "Resident memory", "Memory", "bytes",
     "Memory of the process that is in RAM"},
    {&ProcessUsage::read_bytes, true, 1, "Bytes read", "I/O", "bytes",
     "Bytes that read(2) and alike gave the process, from files, pipes and sockets"},
    {&ProcessUsage::written_bytes, true, 1, "Bytes written", "I/O", "bytes",
     "Bytes that the process passed to write(2) and alike, of files, pipes and sockets"},
    {&ProcessUsage::minor_faults, true, 1, "Page faults", "Kernel", "", "Page faults without a read from a disk"},
    {&ProcessUsage::major_faults, true, 1, "Page faults from disk", "Kernel", "",
     "Page faults that waited for a read from a disk"},
    {&ProcessUsage::switches, true, 1, "Context switches", "Kernel", "",
     "How often threads of the process gave up their core, or lost it"},
    {&ProcessUsage::thread_count, false, 1, "Threads", "Kernel", "", "Threads of the process, with the sampler's"},
};

}  // namespace geckoprof
