#ifndef GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_
#define GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_

namespace geckoprof {

// Called in the child of a fork, on its only thread. Each table of the process forgets the parent's recording and frees
// its lock, because the holder may be a thread of the parent. The lock is a TableLock, or its user calls NoteUse before
// it takes the lock.
//
// Context: a handler of pthread_atfork.
void PrepareTablesInForkedChild();

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_CORE_FORKED_TABLES_H_
