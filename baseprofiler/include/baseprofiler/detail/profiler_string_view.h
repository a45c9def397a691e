#ifndef GECKOPROF_BASEPROFILER_DETAIL_PROFILER_STRING_VIEW_H_
#define GECKOPROF_BASEPROFILER_DETAIL_PROFILER_STRING_VIEW_H_

#include <concepts>
#include <cstddef>
#include <span>

namespace mozilla {

// A view of whatever converts to one, with the original's methods beside the standard's.
template <typename View>
class ProfilerStringView : public View {
 public:
  using Character = typename View::value_type;
  constexpr ProfilerStringView() = default;
  template <typename Given>
  requires std::convertible_to<const Given&, View>
  constexpr ProfilerStringView(const Given& given) : View(given) {}  // NOLINT: implicit
  static constexpr ProfilerStringView WrapNullTerminatedString(const Character* text) {
    return text == nullptr ? ProfilerStringView() : ProfilerStringView(text);
  }

  constexpr const Character* Data() const { return View::data(); }
  constexpr size_t Length() const { return View::size(); }
  constexpr bool IsEmpty() const { return View::empty(); }
  constexpr std::span<const Character> AsSpan() const { return {View::data(), View::size()}; }
};

}  // namespace mozilla

#endif  // GECKOPROF_BASEPROFILER_DETAIL_PROFILER_STRING_VIEW_H_
