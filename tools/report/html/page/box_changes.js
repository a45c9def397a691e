// What changed in the boxes of a comparison. Shares are parts of each side's own samples, 0 to 1.

export const changeOf = ({ sides: [before, after] }, box) => after.total[box] - before.total[box];

// Of all boxes, how far the share of one went.
export function mostChanged(boxes) {
  let most = 0;
  if (boxes.sides.length > 0) for (let box = 0; box < boxes.count; box++) most = Math.max(most, Math.abs(changeOf(boxes, box)));
  return most;
}

const points = (share) => {
  const digits = Math.abs(share) >= 0.1 ? 1 : 2;
  return (100 * share).toFixed(digits);
};

export const shareText = (share) => `${points(share)} %`;

// "+1.20" of percentage points.
export const differenceText = (difference) => `${difference > 0 ? "+" : difference < 0 ? "−" : "±"}${points(Math.abs(difference))}`;

export function changeText(before, after) {
  const relative = before > 0 && after > 0 ? `, ${(after / before).toFixed(2)} ×` : before > 0 ? ", gone" : after > 0 ? ", new" : "";
  return `${shareText(before)} → ${shareText(after)} (${differenceText(after - before)} points${relative})`;
}
