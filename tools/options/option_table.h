#ifndef GECKOPROF_TOOLS_OPTIONS_OPTION_TABLE_H_
#define GECKOPROF_TOOLS_OPTIONS_OPTION_TABLE_H_

#include <string>
#include <utility>
#include <vector>

namespace geckoprof {

// What a shell can offer for a value.
struct ValueHint {
  enum class Kind {
    kAnything,
    kWords,     // one of `words`
    kWordList,  // some of them, with commas between
    kFiles,     // whose names end in one of `words`; all files without any
    kFolders,
    kProgram,  // a program, and after it what it takes
  };
  Kind kind = Kind::kAnything;
  std::vector<std::string> words = {};
};

// The options of a sub-command, as its parser has them.
struct OptionTable {
  struct Option {
    std::vector<std::string> names;  // "-o", "--output"
    std::string placeholder;         // of its value; empty: it takes none
    std::string help;
    ValueHint value;
  };
  std::string command;
  std::vector<Option> options;
  ValueHint operands;  // what has no name
};

// The endings of profiles that are written, and read.
inline const std::vector<std::string>& ProfileEndings() {
  static const std::vector<std::string> endings = {".json", ".json.gz"};
  return endings;
}

// OptionListing collects the option tables of sub-commands, from which the completions of shells are made. While there
// is an object, CommandOptions::Parse adds the table of its options and ends the sub-command, which then does nothing.
// Threads: one, and one object at a time.
class OptionListing {
 public:
  OptionListing() { current_ = this; }
  ~OptionListing() { current_ = nullptr; }
  OptionListing(const OptionListing&) = delete;
  OptionListing& operator=(const OptionListing&) = delete;

  // Null: there is none.
  static OptionListing* Current() { return current_; }

  void Add(OptionTable table) { tables_.push_back(std::move(table)); }
  const std::vector<OptionTable>& tables() const { return tables_; }

 private:
  inline static OptionListing* current_ = nullptr;

  std::vector<OptionTable> tables_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_OPTION_TABLE_H_
