// Threads as they are listed. Processes come in the order of their tree, and among siblings the one that took most with
// its descendants comes first, as in `report --by process`. In a process the main thread is first, the others by CPU time.

export function threadStart(thread) {
  if (thread.startMs !== undefined) return thread.startMs;
  const times = [thread.active.time, thread.idle.time, thread.markers.start].filter((column) => column.length > 0);
  return times.length > 0 ? Math.min(...times.map((column) => column[0])) : Infinity;
}

// [{process, threads}] in order of start, every thread in one of them.
function programsByStart(profile) {
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

export function samplesOf({ unit, active: { time, weight } }) {
  if (unit !== "samples") return 0;
  return weight === null ? time.length : weight.reduce((total, each) => total + each, 0);
}

// Whatever a file says of parents, it must stay a tree.
function isBelow(process, other) {
  for (let at = process; at !== null; at = at.parent) if (at === other) return true;
  return false;
}

function addUp(processes) {
  for (const process of processes) {
    addUp(process.children);
    for (const { cpuMs, samples, isQuiet } of process.children) {
      process.cpuMs += cpuMs;
      process.samples += samples;
      process.isQuiet &&= isQuiet;
    }
  }
  processes.sort((a, b) => b.cpuMs - a.cpuMs || b.samples - a.samples);
}

// [{pid, programs: [{process, threads}], children: [...], cpuMs, samples, isQuiet}], those whose parent is not in the
// profile. CPU time and samples are those of the process with its descendants. Quiet ones have none.
export function processesOf(profile) {
  const byPid = new Map();
  for (const program of programsByStart(profile)) {
    const { systemPid: pid, parentPid } = program.process;
    if (!byPid.has(pid)) {
      byPid.set(pid, { pid, parentPid, programs: [], children: [], parent: null, cpuMs: 0, samples: 0, isQuiet: true });
    }
    const process = byPid.get(pid);
    process.programs.push(program);
    for (const thread of program.threads) {
      process.cpuMs += thread.cpuMs ?? 0;
      process.samples += samplesOf(thread);
      process.isQuiet &&= !(thread.cpuMs > 0) && thread.active.time.length === 0;
    }
  }
  const roots = [];
  for (const process of byPid.values()) {
    const parent = byPid.get(process.parentPid);
    if (parent === undefined || isBelow(parent, process)) {
      roots.push(process);
    } else {
      process.parent = parent;
      parent.children.push(process);
    }
  }
  addUp(roots);
  return roots;
}

// [{process, threads, depth, isQuiet}] of all programs, each parent before its children.
export function programsInTree(profile) {
  const programs = [];
  const add = (processes, depth) => {
    for (const process of processes) {
      programs.push(...process.programs.map((program) => ({ ...program, depth, isQuiet: process.isQuiet })));
      add(process.children, depth + 1);
    }
  };
  add(processesOf(profile), 0);
  return programs;
}

// "name (4711)"
export function processText(process) {
  return process.name ? `${process.name} (${process.pid})` : `process ${process.pid}`;
}
