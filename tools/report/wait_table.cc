#include "tools/report/wait_table.h"

#include <algorithm>
#include <string>

#include "tools/report/number_text.h"
#include "tools/report/wait_sums.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

using Kind = ReportTable::Kind;
using Cell = ReportTable::Cell;

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

Cell TextCell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Cell StackCell(const ProfileModel& model, int32_t stack) {
  if (stack == kNoRow) return {};
  std::string names;
  for (const int32_t function : FunctionsOf(model, stack)) {
    if (!names.empty()) names += ReportTable::kBetweenFrames;
    names += model.strings[static_cast<size_t>(model.functions[static_cast<size_t>(function)].name)];
  }
  return names;
}

ReportTable::Row RowOf(const ProfileModel& model, const WaitSums& sums, const WaitSums::Row& sum) {
  const ProfileLockWait* const lock =
      sum.lock_wait == kNoRow ? nullptr : &model.lock_waits[static_cast<size_t>(sum.lock_wait)];
  const bool has_stack = sum.stack != kNoRow;
  return {Ms(sum.total_ns) / std::max(Ms(sums.total_ns), 1e-9),
          Ms(sum.total_ns),
          has_stack ? Cell(static_cast<double>(sum.waits)) : Cell(),
          has_stack ? Cell(Ms(sum.longest_ns)) : Cell(),
          NameOf(sum.cause),
          TextCell(AddressText(sum.lock_address)),
          lock == nullptr ? Cell() : TextCell(HolderText(model, *lock)),
          has_stack ? StackCell(model, sum.stack) : Cell("(waits too short for a stack)"),
          lock == nullptr ? Cell() : StackCell(model, lock->holder_stack)};
}

}  // namespace

ReportTable WaitTable(const ProfileModel& model, size_t top) {
  const WaitSums sums(model);
  ReportTable table;
  table.title = Concat("Waiting by cause and stack (", DurationText(Ms(sums.total_ns)), ")");
  table.columns = {
      {"share", "share", Kind::kShare},   {"totalMs", "total", Kind::kMs}, {"waits", "waits", Kind::kCount},
      {"maxMs", "longest", Kind::kMs},    {"cause", "cause", Kind::kText}, {"lock", "lock", Kind::kText},
      {"holder", "held by", Kind::kText}, {"stack", "at", Kind::kStack},   {"holderStack", "held at", Kind::kStack}};
  table.all_rows = sums.rows.size();
  for (size_t i = 0; i < std::min(top, sums.rows.size()); ++i) {
    table.rows.push_back(RowOf(model, sums, sums.rows[i]));
  }
  if (!sums.is_known) {
    table.notes.push_back("This profile does not say what threads waited for.");
  } else if (sums.ready_ns > 0) {
    table.notes.push_back(Concat("Threads waited for a core for ", DurationText(Ms(sums.ready_ns)), " besides."));
  }
  return table;
}

}  // namespace geckoprof
