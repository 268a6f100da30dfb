/** A source of a volume that failed. */
export interface FailedSource {
  /** For messages: `configMap web/settings`. */
  readonly source: string;
  readonly cause: Error;
}

/** The contents of a volume could not be read; the message names every source that failed (PROJ-46). */
export class ContentError extends Error {
  override readonly name = "ContentError";
  readonly failed: readonly FailedSource[];

  constructor(failed: readonly FailedSource[]) {
    super(failed.map(({ source, cause }) => `${source}: ${cause.message}`).join("; "), { cause: failed[0]?.cause });
    this.failed = failed;
  }
}

/** Returns a thrown value as an Error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
