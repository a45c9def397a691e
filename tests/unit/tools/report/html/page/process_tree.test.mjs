import assert from "node:assert/strict";
import test from "node:test";
import { PAGE, sampleData } from "./sample_profile.mjs";

const { threadEnd } = await import(new URL("process_tree.js", PAGE));
const { processesOf, programsInTree } = await import(new URL("thread_order.js", PAGE));
const { decodeProfile } = await import(new URL("data_decoder.js", PAGE));

function withProcesses(...processes) {
  const data = sampleData();
  data.processes = processes.map(([pid, parentPid]) => ({ pid, systemPid: pid.split(".")[0], parentPid, name: `p${pid}` }));
  data.threads = processes.map((_, process) => ({ ...data.threads[1], process, tid: process, active: { t: [1000 + process], n: [1] } }));
  return decodeProfile(data);
}

const shape = (processes) => processes.map(({ pid, programs, children }) => [pid, programs.length, shape(children)]);

test("children are below their parents, programs of a process beside each other", () => {
  const profile = withProcesses(["1", ""], ["2", "1"], ["2.1", "1"], ["3", "2"], ["4", "99"]);
  assert.deepEqual(shape(processesOf(profile)), [["1", 1, [["2", 2, [["3", 1, []]]]]], ["4", 1, []]]);
});

test("siblings are in order of what they took with their descendants", () => {
  const profile = withProcesses(["1", ""], ["2", "1"], ["3", "1"], ["4", "3"], ["5", "1"]);
  profile.threads.forEach((thread, row) => (thread.cpuMs = [1, 20, 5, 30, 25][row]));
  const [root] = processesOf(profile);
  assert.deepEqual(root.children.map(({ pid, cpuMs }) => [pid, cpuMs]), [["3", 35], ["5", 25], ["2", 20]]);
  assert.deepEqual(programsInTree(profile).map(({ process, depth }) => [process.pid, depth]),
    [["1", 0], ["3", 1], ["4", 2], ["5", 1], ["2", 1]]);
});

test("parents in a circle are a tree all the same", () => {
  const count = (processes) => processes.reduce((sum, { children }) => sum + 1 + count(children), 0);
  assert.equal(count(processesOf(withProcesses(["1", "2"], ["2", "3"], ["3", "1"]))), 3);
  assert.deepEqual(shape(processesOf(withProcesses(["1", "1"]))), [["1", 1, []]]);
});

test("a thread ends with what is last of it", () => {
  const profile = decodeProfile(sampleData());
  assert.equal(threadEnd(profile.threads[0]), 5);
  assert.equal(threadEnd({ ...profile.threads[0], endMs: 42 }), 42);
});
