#ifndef GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_
#define GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_

#include "tools/convert/format_output.h"
#include "tools/profile/profile_model.h"

namespace geckoprof {

// Writes a model in the processed format. The model has been loaded with ProfileDetail::kFull, or made by a reader of
// another format. The model does not keep flags of scripts, native symbols, pages and phases of requests, so they are
// lost. Symbolication keeps them where there is a file that has them.
void WriteModel(const ProfileModel& model, FormatOutput* output);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CONVERT_MODEL_WRITER_H_
