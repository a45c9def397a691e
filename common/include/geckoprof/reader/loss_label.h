#ifndef GECKOPROF_READER_LOSS_LABEL_H_
#define GECKOPROF_READER_LOSS_LABEL_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace geckoprof {

// What the count of a LossRow counts. Only the first kind is part of what is missing of "samples asked for".
enum class LossKind : uint8_t {
  kLost,       // something that there was, and that is not in the profile: "Lost: no-chunk"
  kNoStack,    // a sample that is in the profile without its stack: "No stack: signal-blocked"
  kNoRequest,  // a tick at which nothing was asked of a thread: "Ticks without a request: answer-pending"
};

// In the order in which they are shown.
inline constexpr std::array kLossKinds = {LossKind::kLost, LossKind::kNoStack, LossKind::kNoRequest};

// By LossRow::what; of a word that is not known kLost.
LossKind KindOfLoss(std::string_view what);

// What the labels of a kind begin with: "Lost: ".
std::string_view LossPrefix(LossKind kind);

// As a reader sees it, in every output.
std::string LossLabel(std::string_view what);

}  // namespace geckoprof

#endif  // GECKOPROF_READER_LOSS_LABEL_H_
