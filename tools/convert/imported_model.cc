#include "tools/convert/imported_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace geckoprof {

ProfileModel EmptyImport(std::string_view product) {
  ProfileModel model;
  model.format = ProfileFormat::kProcessed;
  model.product = product;
  model.interval_ms = 1;
  model.categories = {"Other", "User", "Kernel"};
  model.category_colors = {"grey", "yellow", "orange"};
  return model;
}

absl::Status FinishImport(ProfileModel* model) {
  std::vector<bool> has_main(model->processes.size(), false);
  for (const ProfileThread& thread : model->threads) {
    if (thread.is_main) has_main[static_cast<size_t>(thread.process)] = true;
  }
  bool any = false;
  for (ProfileThread& thread : model->threads) {
    thread.starts_later = true;
    if (!has_main[static_cast<size_t>(thread.process)]) {
      thread.is_main = true;
      has_main[static_cast<size_t>(thread.process)] = true;
    }
    std::stable_sort(thread.samples.begin(), thread.samples.end(),
                     [](const ProfileSample& a, const ProfileSample& b) { return a.time_ms < b.time_ms; });
    std::stable_sort(thread.markers.begin(), thread.markers.end(),
                     [](const ProfileMarker& a, const ProfileMarker& b) { return a.start_ms < b.start_ms; });
    for (const ProfileSample& sample : thread.samples) {
      model->duration_ms = std::max(model->duration_ms, sample.time_ms);
      any = true;
    }
  }
  if (!any) return absl::InvalidArgumentError("there is no sample in it");
  CutLongNames(model);
  return absl::OkStatus();
}

std::string_view TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<double> WholeNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace geckoprof
