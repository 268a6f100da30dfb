/** The limits of a server (DEC-27). */
export interface ServerLimits {
  /** Bytes of a body, also after it was inflated. */
  readonly bodyBytes: number;
  /** Reads that run at the same time; 0 for no limit. With fairness, seats of the server (APF-13). */
  readonly reads: number;
  /** Writes that run at the same time; 0 for no limit. With fairness, further seats. */
  readonly writes: number;
  /** Bytes that may wait for one watcher before it is closed; it is never skipped. */
  readonly watchBufferBytes: number;
  /** Bytes of all bodies together, from the first byte of each until its request has its response. */
  readonly bodyMemoryBytes: number;
  /** How deep bodies may be nested. */
  readonly bodyDepth: number;
  /** Ms from the head of a request to the last byte of its response; watches and backups have limits of their own. */
  readonly requestMillis: number;
  /** The shortest time in ms of a watch without `timeoutSeconds`; the longest is twice that; 0 for no end (DEC-28). */
  readonly watchMillis: number;
  /** Ms after which a request counts as slow, and is logged; watches and backups never count. */
  readonly slowMillis: number;
  /** Connections at the same time; each costs a file descriptor. */
  readonly connections: number;
  /** Connections from one address at the same time. */
  readonly connectionsPerAddress: number;
  /** Connections whose first valid credential is of one user; 0 for no limit. Members of `system:masters` are not counted. */
  readonly connectionsPerUser: number;
  /** Requests of one user at the same time, until the last byte of each response was read; the same exceptions. */
  readonly requestsPerUser: number;
  /** Watches of one user at the same time, but for callers of this process and members of `system:masters`; 0 for no limit. */
  readonly watchesPerUser: number;
  /**
   * Sessions (exec, attach) of one user at the same time, with the same exceptions; each holds some 200 KiB, and up to 6 MiB where its
   * client wants that.
   */
  readonly sessionsPerUser: number;
  /** Connections on which no credential has been shown yet. */
  readonly unauthenticatedConnections: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 3 * 1024 * 1024,
  reads: 400,
  writes: 200,
  watchBufferBytes: 4 * 1024 * 1024,
  bodyMemoryBytes: 256 * 1024 * 1024,
  bodyDepth: 1024,
  requestMillis: 60_000,
  watchMillis: 1_800_000,
  slowMillis: 1_000,
  connections: 20_000,
  connectionsPerAddress: 18_000,
  connectionsPerUser: 10_000,
  requestsPerUser: 5_000,
  watchesPerUser: 10_000,
  sessionsPerUser: 100,
  unauthenticatedConnections: 500,
};

/** How many requests run now: reads at 1, writes at 2. */
export type Running = Record<1 | 2, number>;
