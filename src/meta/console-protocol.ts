/**
 * What the console and the server send each other over the WebSocket at {@link CONSOLE_STREAM_PATH}: JSON in text messages.
 *
 * A client opens windows on lists. A window is a few rows of a list that the server sorts and filters, so only rows that are
 * seen travel. The server sends the whole window after {@link OpenWindow}, and after changes what is different in it.
 *
 * @module
 */
import type { Status } from "./status.ts";

/** The path of the stream. */
export const CONSOLE_STREAM_PATH = "/console/stream";
/** The sub-protocol of the stream, which a client has to offer. */
export const CONSOLE_STREAM_PROTOCOL = "keelson.console.v1";
/** The maximum number of bytes of a message of the client; a longer one ends the stream with the code 1009. */
export const MAX_CONSOLE_REQUEST_BYTES = 16_384;
/** The maximum number of rows of a window. */
export const MAX_WINDOW_ROWS = 500;
/** The maximum number of open windows of one stream. */
export const MAX_WINDOWS = 16;

/** The list that a window shows, and in which order. */
export interface WindowList {
  readonly group: string;
  readonly version: string;
  /** The plural, `configmaps`. */
  readonly resource: string;
  /** All namespaces if absent; absent for objects of the cluster. */
  readonly namespace?: string;
  /** As the parameter of a list. */
  readonly labelSelector?: string;
  /** As the parameter of a list. */
  readonly fieldSelector?: string;
  /** Only objects whose name contains this text, in lower or upper case. */
  readonly name?: string;
  /** Only rows with a cell that contains this text, in lower or upper case; the name is a cell. */
  readonly text?: string;
  /** By namespace and name if absent. */
  readonly sort?: WindowSort;
  /** The state at this resourceVersion, which does not change any more; the current state if absent. */
  readonly at?: string;
}

/**
 * The column by which rows are sorted; equal rows are sorted by namespace and name. Numbers are sorted by size, dates by time,
 * quantities by amount, other texts that begin with a digit by their numbers, all other texts by code points.
 */
export interface WindowSort {
  /** The name of a column of the server's table; `Namespace` for the namespace. */
  readonly column: string;
  readonly descending?: boolean;
}

/** Opens a window, or replaces the window of that ID: its list, or only the rows that it shows. */
export interface OpenWindow {
  readonly type: "open";
  /** A positive integer that the client chooses. */
  readonly id: number;
  readonly list: WindowList;
  /** The first row; a window that begins behind the last row is empty. */
  readonly offset: number;
  /** At most {@link MAX_WINDOW_ROWS}. */
  readonly size: number;
}

/** Closes a window. */
export interface CloseWindow {
  readonly type: "close";
  readonly id: number;
}

/** What a client sends. */
export type ConsoleRequest = OpenWindow | CloseWindow;

/** A column of a table, as in `columnDefinitions` of `meta.k8s.io` tables. */
export interface WindowColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Columns above 0 are shown in wide tables only. */
  readonly priority: number;
}

/** A cell; ages are times in RFC 3339, so that a row does not change while it gets older. */
export type WindowCell = string | number | boolean | null;

/** An object in a window. */
export interface WindowRow {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Whether the object has a deletionTimestamp. */
  readonly deleting: boolean;
  /** In the order of the columns. */
  readonly cells: readonly WindowCell[];
}

/**
 * The current rows of a window. The server sends at most ten such messages a second for each window after changes, the response to
 * {@link OpenWindow} at once, and none before the socket has accepted the previous one.
 */
export interface WindowState {
  readonly type: "window";
  readonly id: number;
  /** The number of objects that match the filters of the list. */
  readonly matching: number;
  /** The number of objects of the resource, in the namespace of the list. */
  readonly total: number;
  readonly offset: number;
  /** The newest revision that the rows show. */
  readonly resourceVersion: string;
  /** In the first message of a list, and when the columns have changed. */
  readonly columns?: readonly WindowColumn[];
  /** For each row of the window: the row, or the index of an equal row in the last message of this window. */
  readonly rows: readonly (WindowRow | number)[];
}

/** The server still sorts or filters a list; the window follows. */
export interface WindowProgress {
  readonly type: "progress";
  readonly id: number;
  /** The number of objects that were read, and of all. */
  readonly done: number;
  readonly of: number;
}

/** A window cannot be shown, or no longer: 403, 404 for a kind that is not served, 410 for a time that the history has not. */
export interface WindowError {
  readonly type: "error";
  /** The ID of the window; 0 for a message that is no request: the stream ends then. */
  readonly id: number;
  readonly status: Status;
}

/** What the server sends. */
export type ConsoleResponse = WindowState | WindowProgress | WindowError;

/**
 * The path of {@link ConsoleMoments}, for `GET`. The parameters `group`, `version`, `resource` and `namespace` name a list that the
 * user may read; without them the user needs the right to get the path.
 */
export const CONSOLE_MOMENTS_PATH = "/console/moments";

/** A revision and when it was written. */
export interface Moment {
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Which moments a window and a list with `resourceVersionMatch=Exact` can show. */
export interface ConsoleMoments {
  /** Absent where the store records no times; `at` may name any revision from `since` on then. */
  readonly oldest?: Moment;
  readonly newest: Moment;
  /** The oldest readable revision. */
  readonly since: string;
  /** How many writes were in each of equal parts of the time from `oldest` to `newest`. */
  readonly writes: readonly number[];
  /** The last moment at or before the time of the request's parameter `time`, where it has one. */
  readonly found?: Moment;
}
