#include "tools/report/html/html_report.h"

#include <string>

#include "absl/status/statusor.h"
#include "tools/report/html/base64_text.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {

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
