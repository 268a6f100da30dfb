/** A semantic version: three numbers and an optional prerelease (semver.org 2.0.0); build metadata does not count. */
export interface SemanticVersion {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];
}

const NUMBER = "(0|[1-9]\\d*)";
const FORM = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
const MAX_LENGTH = 256;
const DIGITS = /^\d+$/;

/** Parses a version such as `1.35.0-alpha.1`, without a `v` in front (DEC-12); undefined for other texts. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = text.length <= MAX_LENGTH ? FORM.exec(text) : null;
  if (!match) return undefined;
  const prerelease = match[4]?.split(".") ?? [];
  if (prerelease.some((part) => part.length > 1 && part.startsWith("0") && DIGITS.test(part))) return undefined;
  return { numbers: [match[1]!, match[2]!, match[3]!].map(BigInt), prerelease };
}

/** Compares by precedence: negative, 0 or positive. A version with a prerelease is older than the one without. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (let i = 0; i < 3; i++) {
    if (a.numbers[i]! !== b.numbers[i]!) return a.numbers[i]! < b.numbers[i]! ? -1 : 1;
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const order = comparePart(a.prerelease[i]!, b.prerelease[i]!);
    if (order !== 0) return order;
  }
  return a.prerelease.length - b.prerelease.length;
}

/** Numbers are ordered by value and before texts. */
function comparePart(a: string, b: string): number {
  const numeric = [DIGITS.test(a), DIGITS.test(b)];
  if (numeric[0] && numeric[1]) return BigInt(a) === BigInt(b) ? 0 : BigInt(a) < BigInt(b) ? -1 : 1;
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
