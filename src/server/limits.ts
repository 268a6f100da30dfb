/** How much the server takes on (DEC-27). */
export interface ServerLimits {
  /** Bytes of a body, also after it was inflated. */
  readonly bodyBytes: number;
  /** Reads that run at the same time; 0 for no limit. Watches count while they start. */
  readonly reads: number;
  /** Writes that run at the same time; 0 for no limit. */
  readonly writes: number;
  /** Bytes that may wait for one watcher before it is closed; it is never skipped. */
  readonly watchBufferBytes: number;
  /** How deep bodies may be nested. */
  readonly bodyDepth: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 3 * 1024 * 1024,
  reads: 4000,
  writes: 1000,
  watchBufferBytes: 4 * 1024 * 1024,
  bodyDepth: 1024,
};
