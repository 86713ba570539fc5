/* Figures: the same texts as the page's own, for the rows that are built here. */
const MISSING = "n/a";
const MINUS = "\u2212";
let data = null;

const delta = (value, places = 4) => {
  if (value === null) return MISSING;
  const digits = Math.abs(value).toFixed(places);
  if (Number(digits) === 0) return digits;
  return (value < 0 ? MINUS : "+") + digits;
};
const probability = (value) => (value === null ? MISSING : value < 0.0001 ? "<0.0001" : value.toFixed(4));
const spread = (value) => (value === null ? MISSING : value.toFixed(4));
const interval = (low, high) => (low === null ? MISSING : `${delta(low)} to ${delta(high)}`);
const half = (low, high) => (low === null ? MISSING : ((high - low) / 2).toFixed(4));
const pairs = (number, effective) => whole(number) + (effective === null ? "" : ` (${short(effective)})`);
const short = (value) => (value === null ? MISSING : value.toFixed(1).replace(/\.0$/, ""));
const share = (value) => (value === null ? MISSING : `${(100 * value).toFixed(1)}%`);
const points = (value) => (value === null ? MISSING : `${delta(100 * value, 1)} points`);
const ratio = (value) => (value === null ? MISSING : value.toFixed(2));
const whole = (value) => value.toLocaleString("en-GB");
const counted = (value, noun) => `${whole(value)} ${noun}${value === 1 ? "" : "s"}`;
