// Files in a session directory, to which all processes of one recording write:
//
//   <pid>-<image>.segment        one for each program that the process ran; the magic is zeros until it is complete
//   note-<pid>                   a symbolic link; its target is a word that tells why the process has no segment
//   child-<pid>-<begin>          a symbolic link that a forked child creates before it has a segment, and removes with
//                                it; its target is "<parent pid> <name>". Times are ns on CLOCK_MONOTONIC. A child that
//                                calls exec or is killed leaves the link
//   child-<pid>-<begin>-<end>-<status>-<user>-<system>-<peak>
//                                the link of a child that ended normally: its exit status, its CPU times in user mode
//                                and in the kernel in ns, and its peak of resident memory in bytes
//   filtered                     an empty file of the recorder with a last access in 1970. A process that cannot be
//                                recorded because of a seccomp filter reads it. This is allowed and updates the time
//   command                      a file of the recorder with the command line, for the recovery of the session
//   full                         a file of the recorder; the session has reached its limit and no process may join
#ifndef GECKOPROF_SEGMENT_SESSION_FORMAT_H_
#define GECKOPROF_SEGMENT_SESSION_FORMAT_H_

namespace geckoprof {

inline constexpr char kSegmentSuffix[] = ".segment";
inline constexpr char kNotePrefix[] = "note-";
inline constexpr char kChildPrefix[] = "child-";
inline constexpr char kSessionFullName[] = "full";
inline constexpr char kFilteredName[] = "filtered";

// The targets of notes.
inline constexpr char kNoteNoSpace[] = "no-space";
inline constexpr char kNoteNoMemory[] = "no-memory";

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SESSION_FORMAT_H_
