// A small profile, as the page's data have it, for the tests.

export const PAGE = new URL("../../../../../../tools/report/html/page/", import.meta.url);

// main > (work > work), rest; and another root: other
export function sampleData() {
  const none = { t: [], n: [], y: [], d: [], g: [], s: [], f: [], left: [] };
  return {
    meta: { intervalMs: 1, slotMs: 0, markers: 3 },
    filters: [],
    notes: [],
    sections: [],
    strings: ["main", "work", "rest", "lib.so", "Load", "url", "http://x", "T", "other"],
    categories: [["Other", "grey"]],
    functions: { name: [0, 1, 2, 8], library: [3, 3, -1, -1], source: [-1, -1, -1, -1] },
    nodes: { parent: [0, 1, 1, 3, 0], function: [0, 1, 1, 2, 3], category: [0, 0, 0, 0, 0] },
    waits: { cause: ["lock", "sleep"], lock: ["0x1000", ""], holder: ["main (7)", ""], node: [3, 0], holderNode: [5, 0] },
    processes: [{ pid: "7", systemPid: "7", parentPid: "", name: "app" }],
    threads: [
      {
        process: 0,
        tid: 7,
        name: "main",
        isMain: true,
        unit: "samples",
        cpuMs: 4,
        active: { t: [1000, 1000, 1000, 1000], n: [3, 3, 4, 0], c: [0, 1000, 500, 1000] },
        idle: { t: [5000], n: [5] },
        markers: { t: [1000, 500, 1500], d: [2000, 100, -1], n: [4, 4, 7], g: [0, 0, 0], y: [4, 4, -1], s: [2, 0, 0],
                   f: [[5, [6]], 0, 0], left: [4, 10] },
        waits: { t: [1000, 2000], d: [1500, 500], r: [0, 1] },
      },
      {
        process: 0,
        tid: 8,
        name: "",
        isMain: false,
        unit: "samples",
        active: { t: [2500], n: [5], w: [2.5] },
        idle: { t: [], n: [] },
        markers: none,
        waits: { t: [2000, 2000], d: [1000, 4000], r: [0, 0] },
      },
    ],
    schemas: [
      {
        name: "Load",
        description: "",
        tooltipLabel: "{marker.name}: {marker.data.url}",
        tableLabel: "",
        chartLabel: "{marker.data.url}",
        fields: [
          { key: "url", label: "Address", format: "url", hidden: false },
          { key: "secret", label: "", format: "bytes", hidden: true },
        ],
      },
    ],
    counters: [{ process: 0, name: "c", t: [1000, 9000], v: [1, 2] }],
  };
}
