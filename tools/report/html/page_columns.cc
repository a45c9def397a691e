#include "tools/report/html/page_columns.h"

#include "geckoprof/base/utf8.h"
#include "tools/text/terminal_text.h"

namespace geckoprof {

std::string PageStrings::Shown(std::string_view text) {
  if (text.size() <= kMostBytes) return CleanText(text);
  return CleanText(Utf8Cut(text, kMostBytes)) + "…";
}

int32_t PageStrings::Of(std::string_view text) {
  if (text.size() > kMostBytes) ++cut_;
  const auto [entry, added] = numbers_.try_emplace(Shown(text), static_cast<int32_t>(texts_.size()));
  if (added) texts_.push_back(entry->first);
  return entry->second;
}

int32_t PageStrings::OfRow(int32_t row) {
  if (row == kNoRow) return kNoRow;
  int32_t& number = rows_[static_cast<size_t>(row)];
  if (number == kNoRow) number = Of(model_.strings[static_cast<size_t>(row)]);
  return number;
}

}  // namespace geckoprof
