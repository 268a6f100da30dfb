/**
 * A cluster as bytes: for other processes, where a fork cannot go.
 *
 * @module
 */
import { deserialize, serialize } from "node:v8";
import type { RememberedRecord } from "../storage/memory/store.ts";

/** All that a cluster begins with when it begins elsewhere. */
export interface Snapshot {
  readonly format: 1;
  readonly dialect: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Where chance goes on. */
  readonly random: number;
  readonly revision: number;
  readonly records: readonly RememberedRecord[];
}

/** The bytes of a snapshot. */
export const encodeSnapshot = (snapshot: Snapshot): Uint8Array => serialize(snapshot);

/** The snapshot of some bytes. @throws Error for bytes of something else */
export function decodeSnapshot(bytes: Uint8Array): Snapshot {
  const snapshot = deserialized(bytes);
  if (snapshot?.format === 1) return snapshot;
  throw new Error("expected `from` to be the snapshot() of a cluster of this version");
}

function deserialized(bytes: Uint8Array): Snapshot | undefined {
  try {
    return deserialize(bytes) as Snapshot;
  } catch {
    return undefined;
  }
}
