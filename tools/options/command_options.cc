#include "tools/options/command_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "tools/options/option_table.h"
#include "tools/support/standard_output.h"
#include "tools/text/concat.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// Ends the usage line with what the parser does not see.
class UsageFormatter : public CLI::Formatter {
 public:
  std::string rest;

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    return rest.empty() ? usage : usage.insert(usage.find_last_not_of('\n') + 1, " " + rest);
  }
};

namespace {

enum class ValuePlace { kNone, kSameWord, kNextWord };

// An option's value as the words of the command line have it.
struct OptionValue {
  std::string_view option;  // its name as it was written
  ValuePlace place = ValuePlace::kNone;
  bool is_missing = false;  // there is none, though the option takes one
};

// Whether a word can be the value of the option before it. An empty one ("$FILE" of a variable that is not set) is
// none.
bool IsValue(std::string_view word) { return word == "-" || (!word.empty() && !word.starts_with('-')); }

// Whether there is a word at `at` that is a negative number: no option is called so.
bool HasNumber(std::span<char* const> args, size_t at) {
  return at < args.size() && args[at][0] == '-' && args[at][1] >= '0' && args[at][1] <= '9';
}

// The names in a list such as "-o,--output".
void AddNames(std::string_view list, std::vector<std::string>& names) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    names.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace

struct CommandOptions::Parser {
  CLI::App app;
  std::string name;
  std::vector<std::string> with_value;  // options that take one, as the user writes them
  std::shared_ptr<UsageFormatter> formatter = std::make_shared<UsageFormatter>();
  std::vector<std::pair<const CLI::Option*, ValueHint>> hints;
  ValueHint operands;

  bool TakesValue(std::string_view option) const {
    return std::find(with_value.begin(), with_value.end(), option) != with_value.end();
  }
  OptionValue ValueAt(std::span<char* const> args, size_t at) const;
  // What is wrong with the first option without its value; empty: all have theirs.
  std::string MissingValue(std::span<char* const> args) const;
  // Names the first option that is there twice and takes one value only; empty: there is none.
  std::string RepeatedOption(std::span<char* const> args) const;
};

// "--name=value", "--name" and the next word, "-nvalue", "-fn" (f is a flag) and the next word.
OptionValue CommandOptions::Parser::ValueAt(std::span<char* const> args, size_t at) const {
  const std::string_view word = args[at];
  const bool has_next = at + 1 < args.size() && IsValue(args[at + 1]);
  if (word.starts_with("--")) {
    const std::string_view option = word.substr(0, word.find('='));
    if (!TakesValue(option)) return {};
    if (option.size() == word.size()) return {option, ValuePlace::kNextWord, !has_next};
    return {option, ValuePlace::kSameWord, option.size() + 1 == word.size()};
  }
  for (size_t i = 1; word.starts_with('-') && i < word.size(); ++i) {
    const auto option = std::find_if(with_value.begin(), with_value.end(), [&](std::string_view candidate) {
      return candidate.size() == 2 && candidate[1] == word[i];
    });
    if (option == with_value.end()) continue;
    if (i + 1 < word.size()) return {*option, ValuePlace::kSameWord};
    return {*option, ValuePlace::kNextWord, !has_next};
  }
  return {};
}

std::string CommandOptions::Parser::MissingValue(std::span<char* const> args) const {
  for (size_t i = 1; i < args.size() && std::string_view(args[i]) != "--"; ++i) {
    const OptionValue value = ValueAt(args, i);
    if (value.is_missing && HasNumber(args, i + 1)) {
      const std::string option(value.option);
      return Concat(option, " needs a value; one that begins with - is written ", option,
                    option.starts_with("--") ? "=" : "", args[i + 1]);
    }
    if (value.is_missing) return std::string(value.option) + " needs a value";
    if (value.place == ValuePlace::kNextWord) ++i;
  }
  return "";
}

std::string CommandOptions::Parser::RepeatedOption(std::span<char* const> args) const {
  std::vector<const CLI::Option*> seen;
  for (size_t i = 1; i < args.size() && std::string_view(args[i]) != "--"; ++i) {
    const OptionValue value = ValueAt(args, i);
    if (value.place == ValuePlace::kNone) continue;
    if (value.place == ValuePlace::kNextWord) ++i;
    const CLI::Option* const option = app.get_option_no_throw(std::string(value.option));
    if (option == nullptr || option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll) continue;
    if (std::find(seen.begin(), seen.end(), option) != seen.end()) return std::string(value.option);
    seen.push_back(option);
  }
  return "";
}

CommandOptions::CommandOptions(const std::string& name, const std::string& purpose, const std::string& examples)
    : parser_(std::make_unique<Parser>()) {
  parser_->name = "geckoprof " + name;
  parser_->app.name(parser_->name);
  parser_->app.description(purpose);
  parser_->app.footer(examples);
  parser_->app.set_help_flag("-h,--help", "print this help");
  parser_->formatter->column_width(28);
  parser_->app.formatter(parser_->formatter);
}

CommandOptions::~CommandOptions() = default;

void CommandOptions::Flag(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag(name, *value, help)->disable_flag_override();
}

void CommandOptions::Text(const std::string& name, std::string* value, const std::string& placeholder,
                          const std::string& help) {
  parser_->app.add_option(name, *value, help)->type_name(placeholder);
  AddNames(name, parser_->with_value);
}

void CommandOptions::Texts(const std::string& name, std::vector<std::string>* values, const std::string& placeholder,
                           const std::string& help) {
  parser_->app.add_option(name, *values, help)
      ->type_name(placeholder)
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  AddNames(name, parser_->with_value);
}

void CommandOptions::Number(const std::string& name, int64_t* value, int64_t least, int64_t most,
                            const std::string& placeholder, const std::string& help) {
  parser_->app.add_option(name, *value, help)
      ->check(CLI::Range(least, most))
      ->option_text(placeholder + " (" + std::to_string(least) + ".." + std::to_string(most) + ")");
  AddNames(name, parser_->with_value);
}

void CommandOptions::Positional(const std::string& placeholder, std::string* value, const std::string& help) {
  parser_->app.add_option(placeholder, *value, help)->required()->option_text(" ");
}

void CommandOptions::Positionals(const std::string& placeholder, std::vector<std::string>* values,
                                 const std::string& help, bool required) {
  parser_->app.add_option(placeholder, *values, help)->required(required)->option_text(" ");
}

void CommandOptions::Rest(const std::string& placeholder) { parser_->formatter->rest = placeholder; }

void CommandOptions::Offer(const std::string& name, ValueHint hint) {
  parser_->hints.emplace_back(parser_->app.get_option(name), std::move(hint));
}

void CommandOptions::OfferOperands(ValueHint hint) { parser_->operands = std::move(hint); }

OptionTable CommandOptions::Table() const {
  OptionTable table;
  table.command = parser_->name.substr(parser_->name.find(' ') + 1);
  table.operands = parser_->operands;
  if (!parser_->formatter->rest.empty()) table.operands.kind = ValueHint::Kind::kProgram;
  for (const CLI::Option* option : parser_->app.get_options()) {
    if (option->get_positional()) continue;
    const auto hint = std::find_if(parser_->hints.begin(), parser_->hints.end(),
                                   [&](const auto& known) { return known.first == option; });
    OptionTable::Option row{{}, "", option->get_description(), {}};
    if (hint != parser_->hints.end()) row.value = hint->second;
    for (const std::string& name : option->get_snames()) row.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) row.names.push_back("--" + name);
    if (parser_->TakesValue(row.names.front())) {
      const std::string& text = option->get_option_text();
      row.placeholder = text.empty() ? option->get_type_name() : text.substr(0, text.find(' '));
    }
    table.options.push_back(std::move(row));
  }
  return table;
}

std::string CommandOptions::Help() const { return parser_->app.help(); }

size_t CommandOptions::CountOwn(std::span<char* const> args) const {
  size_t i = 1;
  while (i < args.size()) {
    const std::string_view word = args[i];
    if (word == "--" || !word.starts_with('-')) break;
    const OptionValue value = parser_->ValueAt(args, i);
    i += value.place == ValuePlace::kNextWord && !value.is_missing ? 2 : 1;
  }
  return std::min(i, args.size());
}

std::optional<int> CommandOptions::Parse(std::span<char* const> args) {
  if (OptionListing* const listing = OptionListing::Current()) {
    listing->Add(Table());
    return 0;
  }
  if (const std::string fault = parser_->MissingValue(args); !fault.empty()) {
    fprintf(stderr, "%s: %s (--help explains)\n", parser_->name.c_str(), CleanText(fault).c_str());
    return 2;
  }
  if (const std::string option = parser_->RepeatedOption(args); !option.empty()) {
    fprintf(stderr, "%s: %s is given more than once (--help explains)\n", parser_->name.c_str(), option.c_str());
    return 2;
  }
  try {
    parser_->app.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::CallForHelp&) {
    return PrintAndFinish(parser_->name.c_str(), Help());
  } catch (const CLI::RequiredError& error) {
    // An option that there is not is worth more than the operand that is missing, too.
    const std::vector<std::string> others = parser_->app.remaining();
    const auto unknown = std::find_if(others.begin(), others.end(), [](const std::string& word) {
      return word.size() > 1 && word.starts_with('-') && word != "--";
    });
    const std::string what =
        unknown != others.end() ? "The following argument was not expected: " + *unknown : error.what();
    fprintf(stderr, "%s: %s (--help explains)\n", parser_->name.c_str(), CleanText(what).c_str());
    return 2;
  } catch (const CLI::ParseError& error) {
    fprintf(stderr, "%s: %s (--help explains)\n", parser_->name.c_str(), CleanText(error.what()).c_str());
    return 2;
  }
  return std::nullopt;
}

void SourceOptions::AddTo(CommandOptions* options) {
  options->Texts("--source-dir", &folders, "DIR", "also look here for source files; may be given again");
  options->Texts("--source-map", &maps, "FROM=TO",
                 "source files that were in the folder FROM are in TO; may be given again");
  options->Offer("--source-dir", {ValueHint::Kind::kFolders});
}

}  // namespace geckoprof
