/** `group/version`, or the version alone for the core group (META-1). */
export const apiVersionOf = (group: string, version: string): string => (group ? `${group}/${version}` : version);

/** The group of an `apiVersion`; empty for the core group. */
export const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));

/** Alpha, beta, stable. */
const STAGES = ["alpha", "beta", ""];

/**
 * The order of the versions of a group, as `kubectl` prefers them: stable versions before beta before alpha, and higher
 * numbers first (v2, v1, v2beta1, v1beta2, v1alpha1); other names follow in alphabetical order.
 */
export const compareVersions = (a: string, b: string): number => compareRanked(rank(a), rank(b));

/** Items in the order of {@link compareVersions}; each version is parsed once. */
export function inVersionOrder<T extends { readonly version: string }>(items: readonly T[]): T[] {
  const ranked = items.map((item) => ({ item, rank: rank(item.version) }));
  return ranked.sort((a, b) => compareRanked(a.rank, b.rank)).map(({ item }) => item);
}

/** The sort key of a version: its stage, its two numbers, its name. */
type Rank = readonly [stage: number, first: number, second: number, name: string];

function rank(version: string): Rank {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return [-1, 0, 0, version];
  return [STAGES.indexOf(match[2] ?? ""), Number(match[1]), Number(match[3] ?? 0), version];
}

function compareRanked([stage, first, second, name]: Rank, [otherStage, otherFirst, otherSecond, other]: Rank): number {
  if (stage !== otherStage) return otherStage - stage;
  if (first !== otherFirst) return otherFirst - first;
  if (second !== otherSecond) return otherSecond - second;
  return name < other ? -1 : name > other ? 1 : 0;
}

const MAX_UINT64 = 18_446_744_073_709_551_615n;

const MAX_UINT64_DIGITS = 20;

/** Whether a text has the form of a resourceVersion: a decimal uint64. */
export const isResourceVersion = (text: string): boolean =>
  /^\d+$/.test(text) && (text.length < MAX_UINT64_DIGITS || isUint64(text.replace(/^0+/, "")));

const isUint64 = (digits: string): boolean => digits.length <= MAX_UINT64_DIGITS && BigInt(digits) <= MAX_UINT64;
