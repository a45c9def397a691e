#ifndef GECKOPROF_TOOLS_SYMBOLS_RUST_SYMBOL_PARSER_H_
#define GECKOPROF_TOOLS_SYMBOLS_RUST_SYMBOL_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace geckoprof {

// RustSymbolParser: whether a name of Rust's newer scheme ("_RNvC3foo3bar", RFC 2603) may be given to libiberty, which
// believes what it reads: a count of lifetimes in a part that it does not print keeps it busy for as long as the count
// says. It parses by the grammar and says no where
//
//   G<n>   counts more lifetimes than the name has bytes: each would be named at least once
//   B<n>   refers to anything but a path, type or constant that has ended before: whatever libiberty reads there has
//          been looked at here, and nothing stands in itself
//   parts stand in one another deeper than in any earnest name, or do not follow the grammar
//
// Threads: one at a time.
class RustSymbolParser {
 public:
  // `name`: without version or suffix.
  static bool IsSound(std::string_view name);

 private:
  explicit RustSymbolParser(std::string_view text) : text_(text), is_done_(text.size() + 1) {}

  // Each steps over one part, of which nothing has been read yet, and is false where there is none.
  bool Path();
  bool PathAfter(char tag);
  bool ImplPath() { return Disambiguator() && Path(); }
  bool Identifier() { return Disambiguator() && PlainIdentifier(); }
  bool PlainIdentifier();
  bool Disambiguator() { return !Take('s') || Base62(); }
  bool Type();
  bool TypeAfter(char tag);
  bool Reference();
  bool FunctionType();
  bool TraitObject();
  bool GenericArgument();
  bool Constant();
  bool Binder();
  bool BackReference();
  bool Base62(uint64_t* value = nullptr);
  bool Decimal(uint64_t* value);
  // What `part` reads, again and again up to 'E'.
  bool UpToEnd(bool (RustSymbolParser::*part)());

  // Notes that what begins at `start` may be referred to, if it is sound; returns that.
  bool Done(size_t start, bool is_sound);

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c);

  std::string_view text_;  // behind "_R"
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<bool> is_done_;  // by position: a path, type or constant begins there, and has been read
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_RUST_SYMBOL_PARSER_H_
