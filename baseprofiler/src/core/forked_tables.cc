#include "core/forked_tables.h"

#include "counters/counter_table.h"
#include "labels/category_table.h"
#include "markers/early_markers.h"
#include "markers/marker_kinds.h"
#include "markers/marker_stacks.h"
#include "process/given_process_name.h"
#include "process/process_control.h"
#include "runtime/base_heap.h"

namespace geckoprof {

void PrepareTablesInForkedChild() {
  ForgetCaptureBuffers();
  BaseHeap::AbandonAfterFork();
  EarlyMarkers::AfterForkInChild();
  MarkerKinds::AfterForkInChild();
  MarkerStacks::Get().AfterForkInChild();
  CounterTable::Get().AfterForkInChild();
  CategoryTable::Get().AfterForkInChild();
  GivenProcessName::Get().AfterForkInChild();
}

}  // namespace geckoprof
