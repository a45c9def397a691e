#include "geckoprof/reader/loss_label.h"

namespace geckoprof {

LossKind KindOfLoss(std::string_view what) {
  if (what == "answer-pending" || what == "missed-tick") return LossKind::kNoRequest;
  if (what == "signal-blocked" || what == "unreadable-stack") return LossKind::kNoStack;
  return LossKind::kLost;
}

std::string_view LossPrefix(LossKind kind) {
  switch (kind) {
    case LossKind::kNoStack:
      return "No stack: ";
    case LossKind::kNoRequest:
      return "Ticks without a request: ";
    case LossKind::kLost:
      break;
  }
  return "Lost: ";
}

std::string LossLabel(std::string_view what) {
  std::string label(LossPrefix(KindOfLoss(what)));
  label.append(what);
  return label;
}

}  // namespace geckoprof
