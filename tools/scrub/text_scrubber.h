#ifndef GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
#define GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace geckoprof {

// TextScrubber: takes out of a text what says where it was made, and by whom.
//
//   /srv/acme/src/main.cc                 -> main.cc
//   open (/srv/acme/x.log): no file       -> open (x.log): no file
//   C:\acme\app.exe                       -> app.exe
//   https://host.example/path?key=1       -> https://(left out)
//   data:image/png;base64,...             -> data:(left out)
//   alice's thread                        -> (left out)'s thread      if "alice" is one of the words
//
// Names of functions stay, and so do relative paths: "operator/", "src/main.cc", "github.com/a/b.Run".
// A text that begins with a path counts as that path up to its last slash, because folders may have blanks.
//
// Threads: const functions from any.
class TextScrubber {
 public:
  // A word is replaced where neither a letter, a digit nor '_' is next to it. Shorter ones than this are not, since too
  // many names of functions have them as a part.
  static constexpr size_t kMinWordBytes = 3;

  // Returns false if the word is too short.
  bool AddWord(std::string_view word);

  // Adds the names of users in the paths of a text: the name of a folder directly below "home" or "Users".
  void AddUsersIn(std::string_view text);

  const std::set<std::string, std::less<>>& words() const { return words_; }

  // Returns the text without folders, addresses of the web and the words.
  std::string Scrub(std::string_view text) const;

 private:
  std::string WithoutWords(std::string text) const;

  std::set<std::string, std::less<>> words_;
};

// Returns the name of the program that a command line begins with: "sh" of "/bin/sh -c true".
std::string_view ProgramOfCommand(std::string_view command);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SCRUB_TEXT_SCRUBBER_H_
