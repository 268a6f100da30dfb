import type { ApiError } from "../../meta/status.ts";
import type { Entry } from "../../registry/index.ts";
import type { UserSlot } from "../../server/index.ts";
import type { ListProgress, ListState } from "./source.ts";
import type { Follower, SharedList } from "./shared-list.ts";
import type { WindowTable } from "./table.ts";

/** A row of a message. The object itself would keep its bytes for as long as a client takes nothing. */
type SentRow = Pick<Entry, "key" | "revision">;

/** The last message of a window. */
interface Sent {
  readonly table: WindowTable;
  readonly rows: readonly SentRow[];
  readonly matching: number;
  readonly total: number;
  readonly offset: number;
}

/** A message that is to be made: the rows of a window at one revision. */
export interface WindowMessage {
  readonly state: ListState;
  readonly table: WindowTable;
  readonly entries: readonly Entry[];
  readonly offset: number;
  /** Where the same rows are in the last message; undefined where the client has no rows of this list. */
  readonly before: SentRows | undefined;
}

/** One window of a stream: which rows it shows, and what the client knows of them. */
export class Window implements Follower {
  readonly id: number;
  readonly user: string;
  readonly #wake: () => void;
  shared: SharedList | undefined;
  offset = 0;
  size = 0;
  /** Why it cannot be shown; sent, and then it is gone. */
  failure: ApiError | undefined;
  /** The client waits for rows. */
  isAsked = false;
  /** The list may have changed since the last message. */
  isChanged = false;
  /** When a message that follows from a change may be sent, by the steady clock. */
  changesAt = 0;
  /** Ends the beginning of its list. */
  opening: AbortController | undefined;
  slot: UserSlot | undefined;
  #sent: Sent | undefined;
  #progress: ListProgress | undefined;

  constructor(id: number, user: string, wake: () => void) {
    this.id = id;
    this.user = user;
    this.#wake = wake;
  }

  listChanged(): void {
    const isKnown = this.isChanged && !this.isAsked;
    this.isChanged = true;
    if (!isKnown) this.#wake();
  }

  /** Forgets what the client knows: it shows another list from now on. */
  forget(): void {
    this.#sent = undefined;
    this.#progress = undefined;
  }

  /** When something of it is to be sent, by the steady clock; undefined where nothing is. */
  get dueAt(): number | undefined {
    if (this.failure) return 0;
    const { shared } = this;
    if (!shared || !this.isChanged) return undefined;
    return this.isAsked && (shared.isBuilt || shared.failure) ? 0 : this.changesAt;
  }

  /** How far its list is built, where the client does not know that yet. */
  newProgress(progress: ListProgress): ListProgress | undefined {
    const known = this.#progress;
    if (known && known.done === progress.done && known.of === progress.of) return undefined;
    return (this.#progress = progress);
  }

  /** The next message; undefined where it would say what the client knows. */
  next(state: ListState, table: WindowTable): WindowMessage | undefined {
    const sent = this.#sent?.table === table ? this.#sent : undefined;
    const { offset, size } = this;
    const entries = state.entries(offset, size);
    const isKnown = sent && isSame(sent, state, entries) && sent.offset === offset;
    if (isKnown && !this.isAsked) return undefined;
    return { state, table, entries, offset, before: sent && new SentRows(sent.rows) };
  }

  /** A message was sent. */
  took({ state: { matching, total }, table, entries, offset }: WindowMessage): void {
    const rows = entries.map(({ key, revision }) => ({ key, revision }));
    this.#sent = { table, rows, matching, total, offset };
  }
}

/** The rows of the last message of a window. */
class SentRows {
  readonly #rows: readonly SentRow[];
  readonly #positions: ReadonlyMap<string, number>;

  constructor(rows: readonly SentRow[]) {
    this.#rows = rows;
    this.#positions = new Map(rows.map(({ key }, i) => [key, i]));
  }

  /** The index of the row of an entry; undefined where the client has none, or one of another revision. */
  positionOf(entry: Entry): number | undefined {
    const at = this.#positions.get(entry.key);
    return at !== undefined && this.#rows[at]!.revision === entry.revision ? at : undefined;
  }
}

const isSame = (sent: Sent, { matching, total }: ListState, entries: readonly Entry[]): boolean =>
  sent.matching === matching &&
  sent.total === total &&
  sent.rows.length === entries.length &&
  sent.rows.every(({ key, revision }, i) => revision === entries[i]!.revision && key === entries[i]!.key);
