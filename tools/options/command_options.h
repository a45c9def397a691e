#ifndef GECKOPROF_TOOLS_OPTIONS_COMMAND_OPTIONS_H_
#define GECKOPROF_TOOLS_OPTIONS_COMMAND_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/option_table.h"

namespace geckoprof {

// CommandOptions: the options of one sub-command, so that all of them read, help and complain alike. The one place
// where CLI11 is seen. Lifetime:  the variables given outlive the call of Parse. Example:
//   int64_t top = 20;
//   CommandOptions options("report", "Shows what a profile says.", "Examples:\n  geckoprof report x.json\n");
//   options.Number("--top", &top, 1, 1000, "N", "rows of each list");
//   if (const std::optional<int> status = options.Parse(args)) return *status;
// A value is the rest of its word (--top=5, -ofile) or the next word. The next word is never one that begins with '-',
// which was most likely meant as an option, but for "-" itself: a file called -x is given as ./-x or --output=-x. No
// value is empty.
class CommandOptions {
 public:
  // `examples` ends the help text.
  CommandOptions(const std::string& name, const std::string& purpose, const std::string& examples);
  ~CommandOptions();
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  void Flag(const std::string& name, bool* value, const std::string& help);
  void Text(const std::string& name, std::string* value, const std::string& placeholder, const std::string& help);
  // One that may be given several times, with one value each.
  void Texts(const std::string& name, std::vector<std::string>* values, const std::string& placeholder,
             const std::string& help);
  // Refuses what is no whole number, or out of the range, which the help text shows.
  void Number(const std::string& name, int64_t* value, int64_t least, int64_t most, const std::string& placeholder,
              const std::string& help);
  // What has no name; required unless said otherwise.
  void Positional(const std::string& placeholder, std::string* value, const std::string& help);
  void Positionals(const std::string& placeholder, std::vector<std::string>* values, const std::string& help,
                   bool required = true);

  // What a shell may offer for the value of the option that has this name, and for what has no name.
  void Offer(const std::string& name, ValueHint hint);
  void OfferOperands(ValueHint hint);

  // What follows the options, shown in the usage line, of a command that takes it off the arguments itself.
  void Rest(const std::string& placeholder);

  std::string Help() const;
  // How many of the arguments, args[0] among them, come before "--" or the first word that is neither an option nor an
  // option's value: for a command that runs what follows.
  size_t CountOwn(std::span<char* const> args) const;
  OptionTable Table() const;
  // args[0] is the sub-command's name. Empty: go on. Else the exit status: 0 after --help, 2 after one line on stderr.
  std::optional<int> Parse(std::span<char* const> args);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// SourceOptions are the options that say where the source files of recorded programs are (SourcePaths).
struct SourceOptions {
  std::vector<std::string> folders, maps;

  void AddTo(CommandOptions* options);
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_OPTIONS_COMMAND_OPTIONS_H_
