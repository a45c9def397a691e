#ifndef GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_

#include "tools/convert/format_output.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// The viewer's own (processed) format from a model, which has been loaded with ProfileDetail::kFull or made by a reader
// of another format. What the model does not keep is lost: JS flags, native symbols, pages, network phases; where there
// is a file that has them, ProcessedCopy keeps them.
void WriteModel(const ProfileModel& model, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_
