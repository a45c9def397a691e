#ifndef GECKOPROF_BASEPROFILER_DETAIL_MAYBE_H_
#define GECKOPROF_BASEPROFILER_DETAIL_MAYBE_H_

#include <optional>
#include <type_traits>
#include <utility>

namespace mozilla {

// The standard's optional with the original's questions.
template <typename Value>
class Maybe : public std::optional<Value> {
 public:
  using std::optional<Value>::optional;
  constexpr bool isSome() const { return this->has_value(); }
  constexpr bool isNothing() const { return !this->has_value(); }
  constexpr Value& ref() { return **this; }
  constexpr const Value& ref() const { return **this; }
  constexpr Value valueOr(Value other) const { return this->value_or(std::move(other)); }
};
template <typename Value>
constexpr Maybe<std::decay_t<Value>> Some(Value&& value) {
  return std::forward<Value>(value);
}
constexpr std::nullopt_t Nothing() { return std::nullopt; }

}  // namespace mozilla

#endif  // GECKOPROF_BASEPROFILER_DETAIL_MAYBE_H_
