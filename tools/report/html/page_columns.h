// Columns of a page's data.
#ifndef GECKOPROF_TOOLS_REPORT_HTML_PAGE_COLUMNS_H_
#define GECKOPROF_TOOLS_REPORT_HTML_PAGE_COLUMNS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "geckoprof/json/json_writer.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// PageStrings has the texts of a page, each once. They are clean (CleanText), and cut after kMostBytes. The page says
// that they are cut. Rows of model.strings are there only if they were asked for. Lifetime: a view of the model.
class PageStrings {
 public:
  static constexpr size_t kMostBytes = 1000;

  explicit PageStrings(const ProfileModel& model) : model_(model), rows_(model.strings.size(), kNoRow) {}

  // Returns the number of a row of model.strings, or kNoRow for kNoRow.
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

// Rows of a thread that is too long are put together by slots of its time. The narrowest slots are not seen on a
// screen.
inline constexpr double kMostSlots = 65536, kSlotsRatio = 4;

// Times beyond are none; in µs they are still exact numbers of JavaScript's.
inline constexpr double kMostPageMs = 1e12;

inline int64_t Microseconds(double time_ms) {
  return std::isnan(time_ms) ? 0 : std::llround(std::clamp(time_ms, -kMostPageMs, kMostPageMs) * 1000);
}

// A column of times: each as the difference to the one before it. Writes its end when it is gone.
class PageColumn {
 public:
  PageColumn(JsonWriter& writer, std::string_view key) : writer_(writer) { writer_.StartArrayProperty(key); }
  ~PageColumn() { writer_.EndArray(); }
  PageColumn(const PageColumn&) = delete;
  PageColumn& operator=(const PageColumn&) = delete;

  void Add(double time_ms) {
    const int64_t now = Microseconds(time_ms);
    writer_.Int(now - before_);
    before_ = now;
  }

 private:
  JsonWriter& writer_;
  int64_t before_ = 0;
};

// A number in a column; whole ones without a fraction.
inline void WriteNumber(JsonWriter& writer, double number) {
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  if (std::floor(number) == number && std::abs(number) <= kMostExact) {
    writer.Int(static_cast<int64_t>(number));
  } else {
    writer.Double(number);
  }
}

// "key": a text as it is shown.
inline void WriteShown(JsonWriter& writer, std::string_view key, std::string_view text) {
  writer.StringProperty(key, PageStrings::Shown(text));
}

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_HTML_PAGE_COLUMNS_H_
