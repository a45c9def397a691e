#ifndef GECKOPROF_CONTROL_COUNTER_FILE_NAME_H_
#define GECKOPROF_CONTROL_COUNTER_FILE_NAME_H_

namespace geckoprof {

// The file of a session folder that has what the kernel counts for each process, and for the machine
// (docs/formats/process-counters.md). It tells the full library in these processes that a recorder counts for them. The
// recorder makes it before it starts or steers a process.
inline constexpr char kCounterFileName[] = "counters";

}  // namespace geckoprof

#endif  // GECKOPROF_CONTROL_COUNTER_FILE_NAME_H_
