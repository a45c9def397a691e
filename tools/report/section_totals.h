#ifndef GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_
#define GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_

#include <span>
#include <string>
#include <string_view>

#include "tools/profile/profile_model.h"

namespace geckoprof {

// Returns many sections of the same kind, one for each process, as one section without a label. Numbers are added up,
// or shown as "12 each" if all are the same. Texts are shown with their counts, as in "exited (35), exec (18)". An
// entry that a section lacks follows the entry before it in the section that has it first. Losses (LossKind) stand
// together. The buckets of the times in the signal handler ("Handler ran A to B ns") do so too, in order.
ProfileSection AddUpSections(std::span<const ProfileSection> sections);

// Returns a value in the form of a report, such as "2,397" or "128.0 MiB".
std::string SectionValueText(const ProfileSection::Entry& entry);

// Returns the value of an entry of the section about the recording as a whole, or an empty text if there is none.
std::string RecordingText(const ProfileModel& model, std::string_view label);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_REPORT_SECTION_TOTALS_H_
