#ifndef GECKOPROF_GECKOPROFILER_CHILDREN_CHILDREN_FOLDER_H_
#define GECKOPROF_GECKOPROFILER_CHILDREN_CHILDREN_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "geckoprof/segment/segment_name.h"

namespace geckoprof {

// ChildrenFolder: the folder in which the children of this process record. A segment stays there when its process ends.
//
//   /dev/shm/geckoprof-XXXXXX/       0700; beside the folder of this process's own segment
//       4711-0.segment               a link to that segment: `geckoprof recover` sees that the folder is in use
//       4712-0.segment               a forked child, or one that was told to start
//       4713-0.segment               a link to the segment of a child that records elsewhere by itself
//
// A process with a session directory, as under `geckoprof record`, shares that with its children. Nothing is changed in
// a shared folder.
//
// Threads: one at a time.
class ChildrenFolder {
 public:
  // `own_segment` may be empty. Returns false if no folder can be made.
  bool Make(const std::string& own_segment);
  void Share(const std::string& path);
  // Removes a folder that was made here, with all that it holds.
  void Close();

  bool is_open() const { return !path_.empty(); }
  bool is_shared() const { return is_shared_; }
  const std::string& path() const { return path_; }
  std::string PathOf(const SegmentName& name) const;

  // Returns the segments, by pid and image. Old marks of forked children (segment_format.h) are removed.
  std::vector<SegmentName> List() const;
  // Gives the file a further name here, so that it outlives its process. Returns false if it is not a file of this file
  // system, or cannot be seen from here.
  bool Link(const std::string& path, int32_t pid) const;
  void Remove(const SegmentName& name) const;

 private:
  bool IsHere(const std::string& path) const;

  std::string path_;
  bool is_shared_ = false;
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_CHILDREN_CHILDREN_FOLDER_H_
