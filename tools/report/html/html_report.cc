#include "tools/report/html/html_report.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {

std::string Base64Text(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) {
      return at < bytes.size() ? uint32_t{static_cast<unsigned char>(bytes[at])} : 0;
    };
    const uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[three >> 18];
    text += kDigits[three >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return text;
}

absl::Status WriteHtmlReport(const ProfileModel& model, const ProfileSummary& summary, const PageOrigin& origin,
                             const HtmlPage& page, OutputFile* file) {
  std::string data;
  {
    const std::string json = WritePageData(model, summary, origin, PageLimits());
    if (json.empty()) return absl::InternalError("the page's data cannot be written");
    absl::StatusOr<std::string> packed = GzipCompress(json);
    if (!packed.ok()) return packed.status();
    data = Base64Text(*packed);
  }
  absl::Status status = file->Write(page.before_data);
  if (status.ok()) status = file->Write(data);
  if (status.ok()) status = file->Write(page.after_data);
  return status;
}

}  // namespace geckoprof
