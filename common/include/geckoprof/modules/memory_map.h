// The mappings of a process, as the lines of /proc/PID/maps list them.
#ifndef GECKOPROF_MODULES_MEMORY_MAP_H_
#define GECKOPROF_MODULES_MEMORY_MAP_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// A half-open range of addresses in the process, [start, end).
struct AddressRange {
  uint64_t start_avma = 0;
  uint64_t end_avma = 0;
  bool Contains(uint64_t avma) const { return avma - start_avma < end_avma - start_avma; }
};

// MapsLine is one line. It borrows the text from which it was read (proc(5), "/proc/pid/maps").
//
//   7f2c1a026000-7f2c1a17c000 r-xp 00026000 08:01 1835 /usr/lib/libc.so.6 (deleted)
//   start_avma   end_avma     |    offset   dev   inode  path              |
struct MapsLine {
  uint64_t start_avma = 0;
  uint64_t end_avma = 0;
  uint64_t file_offset = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool deleted = false;  // the kernel reports that the file has lost its name
  uint64_t inode = 0;
  uint32_t dev_major = 0;
  uint32_t dev_minor = 0;
  std::string_view path;  // empty for anonymous memory; without " (deleted)"; a newline in it is still "\012"
};

// Removes the first line from `text` and reads it into `line`. Returns false if the line has another format. The line
// is removed in this case, too. `text` must not be empty.
bool NextMapsLine(std::string_view& text, MapsLine& line);

// Returns the path as open(2) expects it. The kernel writes a newline in a name as "\012".
std::string UnescapeMapsPath(std::string_view path);

}  // namespace geckoprof

#endif  // GECKOPROF_MODULES_MEMORY_MAP_H_
