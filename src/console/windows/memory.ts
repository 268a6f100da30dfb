import { tooLarge } from "../../meta/status.ts";

/** How much memory sorted and filtered lists may take, and how many one user may have. */
export interface ListLimits {
  /** Bytes of all lists of the server. */
  readonly bytes: number;
  /** Bytes of the lists that one user has open. */
  readonly userBytes: number;
  /** Lists that one user has open: each of them is evaluated with every change of its kind. */
  readonly userLists: number;
}

/**
 * The default limits. A list of a million rows that is sorted by a short text takes some 120 MiB, so a user has one of them and some
 * smaller ones, and several users do.
 */
export const LIST_LIMITS: ListLimits = { bytes: 512 << 20, userBytes: 192 << 20, userLists: 64 };

/** Something that takes memory for some users. */
export interface MemoryHolder {
  readonly bytes: number;
  /** Its current users; none if it is kept for the next one. */
  readonly users: Iterable<string>;
}

/** Throws 413 where what a holder takes is too much, beside what the others take. */
export function checkMemory(holder: MemoryHolder, all: Iterable<MemoryHolder>, limits: ListLimits): void {
  const users = new Map([...holder.users].map((user) => [user, 0]));
  let bytes = 0;
  for (const one of all) {
    bytes += one.bytes;
    for (const user of one.users) {
      const used = users.get(user);
      if (used !== undefined) users.set(user, used + one.bytes);
    }
  }
  if (bytes > limits.bytes) throw tooMuch("all sorted and filtered lists of the server", limits.bytes);
  for (const used of users.values()) {
    if (used > limits.userBytes) throw tooMuch("the sorted and filtered lists of one user", limits.userBytes);
  }
}

const tooMuch = (what: string, bytes: number): Error =>
  tooLarge(
    `expected ${what} to take at most ${bytes >> 20} MiB, found more: choose one namespace or a narrower filter, close other lists, or keep the order by namespace and name`,
  );
