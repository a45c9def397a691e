#include "core/forked_tables.h"

#include "counters/counter_table.h"
#include "labels/category_table.h"
#include "markers/early_markers.h"
#include "markers/marker_type_registry.h"
#include "markers/pending_marker_stacks.h"
#include "process/process_control.h"
#include "process/process_name_override.h"
#include "runtime/base_heap.h"

namespace geckoprof {

void PrepareTablesInForkedChild() {
  ForgetCaptureBuffers();
  BaseHeap::AbandonAfterFork();
  EarlyMarkers::AfterForkInChild();
  MarkerTypeRegistry::AfterForkInChild();
  PendingMarkerStacks::Get().AfterForkInChild();
  CounterTable::Get().AfterForkInChild();
  CategoryTable::Get().AfterForkInChild();
  ProcessNameOverride::Get().AfterForkInChild();
}

}  // namespace geckoprof
