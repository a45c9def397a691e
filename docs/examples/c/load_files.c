/* Loads made-up files, in C, and marks what it does. Linked with nothing of geckoprof:
 *
 *   geckoprof record -o load_files.json.gz -- ./load_files
 *   geckoprof report load_files.json.gz
 *
 * See docs/guides/c.md. */
#include <stdint.h>
#include <stdio.h>

#define GECKOPROF_SHIM_IMPLEMENTATION
#include "baseprofiler/c/geckoprof_shim.h"

static const geckoprof_marker_field load_fields[] = {
    {"path", "Path", "file-path", GECKOPROF_FIELD_STRING, 0},
    {"size", "Size", "bytes", GECKOPROF_FIELD_UINT64, 0},
    {"checksum", "Checksum", "hexadecimal", GECKOPROF_FIELD_UINT64, GECKOPROF_FIELD_OPTIONAL},
};
static const geckoprof_marker_type load_description = {.size_bytes = sizeof(geckoprof_marker_type),
                                                       .name = "LoadFile",
                                                       .description = "A file that was loaded",
                                                       .chart_label = "{marker.data.path}",
                                                       .table_label = "{marker.data.path}: {marker.data.size}",
                                                       GECKOPROF_FIELDS(load_fields)};
static geckoprof_lazy_type load_type = GECKOPROF_LAZY_TYPE(&load_description);

static uint32_t Checksum(const char* path, uint32_t size) {
  GECKOPROF_LABEL_TEXT("Checksum", GECKOPROF_CATEGORY_STORAGE, path);
  GECKOPROF_SCOPE("checksum", GECKOPROF_CATEGORY_STORAGE);
  uint32_t sum = 1, i;
  for (i = 0; i < size * 1000; ++i) sum = (sum ^ i) * 16777619u;
  return sum;
}

int main(void) {
  static const char* const kPaths[] = {"/made/up/one", "/made/up/two", "/made/up/three"};
  static const geckoprof_counter_description kLoaded = {
      sizeof(kLoaded), GECKOPROF_COUNTER_HAS_NUMBER, "Loaded", "Memory", "Bytes that were loaded", "bytes", NULL};
  geckoprof_counter* const loaded = geckoprof_base_counter_create(&kLoaded);
  uint32_t i, sum = 0;
  GECKOPROF_MARK("begins", GECKOPROF_CATEGORY_OTHER);
  for (i = 0; i < 3; ++i) {
    const geckoprof_time start = geckoprof_base_time();
    const uint32_t size = 8000 * (i + 1);
    const uint32_t checksum = Checksum(kPaths[i], size);
    geckoprof_base_counter_add(loaded, size);
    GECKOPROF_MARK_TYPED("load", GECKOPROF_CATEGORY_STORAGE, geckoprof_interval_since(start), &load_type,
                         geckoprof_string(kPaths[i]), geckoprof_uint64(size),
                         i == 0 ? geckoprof_nothing() : geckoprof_uint64(checksum));
    sum ^= checksum;
  }
  GECKOPROF_MARK_TEXT("done", GECKOPROF_CATEGORY_OTHER, geckoprof_instant(), "all files are loaded");
  printf("%08x\n", (unsigned)sum);
  return 0;
}
