/**
 * What a window shows, made of the messages of the server.
 *
 * @module
 */
import type { ConsoleResponse, WindowColumn, WindowRow } from "../../../src/meta/console-protocol.ts";
import type { Status } from "../../../src/meta/status.ts";

/** What a window shows. */
export interface WindowView {
  /**
   * - `loading`: the server has not sent rows yet; `progress` may say how far it is.
   * - `live`: the rows are those of the server.
   * - `stale`: the connection is lost; the rows are those of before.
   * - `failed`: the server does not show this window, `failure` says why; rows of before may be there.
   */
  readonly state: "loading" | "live" | "stale" | "failed";
  readonly columns: readonly WindowColumn[];
  readonly rows: readonly WindowRow[];
  /** Where `rows` begin. */
  readonly offset: number;
  /** Objects that the filters let through. */
  readonly matching: number;
  /** Objects of the resource, in the namespace of the list. */
  readonly total: number;
  readonly resourceVersion: string;
  readonly progress?: { readonly done: number; readonly of: number };
  readonly failure?: Status;
}

/** A window before the first message. */
export const EMPTY_WINDOW: WindowView = {
  state: "loading",
  columns: [],
  rows: [],
  offset: 0,
  matching: 0,
  total: 0,
  resourceVersion: "",
};

/**
 * The view after a message. Rows that did not change are the same objects as before, so that only changed ones are drawn.
 *
 * @throws {Error} if the message names a row that the last one did not have: the stream has to begin anew.
 */
export function withMessage(view: WindowView, message: ConsoleResponse): WindowView {
  const { progress: _progress, failure: _failure, ...last } = view;
  switch (message.type) {
    case "progress":
      return { ...last, progress: { done: message.done, of: message.of } };
    case "error":
      return { ...last, state: "failed", failure: message.status };
    case "window":
      return {
        state: "live",
        columns: message.columns ?? view.columns,
        rows: message.rows.map((row) => {
          const found = typeof row === "number" ? view.rows[row] : row;
          if (found === undefined)
            throw new Error(`expected the index of one of ${view.rows.length} rows, found ${JSON.stringify(row)}`);
          return found;
        }),
        offset: message.offset,
        matching: message.matching,
        total: message.total,
        resourceVersion: message.resourceVersion,
      };
  }
}
