// Samples of the threads and the time that are looked at, summed up by node of the call tree.

// The first place in sorted `times` that is not before `time`.
export function lowerBound(times, time) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// [begin, end) of the rows in the span; the last moment of the whole profile is inside.
export function rowsIn(times, [from, to], last) {
  return [lowerBound(times, from), to >= last ? times.length : lowerBound(times, to)];
}

export function entriesOf(thread, withIdle) {
  return withIdle ? [thread.active, thread.idle] : [thread.active];
}

// {self: by node, sum, noStack}: noStack is the part of the sum that no node has.
export function sumWeights(profile, { threads, span, unit, measure, idle }) {
  const self = new Float64Array(profile.nodes.count);
  let sum = 0;
  let noStack = 0;
  for (const index of threads) {
    const thread = profile.threads[index];
    if (thread.unit !== unit) continue;
    for (const entries of entriesOf(thread, idle && measure !== "cpu")) {
      const amounts = measure === "cpu" ? entries.cpu : entries.weight;
      if (measure === "cpu" && amounts === null) continue;
      const [begin, end] = rowsIn(entries.time, span, profile.range[1]);
      for (let i = begin; i < end; i++) {
        const amount = amounts === null ? 1 : amounts[i];
        sum += amount;
        if (entries.node[i] < 0) noStack += amount;
        else self[entries.node[i]] += amount;
      }
    }
  }
  return { self, sum, noStack };
}

// Of each node with what is below it: a parent is before its children.
export function addUp(nodes, self) {
  const total = Float64Array.from(self);
  for (let i = nodes.count - 1; i >= 0; i--) {
    if (nodes.parent[i] >= 0) total[nodes.parent[i]] += total[i];
  }
  return total;
}

// {func, self, total} of each function that has any; in `total` recursion counts once.
export function sumFunctions(profile, self) {
  const { nodes, functions } = profile;
  const totals = addUp(nodes, self);
  const selfOf = new Float64Array(functions.count);
  const totalOf = new Float64Array(functions.count);
  // From callers to callees: a function is on the path as often as it was entered and not left.
  const { firstChild, nextSibling, roots } = childLists(nodes);
  const onPath = new Int32Array(functions.count);
  const pending = [...roots];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next < 0) {
      onPath[nodes.func[~next]]--;
      continue;
    }
    const func = nodes.func[next];
    selfOf[func] += self[next];
    if (onPath[func]++ === 0) totalOf[func] += totals[next];
    pending.push(~next);
    for (let child = firstChild[next]; child >= 0; child = nextSibling[child]) pending.push(child);
  }
  const rows = [];
  for (let func = 0; func < functions.count; func++) {
    if (totalOf[func] !== 0 || selfOf[func] !== 0) rows.push({ func, self: selfOf[func], total: totalOf[func] });
  }
  return rows;
}

export function childLists(nodes) {
  const firstChild = new Int32Array(nodes.count).fill(-1);
  const nextSibling = new Int32Array(nodes.count).fill(-1);
  const roots = [];
  for (let i = nodes.count - 1; i >= 0; i--) {
    const parent = nodes.parent[i];
    if (parent < 0) {
      roots.push(i);
    } else {
      nextSibling[i] = firstChild[parent];
      firstChild[parent] = i;
    }
  }
  return { firstChild, nextSibling, roots };
}
