#ifndef GECKOPROF_TOOLS_SYMBOLS_CODE_TIMELINE_H_
#define GECKOPROF_TOOLS_SYMBOLS_CODE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geckoprof {

// CodeTimeline says which code lay at an address at a time. Memory of code made at run time is used again.
//
//   address
//     |        [ f ........ [ h ....          Find(a, t) is the latest code that covers a and came at t or earlier.
//     |        [ f ... [ g ... [ (gone)       Where all of it came later, the earliest is the answer: a program may
//     +------------------------------> time   announce code shortly after its first use.
//
// Build sorts the code by time. It cuts the addresses into pieces at all bounds and lays a segment tree over them.
// Each node lists the codes that cover all of its pieces. So a look-up takes steps in the order of log(codes)^2,
// whatever the file says.
// Threads: one until Build, any number afterwards.
class CodeTimeline {
 public:
  static constexpr int64_t kAlwaysNs = INT64_MIN;  // `from_ns` of code whose time is unknown
  static constexpr int64_t kLatestNs = INT64_MAX;  // a look-up at the end

  // The most codes that a timeline takes. It drops the others, so that a program does not decide how much memory its
  // recorder needs.
  static constexpr size_t kMaxCodes = size_t{1} << 20;
  // The longest name that it keeps. It cuts longer ones.
  static constexpr size_t kMaxNameBytes = size_t{64} << 10;

  struct Code {
    std::string_view name;  // lives as long as the timeline
    uint64_t start_avma = 0;
    uint64_t size_bytes = 0;
    bool came_later = false;  // than the time that was asked for
  };

  // Adds code from `from_ns` on. If two came at the same time, the one that was added later wins. An empty name
  // means that there is no code any more. Empty ranges, and ranges beyond the last address, are left out.
  void Add(uint64_t start_avma, uint64_t size_bytes, std::string_view name, int64_t from_ns);
  void Build();

  // REQUIRES: Build was called. The name is empty where no code is known.
  Code Find(uint64_t avma, int64_t time_ns) const;
  // Returns whether the answer at this address depends on the time. REQUIRES: Build was called.
  bool HasSeveral(uint64_t avma) const;

  // The number of codes with a name.
  size_t named_count() const { return named_count_; }

 private:
  struct Entry {
    uint64_t start_avma, end_avma;
    int64_t from_ns;
    uint64_t name_offset;
    uint32_t name_bytes;
  };

  std::string_view NameOf(const Entry& entry) const {
    return std::string_view(names_).substr(entry.name_offset, entry.name_bytes);
  }
  // Returns the leaf of the piece that has the address; 0 where no code ever was.
  size_t LeafAt(uint64_t avma) const;
  // Calls `visit` with each node that covers the leaf and has entries, their begin and their end.
  template <typename Visit>
  void VisitNodes(size_t leaf, const Visit& visit) const;

  std::string names_;
  size_t named_count_ = 0;
  std::vector<Entry> entries_;         // by time after Build
  std::vector<uint64_t> bounds_;       // of the pieces, sorted
  std::vector<uint32_t> node_starts_;  // by node: where its entries begin in node_entries_
  std::vector<uint32_t> node_entries_;
  std::vector<bool> node_is_mixed_;  // by node: its entries have different names
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLS_CODE_TIMELINE_H_
