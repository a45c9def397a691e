#ifndef GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_
#define GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_

namespace geckoprof {

// In the child of a fork, on its only thread: everything of which a process has one forgets the parent's recording, and
// sets its lock free, whose holder may be a thread that is not here. Such a lock is a TableLock, or whoever takes it
// calls NoteUse before. Context: that of a handler of pthread_atfork.
void PrepareTablesInForkedChild();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_
