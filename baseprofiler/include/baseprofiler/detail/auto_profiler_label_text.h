#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_TEXT_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_TEXT_H_

#include <string.h>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "baseprofiler/category.h"
#include "baseprofiler/detail/auto_profiler_label.h"
#include "baseprofiler/label_abi.h"
#include "baseprofiler/marker_text.h"
#include "geckoprof/base/utf8.h"

namespace geckoprof::internal {

// What was given for a text, null pointers included.
inline std::optional<std::string_view> LabelText(MarkerText text) { return text; }
template <typename Given>
std::optional<std::u16string_view> LabelText16(const Given& given) {
  if constexpr (std::is_convertible_v<const Given&, const char16_t*>) {
    const char16_t* const text = given;
    return text == nullptr ? std::u16string_view() : std::u16string_view(text);
  } else {
    return std::u16string_view(given);
  }
}

// AutoProfilerLabelText: a label with a copy of its text, made while something is recorded and not otherwise, without
// heap. A text of more than kTextBytes - 1 bytes is cut between characters. Context: as AutoProfilerLabel.
class AutoProfilerLabelText {
 public:
  static constexpr size_t kTextBytes = 512;  // as in the original, and as much as is shown of a label

  // No text: nothing is opened.
  GECKOPROF_IN_PLACE_ AutoProfilerLabelText(const char* label, MarkerCategory category,
                                            std::optional<std::string_view> text)
      : stack_(text.has_value() ? geckoprof_base_own_labels() : nullptr) {
    if (stack_ == nullptr) return;
    Copy(*text);
    depth_ = geckoprof_base_label_push(stack_, label, text_, static_cast<uint32_t>(category));
  }
  // From UTF-16; half a pair of surrogates becomes U+FFFD.
  GECKOPROF_IN_PLACE_ AutoProfilerLabelText(const char* label, MarkerCategory category,
                                            std::optional<std::u16string_view> text)
      : stack_(text.has_value() ? geckoprof_base_own_labels() : nullptr) {
    if (stack_ == nullptr) return;
    Copy(*text);
    depth_ = geckoprof_base_label_push(stack_, label, text_, static_cast<uint32_t>(category));
  }
  GECKOPROF_IN_PLACE_ ~AutoProfilerLabelText() {
    if (stack_ != nullptr) geckoprof_base_label_pop(stack_, depth_);
  }
  AutoProfilerLabelText(const AutoProfilerLabelText&) = delete;
  AutoProfilerLabelText& operator=(const AutoProfilerLabelText&) = delete;

 private:
  void Copy(std::string_view text) {
    text = Utf8Cut(text, kTextBytes - 1);
    if (!text.empty()) memcpy(text_, text.data(), text.size());
    text_[text.size()] = '\0';
  }
  void Copy(std::u16string_view text) {
    size_t size = 0;
    for (size_t i = 0; i < text.size() && size + 4 < kTextBytes; ++i) {
      size += EncodeUtf8(Utf16Character(text, i), text_ + size);
    }
    text_[size] = '\0';
  }

  geckoprof_label_stack* const stack_;  // null: nothing is open
  uint32_t depth_ = 0;
  char text_[kTextBytes];
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_PROFILER_LABEL_TEXT_H_
