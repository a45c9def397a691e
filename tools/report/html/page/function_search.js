// Functions by a part of their name.

// 1 for each function that has all words of the text in its name or library, in any case.
export function matchFunctions(functions, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = new Uint8Array(functions.count);
  if (words.length === 0) return { matches, count: 0, isEmpty: true };
  let count = 0;
  for (let func = 0; func < functions.count; func++) {
    const name = `${functions.name(func)} ${functions.library(func)}`.toLowerCase();
    if (words.every((word) => name.includes(word))) {
      matches[func] = 1;
      count++;
    }
  }
  return { matches, count, isEmpty: false };
}

// {boxes: numbers of the boxes that match, from left to right and top down; weight: of samples with any of them}
export function matchBoxes(boxes, matches) {
  const found = [];
  const covered = new Uint8Array(boxes.count); // it or one of those it hangs on matches
  let weight = 0;
  for (let box = 0; box < boxes.count; box++) {
    const above = boxes.parent[box] >= 0 && covered[boxes.parent[box]] === 1;
    const own = matches[boxes.func[box]] === 1;
    if (own) found.push(box);
    if (own && !above) weight += boxes.total[box];
    if (own || above) covered[box] = 1;
  }
  return { boxes: found, weight };
}
