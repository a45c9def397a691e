#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_STRINGS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// PageStrings: the texts that a page has, each once, as they may be shown: clean (CleanText), and cut after
// kMostBytes, which is told on the page. Rows of model.strings that nobody asked for are not there. Lifetime: a view of
// the model.
class PageStrings {
 public:
  static constexpr size_t kMostBytes = 1000;

  explicit PageStrings(const ProfileModel& model) : model_(model), rows_(model.strings.size(), kNoRow) {}

  // The number of a row of model.strings; kNoRow stays what it is.
  int32_t OfRow(int32_t row);
  int32_t Of(std::string_view text);

  const std::vector<std::string>& texts() const { return texts_; }
  size_t cut() const { return cut_; }

  // A text as it is shown.
  static std::string Shown(std::string_view text);

 private:
  const ProfileModel& model_;
  std::vector<int32_t> rows_;
  absl::flat_hash_map<std::string, int32_t> numbers_;
  std::vector<std::string> texts_;
  size_t cut_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_STRINGS_H_
