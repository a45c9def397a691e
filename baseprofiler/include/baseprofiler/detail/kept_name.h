#ifndef GECKOPROF_BASEPROFILER_DETAIL_KEPT_NAME_H_
#define GECKOPROF_BASEPROFILER_DETAIL_KEPT_NAME_H_

#include <cstddef>
#include <string_view>

#include "baseprofiler/detail/value_scratch.h"

namespace geckoprof::internal {

inline constexpr size_t kMostNameBytes = 400;

// KeptName: the name of a scope's marker, if it is none of the site's.
template <bool kHasName>
class KeptName {
 public:
  explicit KeptName(std::string_view name) : name_(copy_.Copy(name)) {}
  std::string_view text() const { return name_; }

 private:
  ValueScratch<kMostNameBytes + 1> copy_;  // one more: so that one that is cut is counted
  const std::string_view name_;
};
template <>
class KeptName<false> {
 public:
  explicit KeptName(std::string_view) {}
  std::string_view text() const { return {}; }
};

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_KEPT_NAME_H_
