// The table of a libbaseprofiler.so of another release. The rest of that library is this release's.
//
// TABLE_VERSION: how its version differs. TABLE_BYTES: how much of it there is, OtherTable's members included.
#include <cstddef>

#include "geckoprof/handover/handover_table.h"

namespace geckoprof {
namespace {

// A later release: more functions, which nobody of this release may call.
struct OtherTable {
  HandoverTable known;
  void (*unknown[2])();
};

void MustNotBeCalled() { __builtin_trap(); }

OtherTable g_table;

}  // namespace
}  // namespace geckoprof

// This release's, under another name.
extern "C" const geckoprof::HandoverTable* geckoprof_this_release_table();

extern "C" __attribute__((visibility("default"))) const geckoprof::HandoverTable* geckoprof_base_handover_table() {
  using geckoprof::HandoverTable, geckoprof::OtherTable;
  OtherTable table = {*geckoprof_this_release_table(), {geckoprof::MustNotBeCalled, geckoprof::MustNotBeCalled}};
  table.known.version += TABLE_VERSION;
  table.known.size_bytes = TABLE_BYTES;
  // What an older one does not have is not there to be called by mistake either.
  unsigned char* const bytes = reinterpret_cast<unsigned char*>(&table);
  for (size_t i = TABLE_BYTES; i < sizeof(table); ++i) bytes[i] = 0xa5;
  geckoprof::g_table = table;
  return &geckoprof::g_table.known;
}
