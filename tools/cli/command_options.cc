#include "tools/cli/command_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

namespace geckoprof {
namespace {

// Ends the usage line with what the parser does not see.
class UsageFormatter : public CLI::Formatter {
 public:
  std::string rest;

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    return rest.empty() ? usage : usage.insert(usage.find_last_not_of('\n') + 1, " " + rest);
  }
};

}  // namespace

struct CommandOptions::Parser {
  CLI::App app;
  std::string name;
  std::shared_ptr<UsageFormatter> formatter = std::make_shared<UsageFormatter>();
};

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
}

void CommandOptions::Number(const std::string& name, int64_t* value, int64_t least, int64_t most,
                            const std::string& placeholder, const std::string& help) {
  parser_->app.add_option(name, *value, help)
      ->check(CLI::Range(least, most))
      ->option_text(placeholder + " (" + std::to_string(least) + ".." + std::to_string(most) + ")");
}

void CommandOptions::Positional(const std::string& placeholder, std::string* value, const std::string& help) {
  parser_->app.add_option(placeholder, *value, help)->required()->option_text(" ");
}

void CommandOptions::Positionals(const std::string& placeholder, std::vector<std::string>* values,
                                 const std::string& help) {
  parser_->app.add_option(placeholder, *values, help)->required()->option_text(" ");
}

void CommandOptions::Rest(const std::string& placeholder) { parser_->formatter->rest = placeholder; }

std::string CommandOptions::Help() const { return parser_->app.help(); }

std::optional<int> CommandOptions::Parse(std::span<char* const> args) {
  try {
    parser_->app.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::CallForHelp&) {
    fputs(Help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    std::string line = error.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    fprintf(stderr, "%s: %s (--help explains)\n", parser_->name.c_str(), line.c_str());
    return 2;
  }
  return std::nullopt;
}

}  // namespace geckoprof
