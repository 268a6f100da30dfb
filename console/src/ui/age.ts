const UNITS = [
  ["y", 365 * 86_400],
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
] as const;

/** How long ago a time was, as kubectl prints it: `5m12s`, `3d4h`, `2y10d`. Both are milliseconds; the future is `0s`. */
export function ageText(time: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - time) / 1000));
  const in_ = (index: number, of = seconds): number => Math.floor(of / UNITS[index]![1]);
  const two = (index: number): string => {
    const [unit, size] = UNITS[index]!;
    const [smaller, smallerSize] = UNITS[index + 1]!;
    const rest = Math.floor((seconds % size) / smallerSize);
    return `${in_(index)}${unit}${rest > 0 ? `${rest}${smaller}` : ""}`;
  };
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 600) return two(3);
  if (seconds < 3 * 3600) return `${in_(3)}m`;
  if (seconds < 8 * 3600) return two(2);
  if (seconds < 2 * 86_400) return `${in_(2)}h`;
  if (seconds < 8 * 86_400) return two(1);
  if (seconds < 2 * 365 * 86_400) return `${in_(1)}d`;
  if (seconds < 8 * 365 * 86_400) return two(0);
  return `${in_(0)}y`;
}
