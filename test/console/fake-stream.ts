/** What the fake stream of a page has. */
export interface FakeStream {
  /** The number of rows. */
  readonly rows: number;
  /** How many of the rows that are seen change each second. */
  readonly changesPerSecond: number;
}

/**
 * Runs in a page, before its own scripts: the WebSocket of the console is replaced by one that answers windows on a list of as many
 * rows as are wanted, by the rules of `src/meta/console-protocol.ts`. So the page is tested with lists that would take a server
 * minutes to store.
 */
export function installFakeStream({ rows, changesPerSecond }: FakeStream): void {
  const columns = ["Name", "Data", "Status", "Age"].map((name) => ({
    name,
    type: name === "Data" ? "integer" : "string",
    format: "",
    description: `The ${name} of the object.`,
    priority: 0,
  }));
  const versions = new Map<number, number>();
  /** Which rows of a window were sent last, as the index in the list and the version. */
  const sent = new Map<number, readonly string[]>();
  const versionOf = (index: number): string => `${index}/${versions.get(index) ?? 0}`;
  const rowOf = (index: number): object => ({
    namespace: "default",
    name: `object-${String(index).padStart(8, "0")}`,
    uid: `uid-${index}`,
    resourceVersion: String(1 + (versions.get(index) ?? 0)),
    deleting: false,
    cells: [
      `object-${String(index).padStart(8, "0")}`,
      versions.get(index) ?? 0,
      index % 7 === 0 ? "Pending" : "Running",
      "2026-01-01T00:00:00Z",
    ],
  });
  class FakeSocket {
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: string }) => void) | null = null;
    onclose: (() => void) | null = null;
    readonly #windows = new Map<number, { offset: number; size: number }>();
    readonly #timer = setInterval(() => this.#change(), 100);

    constructor() {
      setTimeout(() => this.onopen?.(), 0);
    }

    send(text: string): void {
      const message = JSON.parse(text) as { type: string; id: number; offset: number; size: number };
      if (message.type === "close") this.#windows.delete(message.id);
      else {
        this.#windows.set(message.id, { offset: message.offset, size: message.size });
        setTimeout(() => this.#state(message.id, true), 5);
      }
    }

    close(): void {
      clearInterval(this.#timer);
    }

    #change(): void {
      if (changesPerSecond === 0) return;
      for (const [id, { offset, size }] of this.#windows) {
        for (let n = 0; n < changesPerSecond / 10; n++) {
          const index = offset + ((n * 7919 + versions.size) % Math.min(size, rows));
          versions.set(index, (versions.get(index) ?? 0) + 1);
        }
        this.#state(id, false);
      }
    }

    #state(id: number, first: boolean): void {
      const window = this.#windows.get(id);
      if (!window) return;
      const { offset, size } = window;
      const length = Math.max(0, Math.min(size, rows - offset));
      const now = Array.from({ length }, (_, index) => versionOf(offset + index));
      const last = new Map((sent.get(id) ?? []).map((version, index) => [version, index]));
      sent.set(id, now);
      this.onmessage?.({
        data: JSON.stringify({
          type: "window",
          id,
          matching: rows,
          total: rows,
          offset,
          resourceVersion: "1",
          ...(first ? { columns } : {}),
          rows: now.map((version, index) => last.get(version) ?? rowOf(offset + index)),
        }),
      });
    }
  }
  Object.assign(globalThis, { WebSocket: FakeSocket });
}
