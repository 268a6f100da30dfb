/** One source of a volume that gave nothing, and why. */
export interface FailedSource {
  /** The source in words: `configMap web/settings`. */
  readonly source: string;
  readonly cause: Error;
}

/** What a volume is to hold could not be found out; every source that failed is named (PROJ-46). */
export class ContentError extends Error {
  override readonly name = "ContentError";
  readonly failed: readonly FailedSource[];

  constructor(failed: readonly FailedSource[]) {
    super(failed.map(({ source, cause }) => `${source}: ${cause.message}`).join("; "), { cause: failed[0]?.cause });
    this.failed = failed;
  }
}

/** The error in what was thrown. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
