#include "tools/report/call_paths.h"

#include <string>

#include "tools/profile/counted_samples.h"

namespace geckoprof {

int32_t CallPaths::PathOf(int32_t stack) {
  if (stack == kNoRow || IsRootFunction(model_, RowOf(stack).function)) return kNoRow;
  std::vector<int32_t> missing;
  int32_t row = stack;
  for (; row != kNoRow && paths_[static_cast<size_t>(row)] == kNoRow; row = RowOf(row).prefix) missing.push_back(row);
  int32_t path = row == kNoRow ? kNoRow : paths_[static_cast<size_t>(row)];
  for (size_t i = missing.size(); i > 0; --i) {
    const int32_t added = missing[i - 1];
    path = numbers_.try_emplace({path, RowOf(added).function}, static_cast<int32_t>(numbers_.size())).first->second;
    paths_[static_cast<size_t>(added)] = path;
  }
  return path;
}

std::vector<int32_t> FunctionsOf(const ProfileModel& model, int32_t stack) {
  std::vector<int32_t> functions;
  for (; stack != kNoRow; stack = model.stacks[static_cast<size_t>(stack)].prefix) {
    const int32_t function = model.stacks[static_cast<size_t>(stack)].function;
    if (!IsRootFunction(model, function)) functions.push_back(function);
  }
  return functions;
}

std::string StackText(const ProfileModel& model, int32_t stack) {
  std::string names;
  for (const int32_t function : FunctionsOf(model, stack)) {
    if (!names.empty()) names += ReportTable::kBetweenFrames;
    names += model.Text(model.functions[static_cast<size_t>(function)].name);
  }
  return names;
}

ReportTable::Cell StackCell(const ProfileModel& model, int32_t stack) {
  return stack == kNoRow ? ReportTable::Cell() : ReportTable::Cell(StackText(model, stack));
}

}  // namespace geckoprof
