#ifndef GECKOPROF_BASEPROFILER_SHUTDOWN_COMMAND_SEARCH_H_
#define GECKOPROF_BASEPROFILER_SHUTDOWN_COMMAND_SEARCH_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace geckoprof {

// CommandSearch: finds the places where the command `geckoprof` may be, one after the other.
//
//   GECKOPROF_COMMAND is given         that path, and no other
//   PREFIX/lib/libbaseprofiler.so      PREFIX/bin/geckoprof
//   PREFIX/lib/x86_64-linux-gnu/...    PREFIX/bin/geckoprof
//   PATH                               each of its absolute folders
//
// A prefix that everybody may write to (/tmp, say) does not count: another user could put a program there.
// A program that base is linked into has no library, so nothing lies beside it.
//
// Threads: one. Context: raw system calls only, no memory. Lifetime: it borrows the texts.
class CommandSearch {
 public:
  struct Sources {
    std::string_view given;      // GECKOPROF_COMMAND; empty: none
    std::string_view library;    // path of the object that base is in; empty: not known
    std::string_view path_list;  // PATH; empty where it may not be used
  };
  explicit CommandSearch(const Sources& sources) : sources_(sources) {}

  // Writes the next path, zero terminated. Returns false if there are no more.
  bool Next(std::span<char> path);

 private:
  bool NextBesideLibrary(std::span<char> path);
  bool NextInPath(std::span<char> path);

  Sources sources_;
  bool is_past_first_ = false;  // the given path is used, or no place beside the library is left
  uint32_t folders_up_ = 0;     // from the library's own
};

// Writes the path of the file that the code at `address` was mapped from, as the kernel tells it in /proc/self/maps.
// `room` is for parts of that file, and must hold the longest line. Returns nothing if the file does not say it.
std::string_view PathOfCode(const void* address, std::span<char> room, std::span<char> path);

// Returns whether this is a set-id program, or the process has other user or group ids than at its exec.
bool HasChangedIds();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SHUTDOWN_COMMAND_SEARCH_H_
