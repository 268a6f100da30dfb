/**
 * Old states of one resource that are kept in memory.
 *
 * Any state in the history can be computed by undoing changes; kept states make that fast (checkpoints) and let a paged list outlive
 * the history (pages). A kept state costs the tree nodes and entries that have been replaced since; a running sum counts the bytes of
 * these entries, see `retire`.
 *
 * @module
 */
import type { ResourceState } from "./resource-state.ts";

/** A state and its revisions. */
export interface Version {
  readonly state: ResourceState;
  /** Its first revision. */
  readonly since: number;
  /** Its last revision; `Infinity` for the current state. */
  until: number;
  /** Bytes of all entries of this resource that had been replaced before it. */
  readonly retired: number;
}

/** Limits of kept states. */
export interface VersionLimits {
  /** Maximum of states for pages. */
  readonly count: number;
  /** How long a state is kept after its last use, in ms. */
  readonly millis: number;
}

interface Kept {
  readonly version: Version;
  /** Its last use on the steady clock; undefined for a checkpoint, which is dropped with the history. */
  used: number | undefined;
}

/** See the head of this file. */
export class Versions {
  readonly #limits: VersionLimits;
  /** In order of `since`. */
  #kept: Kept[] = [];
  #minRetired = Infinity;
  #retired = 0;

  constructor(limits: VersionLimits) {
    this.#limits = limits;
  }

  /** Bytes of all entries of this resource that have been replaced. */
  get retired(): number {
    return this.#retired;
  }

  /** Upper bound of the bytes of replaced entries in kept states. */
  get bytes(): number {
    return this.#kept.length === 0 ? 0 : this.#retired - this.#minRetired;
  }

  /** Counts a replaced entry. */
  retire(bytes: number): void {
    this.#retired += bytes;
  }

  get length(): number {
    return this.#kept.length;
  }

  /** Keeps a state for pages, and updates its last use. */
  keep(version: Version, now: number): void {
    const known = this.#kept.find((kept) => kept.version === version);
    if (known) known.used = now;
    else this.#insert({ version, used: now });
    const pages = this.#kept.filter((kept) => kept.used !== undefined);
    if (pages.length <= this.#limits.count) return;
    const stalest = pages.reduce((a, b) => (b.used! < a.used! ? b : a));
    this.#set(this.#kept.filter((kept) => kept !== stalest));
  }

  /** Keeps a state while it is in the history. */
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

  /** Drops states that are too old; the history begins at `start`. */
  expire(now: number, start: number): void {
    const { millis } = this.#limits;
    this.#set(
      this.#kept.filter(({ version, used }) => (used === undefined ? version.until > start : now - used <= millis)),
    );
  }

  /** Drops states until the others have at most `bytes` of replaced entries. */
  shrink(bytes: number): void {
    this.#set(this.#kept.filter(({ version }) => this.#retired - version.retired <= bytes));
  }

  #set(kept: Kept[]): void {
    if (kept.length === this.#kept.length) return;
    this.#kept = kept;
    this.#minRetired = kept.reduce((min, { version }) => Math.min(min, version.retired), Infinity);
  }

  #insert(kept: Kept): void {
    const at = this.#kept.findIndex(({ version }) => version.since > kept.version.since);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, kept);
    this.#minRetired = Math.min(this.#minRetired, kept.version.retired);
  }
}
