#include "labels/twenty_labels.h"

#include "baseprofiler/labels.h"
#include "labels/own_labels.h"

namespace geckoprof {

#define ONE_LABEL_ AUTO_PROFILER_LABEL("many", OTHER)
#define FIVE_LABELS_ \
  ONE_LABEL_;        \
  ONE_LABEL_;        \
  ONE_LABEL_;        \
  ONE_LABEL_;        \
  ONE_LABEL_

std::string TextsOfTwenty() {
  FIVE_LABELS_;
  FIVE_LABELS_;
  FIVE_LABELS_;
  FIVE_LABELS_;
  return Texts();
}

}  // namespace geckoprof
