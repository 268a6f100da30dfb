/**
 * The slider of time: which moments there are, and how keys and the pointer move between them.
 *
 * Where the store records times, positions are milliseconds since the epoch; where it records none, they are revisions.
 *
 * @module
 */
import type { ConsoleMoments, Moment } from "../../../../src/meta/console-protocol.ts";
import type { Kind } from "../../api/discovery.ts";
import type { Route } from "../../state/route.ts";

/** The positions of the slider. */
export interface Strip {
  readonly unit: "time" | "revision";
  readonly from: number;
  readonly to: number;
  /** The writes in equal parts of the strip. */
  readonly writes: readonly number[];
}

/** A plural that views without a kind of their own show. */
const SHOWN: Readonly<Record<string, string>> = { storage: "persistentvolumeclaims", workloads: "pods" };

/**
 * The list that a view shows, as parameters of the request for its moments: who may read it may know them. Empty for a view that
 * shows none.
 */
export function listParameters(route: Route, kinds: readonly Kind[]): Readonly<Record<string, string>> {
  const namespace = "namespace" in route ? route.namespace : "query" in route ? route.query?.["namespace"] : undefined;
  const kind = "resource" in route ? route : kinds.find(({ resource }) => resource === SHOWN[route.view]);
  if (!kind) return {};
  const { group, version, resource } = kind;
  return { group, version, resource, ...(namespace ? { namespace } : {}) };
}

/** Returns the strip of what the server can show. */
export function stripOf({ oldest, newest, since, writes }: ConsoleMoments): Strip {
  const [from, to] = [Date.parse(oldest?.time ?? ""), Date.parse(newest.time)];
  if (!Number.isNaN(from) && !Number.isNaN(to)) return { unit: "time", from, to: Math.max(to, from + 1), writes };
  const [first, last] = [Number(since), Number(newest.resourceVersion)];
  return { unit: "revision", from: first, to: Math.max(last, first + 1), writes };
}

/** Returns where a moment stands; the end for none, which is now. A moment without a time stands at its revision only. */
export function positionOf({ unit, from, to }: Strip, moment: Moment | undefined): number {
  if (!moment) return to;
  const at = unit === "time" ? Date.parse(moment.time) : Number(moment.resourceVersion);
  return Number.isNaN(at) ? from : Math.min(to, Math.max(from, at));
}

/** The share of the strip before a position, from 0 to 1. */
export const shareOf = ({ from, to }: Strip, position: number): number => (position - from) / (to - from);

/** The position at a share of the strip. */
export const positionAt = ({ unit, from, to }: Strip, share: number): number => {
  const position = from + Math.min(1, Math.max(0, share)) * (to - from);
  return unit === "time" ? position : Math.round(position);
};

/** As many steps lead from one end to the other. */
export const STEPS = 200;

/** Returns the position some steps away; undefined is now, which stands behind the last one. */
export function stepped(strip: Strip, position: number, steps: number): number | undefined {
  const { unit, from, to } = strip;
  const size = (to - from) / STEPS;
  const next = position + steps * (unit === "revision" ? Math.max(1, Math.round(size)) : size);
  if (next >= to) return undefined;
  return Math.max(from, unit === "revision" ? Math.round(next) : next);
}

/** What a key does: steps, or one of the ends; undefined for other keys. */
export function stepsOfKey(key: string, isLarge: boolean): number | undefined {
  const size = isLarge ? 10 : 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return -size;
    case "ArrowRight":
    case "ArrowUp":
      return size;
    case "PageDown":
      return -20;
    case "PageUp":
      return 20;
    case "Home":
      return -Infinity;
    case "End":
      return Infinity;
    default:
      return undefined;
  }
}

/** Returns the bars of the histogram: their heights from 0 to 1, by the square root, so that few writes are seen beside many. */
export function barsOf({ writes }: Strip): readonly number[] {
  const most = Math.max(1, ...writes);
  return writes.map((count) => Math.sqrt(count / most));
}

/** Chooses moments: while a position is asked for, only the last one that was chosen meanwhile is asked next. */
export class Chooser {
  readonly #find: (position: number) => Promise<Moment | undefined>;
  readonly #show: (moment: Moment | undefined) => void;
  #next: { readonly position: number | undefined } | undefined;
  #asking: Promise<void> | undefined;

  /**
   * @param find asks for the last moment at or before a position
   * @param show is called with each moment that was found; undefined is now
   */
  constructor(find: (position: number) => Promise<Moment | undefined>, show: (moment: Moment | undefined) => void) {
    this.#find = find;
    this.#show = show;
  }

  /** Chooses a position; undefined is now. Resolves when nothing is asked for any more. @throws what `find` throws */
  choose(position: number | undefined): Promise<void> {
    this.#next = { position };
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
      this.#next = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    while (this.#next) {
      const { position }: { readonly position: number | undefined } = this.#next;
      this.#next = undefined;
      if (position === undefined) {
        this.#show(undefined);
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop -- one question at a time
      const found = await this.#find(position);
      // What was found for an older position is not shown once now was chosen.
      if (found && !this.#isNowNext()) this.#show(found);
    }
  }

  #isNowNext(): boolean {
    return this.#next !== undefined && this.#next.position === undefined;
  }
}
