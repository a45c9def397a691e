#ifndef GECKOPROF_BASEPROFILER_LABELS_CATEGORY_TABLE_H_
#define GECKOPROF_BASEPROFILER_LABELS_CATEGORY_TABLE_H_

#include <cstdint>
#include <string_view>

#include "baseprofiler/base_profiler_abi.h"
#include "geckoprof/labels/category_numbers.h"
#include "geckoprof/segment/segment.h"
#include "geckoprof/segment/stream_writer.h"
#include "process/table_lock.h"

namespace geckoprof {

// CategoryTable holds the categories and subcategories that the program has added. They belong to the process. Each
// recording gets the earlier ones at its start, and further ones when the program adds them.
//
// Threads: any. A lock is held only while data is copied. Context: not signal context. Lifetime: constant-initialised
// static memory, usable before any constructor and after any destructor. The names lie in a mapping of 85 KiB. The
// first name creates it, and it is never unmapped. Most processes never need it.
class CategoryTable {
 public:
  static constexpr uint32_t kMaxSubcategoriesInAll = 1024;

  static CategoryTable& Get();

  // Work like geckoprof_base_add_category and geckoprof_base_add_subcategory, but do not write to the recording.
  geckoprof_category_result Add(const char* name, const char* color, uint32_t& pair);
  geckoprof_category_result AddSubcategory(uint32_t category_pair, const char* name, uint32_t& pair);

  // Writes all entries that the recording does not have yet. A start calls this if
  // HasPersistent(PersistentState::kCategories).
  void WriteTo(const Segment& segment);

  void AfterForkInChild();

 private:
  struct Name {
    char text[kMaxCategoryNameBytes];
    uint8_t bytes;
    std::string_view view() const { return {text, bytes}; }
  };
  struct Category {
    Name name;
    uint8_t color;  // of kCategoryColors
    uint8_t subcategory_count;
  };
  struct Subcategory {
    Name name;
    uint16_t category;
    uint8_t number;
  };

  struct Names {
    Category categories[kMaxOwnCategories];
    Subcategory subcategories[kMaxSubcategoriesInAll];
  };

  // Returns false if there is no memory, or if base makes no system call any more.
  bool HasNames();
  geckoprof_category_result AddLocked(std::string_view name, uint32_t color, uint32_t& number);
  geckoprof_category_result AddSubcategoryLocked(uint32_t category, std::string_view name, uint32_t& number);
  geckoprof_category_result Refused(geckoprof_category_result why);

  TableLock lock_;
  // Guarded by lock_.
  uint32_t category_count_ = 0, subcategory_count_ = 0, refused_ = 0;
  uint8_t builtin_subcategory_counts_[kBuiltinCategoryCount] = {};  // that the program has added
  StreamWriter stream_;
  uint32_t serial_ = 0;  // the recording that stream_ writes to, and its contents
  uint32_t written_categories_ = 0, written_subcategories_ = 0, written_refused_ = 0;
  Names* names_ = nullptr;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_LABELS_CATEGORY_TABLE_H_
