#ifndef GECKOPROF_TOOLS_CHECK_PROCESSED_TABLE_RULES_H_
#define GECKOPROF_TOOLS_CHECK_PROCESSED_TABLE_RULES_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "tools/check/meta_rules.h"
#include "tools/check/value_checker.h"

namespace geckoprof {

// Checks the first `frames` rows of frameTable against their nativeSymbols. The symbol is of the same library as the
// frame, by its function's resource or by its own column `lib`. The address lies in the symbol if its size is known.
// The viewer's lists do not depend on it, so a difference is a warning. Values out of range are passed over, because
// they are found elsewhere.
void CheckFrameSymbols(JsonView tables, size_t frames, const JsonPath& path, ValueChecker* checker);

// The member `key` as a struct of arrays: each of `columns` is an array as long as `length` says, and so is every other
// array of the table. Returns that length; 0, with a fault, for what is no table.
size_t CheckColumns(JsonView owner, std::string_view key, std::initializer_list<const char*> columns,
                    const JsonPath& path, ValueChecker* checker);

// ProcessedTableRules: the rules for the tables that stacks are made of: `shared` of a file, or a thread before
// version 60. Lifetime:  a view; an object checks one set of tables.
class ProcessedTableRules {
 public:
  // categories: empty where the file has no list, and the viewer puts in one of its own.
  ProcessedTableRules(int64_t version, size_t strings, size_t libs, const std::optional<CategorySizes>& categories,
                      ValueChecker* checker)
      : version_(version), strings_(strings), libs_(libs), categories_(categories), checker_(checker) {}

  // sources: rows of shared.sources.
  void Check(JsonView tables, size_t sources, const JsonPath& path);
  size_t stacks() const { return stacks_; }

 private:
  void CheckResources(JsonView tables, const JsonPath& path);
  void CheckNativeSymbols(JsonView tables, const JsonPath& path);
  void CheckFunctions(JsonView tables, size_t sources, const JsonPath& path);
  void CheckFrames(JsonView tables, const JsonPath& path);
  void CheckStacks(JsonView tables, const JsonPath& path);
  // The row of the caller's stack, kNoRow for a root or a fault.
  int64_t CheckCaller(JsonView value, size_t row, const JsonPath& path);

  const int64_t version_;
  const size_t strings_;
  const size_t libs_;
  const std::optional<CategorySizes>& categories_;
  ValueChecker* checker_;
  size_t resources_ = 0, symbols_ = 0, functions_ = 0, frames_ = 0, stacks_ = 0;
};

// shared.sources and shared.sourceLocationTable; returns the number of sources.
size_t CheckSources(JsonView shared, int64_t version, size_t strings, const JsonPath& path, ValueChecker* checker);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CHECK_PROCESSED_TABLE_RULES_H_
