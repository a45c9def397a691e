#ifndef GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_
#define GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_

#include <span>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Many sections of the same kind (one a process) as one, without a label: numbers added up, or "12 each" where all are
// the same; texts with how often they occur, "exited 35, exec 18". An entry that a section lacks stands behind the one
// that it follows in the section where it first is; but losses (LossKind) stand together, and so do the buckets of the
// times in the signal handler ("Handler ran A to B ns"), in order.
ProfileSection AddUpSections(std::span<const ProfileSection> sections);

// A value as a reader wants it: "2,397", "128.0 MiB".
std::string SectionValueText(const ProfileSection::Entry& entry);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_
