#ifndef GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
#define GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_

#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace geckoprof {

// TextScrubber: takes out of a text what says where it was made, and by whom.
//
//   /srv/acme/src/main.cc                 -> main.cc
//   open (/srv/acme/x.log): no file       -> open (x.log): no file
//   -I/srv/acme/include                   -> -Iinclude
//   C:\acme\app.exe                       -> app.exe
//   https://host.example/path?key=1       -> https://(left out)
//   data:image/png;base64,...             -> data:(left out)
//   alice's thread                        -> (left out)'s thread      if "alice" is one of the words
//   a=%2Fsrv%2Facme%2Fx%20y               -> a=x y
//
// The colours of a terminal and the signs for encoded bytes go only if something else of the text does.
// Names of functions stay, and so do relative paths: "operator/", "src/main.cc", "github.com/a/b.Run".
// Folders may have blanks. A path goes on behind one if it opens the text, if it stands in quotation marks, or if it is
// one of Windows.
//
// Costs: linear in the text. Threads: const functions from any.
class TextScrubber {
 public:
  TextScrubber() = default;
  TextScrubber(const TextScrubber&) = delete;
  TextScrubber& operator=(const TextScrubber&) = delete;

  // Shorter words are not looked for, since too many names of functions have them as a part.
  static constexpr size_t kMinWordBytes = 3;

  static constexpr size_t kMaxWordBytes = 128;

  // The word is replaced where neither a letter of ASCII, a digit nor '_' is next to it. Returns false if it is too
  // short or too long, or begins with another character of ASCII than these.
  bool AddWord(std::string_view word);

  // Adds the name of a process that has arguments in it, such as "worker --key=value". Its first word stays.
  void AddProgram(std::string_view name);

  // Adds the names of users in the paths of a text: the name of a folder directly below "home" or "Users".
  void AddUsersIn(std::string_view text);

  // Returns the text without folders, addresses of the web and the words.
  std::string Scrub(std::string_view text) const;

 private:
  struct Left {
    std::string text;
    bool is_rest;  // nothing that follows stays
  };
  using Texts = absl::flat_hash_map<std::string_view, Left>;

  bool AddText(std::string_view text, std::string_view left, bool is_rest);
  static std::string WithoutPaths(std::string_view text);
  std::string WithoutWords(std::string_view text) const;
  // Returns the longest known text that begins at this byte.
  Texts::const_iterator FindWord(std::string_view text, size_t at) const;

  std::deque<std::string> texts_;  // the maps have views of them
  Texts left_of_;                  // what each text is replaced with
  // The size of the longest text that begins with these kMinWordBytes bytes.
  absl::flat_hash_map<std::string_view, size_t> longest_;
};

// Returns the name of the program that a command line begins with: "sh" of "/bin/sh -c true".
std::string_view ProgramOfCommand(std::string_view command);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
