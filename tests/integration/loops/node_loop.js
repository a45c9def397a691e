// An event loop that is busy for a known time. Prints what was meant, and what it took, in milliseconds.
const kBlocks = [1, 5, 20, 100];
const kLines = [];

function busyCallback(meant) {
  const begin = performance.now();
  while (performance.now() < begin + meant);
  kLines.push(`${meant} ${performance.now() - begin}`);
}

function step() {
  if (kBlocks.length === 0) return setTimeout(() => console.log(kLines.join("\n")), 20);
  busyCallback(kBlocks.shift());
  return setTimeout(step, 20);
}

let idle = 0;
const timer = setInterval(() => {
  if (++idle <= 20) return;
  clearInterval(timer);
  setTimeout(step, 20);
}, 5);
