// What lies in a session directory, to which the processes of one recording write:
//
//   <pid>-<image>.segment        one a program that the process ran; zeros where its magic goes until it is complete
//   note-<pid>                   a symbolic link whose target is a word: why there is no segment of the process
//   child-<pid>-<begin>[-<end>]  a symbolic link, too, made by a forked child before it has a segment and removed with
//                                it; its target is "<parent pid> <name>". Times in ns on CLOCK_MONOTONIC; the end is
//                                there if the process ended in an orderly way. One that calls exec leaves it behind
//   filtered                     made by the recorder, empty, last read in 1970: a process that a seccomp filter keeps
//                                from being recorded reads it, which its filter allows, and so leaves a later time
//   command                      made by the recorder: the command line that it runs, for who recovers the session
//   full                         made by the recorder: the session holds as much as it may, nobody else may join
#ifndef GECKOPROF_SEGMENT_SESSION_FORMAT_H_
#define GECKOPROF_SEGMENT_SESSION_FORMAT_H_

namespace geckoprof {

inline constexpr char kSegmentSuffix[] = ".segment";
inline constexpr char kNotePrefix[] = "note-";
inline constexpr char kChildPrefix[] = "child-";
inline constexpr char kSessionFullName[] = "full";
inline constexpr char kFilteredName[] = "filtered";

// Targets of notes.
inline constexpr char kNoteNoSpace[] = "no-space";
inline constexpr char kNoteNoMemory[] = "no-memory";

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SESSION_FORMAT_H_
