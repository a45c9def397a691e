// What lies in a session directory, to which the processes of one recording write:
//
//   <pid>-<image>.segment        one a program that the process ran; ".new" behind it while it is being made
//   note-<pid>                   a symbolic link whose target is a word: why there is no segment of the process
//   command                      made by the recorder: the command line that it runs, for who recovers the session
//   full                         made by the recorder: the session holds as much as it may, nobody else may join
#ifndef GECKOPROF_SEGMENT_SESSION_FORMAT_H_
#define GECKOPROF_SEGMENT_SESSION_FORMAT_H_

namespace geckoprof {

inline constexpr char kSegmentSuffix[] = ".segment";
inline constexpr char kNotePrefix[] = "note-";
inline constexpr char kSessionFullName[] = "full";

// Targets of notes.
inline constexpr char kNoteNoSpace[] = "no-space";
inline constexpr char kNoteNoMemory[] = "no-memory";
inline constexpr char kNoteSeccomp[] = "seccomp-filter";

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SESSION_FORMAT_H_
