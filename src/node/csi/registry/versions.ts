/**
 * The protocol versions of a driver (CSIN-23, CSIN-31).
 *
 * @module
 */

/** The numbers of a version. */
export type Version = readonly number[];

/** The highest of the versions 1.x among these; undefined where there is none. */
export function highestOf(texts: readonly string[]): Version | undefined {
  const versions = texts.flatMap((text) => versionOf(text) ?? []).filter(([major]) => major === 1);
  return versions.toSorted(compareVersions).at(-1);
}

function versionOf(text: string): Version[] | undefined {
  const numbers = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+.].*)?$/.exec(text.trim());
  return numbers ? [[1, 2, 3].map((at) => Number(numbers[at] ?? 0))] : undefined;
}

/** Compares two versions: negative, 0 or positive. */
export function compareVersions(a: Version, b: Version): number {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
