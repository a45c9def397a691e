#ifndef GECKOPROF_TOOLS_REPORT_REPORT_TABLE_H_
#define GECKOPROF_TOOLS_REPORT_REPORT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/report/json_text.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

// A table of figures, whoever is to read it: WriteTableText and WriteTableJson know nothing else of it. Plain data;
// texts are as in the file, not cleaned.
struct ReportTable {
  enum class Kind : uint8_t {
    kText,
    kFunction,  // a function's name, which may be shortened
    kLibrary,   // last, behind the function; shown in brackets
    kCount,     // a number of things
    kShare,     // 0 to 1; shown as per cent
    kMs,        // a duration
    kTimeMs,    // a point in time
    kBytes,
    kChangedShare,  // difference of two shares; shown with its sign in per cent points
    kChangedMs,     // of two durations, with its sign
    kChangedCount,  // of two numbers, with its sign
    kProbability,   // 0 to 1
    kTree,          // a text, indented by `number` levels
    kStack,         // functions' names, innermost first, with kBetweenFrames; on a line of its own below the row
  };
  static constexpr char kBetweenFrames = '\n';
  static std::vector<std::string_view> FramesIn(std::string_view stack) {
    std::vector<std::string_view> names;
    for (size_t begin = 0; begin <= stack.size(); begin += names.back().size() + 1) {
      names.push_back(stack.substr(begin, stack.find(kBetweenFrames, begin) - begin));
    }
    return names;
  }
  // How a cell is meant, for terminals with colours.
  enum class Tone : uint8_t { kPlain, kGood, kBad };

  struct Column {
    std::string key;    // in JSON
    std::string label;  // above it
    Kind kind = Kind::kText;
  };
  struct Cell {
    Cell() : is_known(false) {}
    Cell(double value, Tone value_tone = Tone::kPlain)  // NOLINT: as an initializer
        : number(value), tone(value_tone) {}
    Cell(const char* value) : text(value) {}             // NOLINT: likewise
    Cell(std::string_view value) : text(value) {}        // NOLINT: likewise
    Cell(std::string value) : text(std::move(value)) {}  // NOLINT: likewise
    std::string text;
    double number = 0;
    bool is_known = true;  // else "-", and null
    Tone tone = Tone::kPlain;
  };
  using Row = std::vector<Cell>;  // as many as there are columns

  std::string key;    // in JSON, where a document has several
  std::string title;  // above it
  std::vector<Column> columns;
  std::vector<Row> rows;           // at most those asked for
  size_t all_rows = 0;             // that there are
  std::vector<std::string> notes;  // a line each, below it
};

// Returns a cell as WriteTableText shows it, clean: "-" if it is not known. A stack has no such text.
std::string CellText(const ReportTable::Cell& cell, ReportTable::Kind kind);

// A table for a reader: numbers to the right, texts to the left, the last column as wide as there is room. Every string
// is cleaned. Begins with an empty line unless it has no title.
std::string WriteTableText(const ReportTable& table, const TerminalStyle& style);

// Writes members of the object that is open in `json`. Every string is cleaned.
//   rowCount  how many rows there are
//   rows      an array of objects with a member for each column, null where a cell is not known
//   notes     an array of texts
void WriteTableJson(const ReportTable& table, JsonText* json);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_REPORT_TABLE_H_
