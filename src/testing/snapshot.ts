import { deserialize, serialize } from "node:v8";
import type { RememberedRecord } from "../storage/memory/store.ts";

/** The state of a cluster for another process. */
export interface Snapshot {
  readonly format: 1;
  readonly dialect: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The position in the random numbers. */
  readonly random: number;
  readonly revision: number;
  readonly records: readonly RememberedRecord[];
}

/** Encodes a snapshot as bytes. */
export const encodeSnapshot = (snapshot: Snapshot): Uint8Array => serialize(snapshot);

/** Decodes a snapshot. @throws Error for other bytes */
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
