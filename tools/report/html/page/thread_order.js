// Threads as they are listed: by process in order of start, in a process the main thread first, then by CPU time.

export function threadStart(thread) {
  if (thread.startMs !== undefined) return thread.startMs;
  const times = [thread.active.time, thread.idle.time, thread.markers.start].filter((column) => column.length > 0);
  return times.length > 0 ? Math.min(...times.map((column) => column[0])) : Infinity;
}

// [{process, threads}], every thread in one of them.
export function threadsByProcess(profile) {
  const groups = new Map();
  for (const thread of profile.threads) {
    let group = groups.get(thread.process);
    if (group === undefined) {
      group = { index: thread.process, process: profile.processes[thread.process], threads: [], start: Infinity };
      groups.set(thread.process, group);
    }
    group.threads.push(thread);
    group.start = Math.min(group.start, threadStart(thread));
  }
  const busy = (thread) => thread.cpuMs ?? thread.active.time.length;
  for (const { threads } of groups.values()) {
    threads.sort((a, b) => b.isMain - a.isMain || busy(b) - busy(a) || a.index - b.index);
  }
  return [...groups.values()].sort((a, b) => a.start - b.start || a.index - b.index);
}

// "name (4711)"
export function processText(process) {
  return process.name ? `${process.name} (${process.pid})` : `process ${process.pid}`;
}
