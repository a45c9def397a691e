#ifndef GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
#define GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

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
//
// Names of functions stay, and so do relative paths: "operator/", "src/main.cc", "github.com/a/b.Run".
// Folders may have blanks. A path goes on behind one if it opens the text, if it stands in quotation marks, or if it is
// one of Windows.
//
// Costs: linear in the text. Threads: const functions from any.
class TextScrubber {
 public:
  // Shorter words are not looked for, since too many names of functions have them as a part.
  static constexpr size_t kMinWordBytes = 3;

  // The word is replaced where neither a letter, a digit nor '_' is next to it. Returns false if it is too short, or
  // begins with another byte than these.
  bool AddWord(std::string_view word);

  // Adds the names of users in the paths of a text: the name of a folder directly below "home" or "Users".
  void AddUsersIn(std::string_view text);

  const std::set<std::string, std::less<>>& words() const { return words_; }

  // Returns the text without folders, addresses of the web and the words.
  std::string Scrub(std::string_view text) const;

 private:
  std::string WithoutWords(std::string_view text) const;

  std::set<std::string, std::less<>> words_;
  // The key is the letters, digits and '_' that the words begin with. The longest word comes first.
  absl::flat_hash_map<std::string, std::vector<std::string>> by_start_;
};

// Returns the name of the program that a command line begins with: "sh" of "/bin/sh -c true".
std::string_view ProgramOfCommand(std::string_view command);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
