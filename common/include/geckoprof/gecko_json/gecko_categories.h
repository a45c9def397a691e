#ifndef GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
#define GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "geckoprof/reader/process_profile.h"

namespace geckoprof {

// StateLook is how the rows of one state are shown, by the category of their innermost frames. A running row is shown
// as it was recorded.
//
//   state                 category              subcategory    frame
//   waiting               Idle                  the cause      the recorded one, or no stack
//   waiting for a core    Waiting for a core    Other          (waiting for a core), below the recorded stack
//
// The Firefox Profiler leaves out rows of the category Idle unless "Include idle samples" is chosen. It shows a
// function in grey if rows that end there have different categories. A thread may wait for a core at any function, so
// that state has a frame of its own.
class StateLook {
 public:
  static constexpr uint8_t kRunning = 0;
  static constexpr uint8_t kReady = 1;
  static constexpr size_t kCount = 2 + kWaitCauseNames.size();

  static StateLook Of(const SampleRow& row) {
    if (row.state == SampleState::kReady) return StateLook(kReady);
    if (row.state != SampleState::kWaiting) return StateLook(kRunning);
    return StateLook(static_cast<uint8_t>(kFirstWaiting + static_cast<uint8_t>(row.cause)));
  }
  static StateLook FromNumber(uint8_t number) { return StateLook(number); }

  bool is_running() const { return number_ == kRunning; }
  uint8_t number() const { return number_; }

  // REQUIRES for all below: it is not running.

  // Returns true if a row with a stack has a frame of its own below it.
  bool has_own_frame() const { return number_ == kReady; }
  static constexpr std::string_view kReadyFrame = "(waiting for a core)";

  // The row of Categories(), and the subcategory's number there.
  size_t category() const { return number_ == kReady ? 1 : 0; }
  int32_t subcategory() const;

  // Idle, whose subcategories are the causes, and the category of threads that wait for a core.
  static std::vector<CategoryRow> Categories();

 private:
  static constexpr uint8_t kFirstWaiting = 2;
  static_assert(static_cast<size_t>(WaitCause::kOther) + 1 == kWaitCauseNames.size());
  explicit constexpr StateLook(uint8_t number) : number_(number) {}
  WaitCause cause() const { return static_cast<WaitCause>(number_ - kFirstWaiting); }

  uint8_t number_;
};

// Returns the part of an idle run's time of waiting for a core that its first tick has. `rows` is the number of its
// ticks (IdleRows). Each other tick has the time since the tick before.
int64_t ReadyBeforeRun(const SampleRow& row, uint64_t rows);

class JsonWriter;

// Writes the list of categories of a file, an array.
void WriteCategories(std::span<const CategoryRow> categories, JsonWriter& writer);

// GeckoCategories is the category list of a file. The viewer looks up the numbers of every process in the first
// process's list. The lists of several processes are therefore merged here by name, and so are their lists of
// subcategories. There is always a grey category, because the viewer needs a default. The categories of waiting threads
// are there, too (StateLook).
class GeckoCategories {
 public:
  explicit GeckoCategories(const std::vector<CategoryRow>& first);

  // Returns the number of the category with this name. A new name is added, or is the fallback's after Close.
  int32_t Add(const CategoryRow& category);
  // The list has been written, so nothing is added to it from now on.
  void Close() { is_closed_ = true; }
  // Returns, for each row of a process's own list, its number here.
  std::vector<int32_t> AddAll(const std::vector<CategoryRow>& categories);

  // The first grey category. Markers and frames without a valid category have it.
  int32_t fallback() const { return fallback_; }
  // Returns the number of a subcategory here. `own` is a row of a process, and `subcategory` is a number in it.
  // `category` is the row here with the same name. Returns 0 if it has no such subcategory.
  int32_t Subcategory(int32_t category, const CategoryRow& own, int32_t subcategory) const;

  // Returns the category and the subcategory that show a thread's state. REQUIRES: the thread does not run.
  struct Place {
    int32_t category, subcategory;
  };
  Place PlaceOf(StateLook look) const { return states_[look.number()]; }

  const std::vector<CategoryRow>& rows() const { return rows_; }

 private:
  std::vector<CategoryRow> rows_;
  int32_t fallback_ = 0;
  bool is_closed_ = false;
  Place states_[StateLook::kCount] = {};  // by StateLook::number()
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_GECKO_CATEGORIES_H_
