/**
 * Past states of one resource that are kept whole.
 *
 * Any state within the history can be had by undoing changes; keeping some of them makes that fast (checkpoints) and
 * lets a list that is read page by page outlive the history (pages). A kept state costs the nodes and the entries
 * that have been replaced since; how many bytes of entries that are is known from a running sum, see `retire`.
 *
 * @module
 */
import type { ResourceState } from "./resource-state.ts";

/** A state and the revisions at which it was the present one. */
export interface Version {
  readonly state: ResourceState;
  /** The first revision at which this was the state. */
  readonly since: number;
  /** The last one; `Infinity` while it is the present state. */
  until: number;
  /** Bytes of entries that had been replaced in this resource by then, ever since the start. */
  readonly retired: number;
}

/** How many past states are kept. */
export interface VersionLimits {
  /** Most states that are kept for pages. */
  readonly count: number;
  /** For how long after its last use a state is kept, in ms. */
  readonly millis: number;
}

interface Kept {
  readonly version: Version;
  /** When it was last asked for, on the steady clock; undefined for a checkpoint, which goes with the history. */
  used: number | undefined;
}

/** See the head of this file. */
export class Versions {
  readonly #limits: VersionLimits;
  /** In order of `since`. */
  #kept: Kept[] = [];

  #leastRetired = Infinity;
  #retired = 0;

  constructor(limits: VersionLimits) {
    this.#limits = limits;
  }

  /** Bytes of entries that have been replaced in this resource, ever since the start. */
  get retired(): number {
    return this.#retired;
  }

  /** Bytes of replaced entries that the kept states hold at most. */
  get bytes(): number {
    return this.#kept.length === 0 ? 0 : this.#retired - this.#leastRetired;
  }

  /** An entry of so many bytes has been replaced. */
  retire(bytes: number): void {
    this.#retired += bytes;
  }

  get length(): number {
    return this.#kept.length;
  }

  /** Keeps a state for pages from `now` on, also one that is kept already. */
  keep(version: Version, now: number): void {
    const there = this.#kept.find((kept) => kept.version === version);
    if (there) there.used = now;
    else this.#insert({ version, used: now });
    const pages = this.#kept.filter((kept) => kept.used !== undefined);
    if (pages.length <= this.#limits.count) return;
    const stalest = pages.reduce((a, b) => (b.used! < a.used! ? b : a));
    this.#set(this.#kept.filter((kept) => kept !== stalest));
  }

  /** Keeps a state for as long as the history reaches back to it. */
  checkpoint(version: Version): void {
    if (!this.#kept.some((kept) => kept.version === version)) this.#insert({ version, used: undefined });
  }

  /** The kept state of a revision. */
  at(revision: number): Version | undefined {
    return this.#kept.find(({ version }) => version.since <= revision && revision <= version.until)?.version;
  }

  /** The first kept state that came after a revision. */
  firstAfter(revision: number): Version | undefined {
    return this.#kept.find(({ version }) => version.since > revision)?.version;
  }

  /** Drops what is too old: `start` is where the history begins. */
  expire(now: number, start: number): void {
    const { millis } = this.#limits;
    this.#set(
      this.#kept.filter(({ version, used }) => (used === undefined ? version.until > start : now - used <= millis)),
    );
  }

  /** Drops states until those that are left hold at most `bytes` of replaced entries. */
  shrink(bytes: number): void {
    this.#set(this.#kept.filter(({ version }) => this.#retired - version.retired <= bytes));
  }

  #set(kept: Kept[]): void {
    if (kept.length === this.#kept.length) return;
    this.#kept = kept;
    this.#leastRetired = kept.reduce((least, { version }) => Math.min(least, version.retired), Infinity);
  }

  #insert(kept: Kept): void {
    const at = this.#kept.findIndex(({ version }) => version.since > kept.version.since);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, kept);
    this.#leastRetired = Math.min(this.#leastRetired, kept.version.retired);
  }
}
