// The shared tables as JSON.
#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_WRITER_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_WRITER_H_

#include "geckoprof/json/json_writer.h"
#include "tools/processed_format/shared_tables.h"

namespace geckoprof {

// "libs":[...]
void WriteLibs(const SharedTables& tables, JsonWriter& writer);

// The members of "shared" {}, with the columns of a version of the format that has shared tables; the caller opens and
// closes it, and adds the places in generated code that versions from 64 on have.
void WriteSharedTables(const SharedTables& tables, int version, JsonWriter& writer);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_SHARED_TABLES_WRITER_H_
