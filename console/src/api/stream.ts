/**
 * One WebSocket for all windows of the page. It connects again by itself, and opens its windows again.
 *
 * @module
 */
import { effect, signal, untracked, type ReadonlySignal } from "@preact/signals";
import {
  CONSOLE_STREAM_PATH,
  MAX_CONSOLE_REQUEST_BYTES,
  type ConsoleRequest,
  type ConsoleResponse,
  type WindowList,
} from "../../../src/meta/console-protocol.ts";
import type { Status } from "../../../src/meta/status.ts";
import { backoff } from "../../../src/util/backoff.ts";
import { checkSession, failure, session } from "./http.ts";
import { browserTimers, RETRY, type Timers } from "./timers.ts";
import { EMPTY_WINDOW, withMessage, type WindowView } from "./window-state.ts";

/** What the stream needs of a WebSocket. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** The rows that a window shows. */
export interface WindowRange {
  readonly offset: number;
  readonly size: number;
}

/** An open window. */
export interface WindowHandle {
  /** Shows other rows of the list. */
  move(offset: number, size: number): void;
  /** Asks for a window again that has failed. */
  retry(): void;
  close(): void;
}

/** What the stream needs of its surroundings. */
export interface StreamParts {
  /** Opens a WebSocket. */
  readonly connect: () => Socket;
  readonly timers: Timers;
  /** Is called when a connection was refused or lost: the session may be over. */
  readonly lost: () => void;
}

/** A move waits for the response to the last one, at most these milliseconds. */
const MOVE_WAIT_MS = 500;

/** After this time without a message the page sends a request, and after as much time without a response it ends the connection. */
const SILENCE_MS = 45_000;
const RESPONSE_TIMEOUT_MS = 15_000;

interface Window {
  readonly list: WindowList;
  range: WindowRange;
  view: WindowView;
  readonly onState: (view: WindowView) => void;
  /** Stops the wait for a response; undefined while nothing is awaited. */
  awaited: (() => void) | undefined;
  /** The range differs from the one that was sent last. */
  moved: boolean;
  /** The server has ended a stream because of this window, or would: it is opened again only if the user asks for that. */
  refused: boolean;
}

/** The stream with its windows. */
export class WindowStream {
  readonly #parts: StreamParts;
  readonly #windows = new Map<number, Window>();
  readonly #connection = signal<"idle" | "connecting" | "open" | "waiting">("idle");
  #socket: Socket | undefined;
  #stopWait: (() => void) | undefined;
  #stopObserving: (() => void) | undefined;
  #failures = 0;
  #lastId = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** `waiting` between two attempts to connect; `idle` without windows. */
  get connection(): ReadonlySignal<"idle" | "connecting" | "open" | "waiting"> {
    return this.#connection;
  }

  /** Opens a window; `onState` gets every state of it, the first one before this returns. */
  open(list: WindowList, range: WindowRange, onState: (view: WindowView) => void): WindowHandle {
    const id = ++this.#lastId;
    const window: Window = {
      list,
      range,
      view: EMPTY_WINDOW,
      onState,
      awaited: undefined,
      moved: false,
      refused: false,
    };
    this.#windows.set(id, window);
    onState(window.view);
    if (this.#connection.value === "open") this.#sendOpen(id, window);
    else if (this.#connection.value === "idle") this.#connect();
    return {
      move: (offset, size) => {
        if (offset === window.range.offset && size === window.range.size) return;
        window.range = { offset, size };
        window.moved = true;
        this.#sendMove(id, window);
      },
      retry: () => {
        window.refused = false;
        if (this.#connection.value === "open" && this.#windows.has(id)) this.#sendOpen(id, window);
      },
      close: () => {
        window.awaited?.();
        if (this.#windows.delete(id) && this.#connection.value === "open") this.#send({ type: "close", id });
      },
    };
  }

  /** Connects before the first window is opened, which then does not wait for the connection. */
  begin(): void {
    if (this.#connection.value === "idle") this.#connect();
  }

  /** Connects now if the stream waits to do so: the network is back, or there is a session again. */
  connectNow(): void {
    if (this.#connection.value !== "waiting") return;
    this.#stopWait?.();
    this.#failures = 0;
    this.#connect();
  }

  /** Ends the connection, as if the server had: the network is gone. */
  disconnect(): void {
    const socket = this.#socket;
    if (socket) this.#ended(socket);
  }

  #connect(): void {
    this.#connection.value = "connecting";
    const socket = this.#parts.connect();
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#connection.value = "open";
      for (const [id, window] of this.#windows) if (!window.refused) this.#sendOpen(id, window);
      this.#observe(socket);
    };
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (socket !== this.#socket) return;
      this.#observe(socket);
      try {
        this.#received(JSON.parse(String(data)) as ConsoleResponse);
      } catch {
        // A message that does not fit is a server of another version, or a fault: all windows begin anew.
        this.#ended(socket);
      }
    };
    socket.onclose = () => this.#ended(socket);
  }

  #ended(socket: Socket): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#stopObserving?.();
    socket.close();
    for (const window of this.#windows.values()) {
      window.awaited?.();
      window.awaited = undefined;
      if (window.view.state === "live" || window.view.state === "loading")
        this.#show(window, { ...window.view, state: window.view.columns.length > 0 ? "stale" : "loading" });
    }
    if (this.#windows.size === 0) {
      this.#connection.value = "idle";
      return;
    }
    this.#connection.value = "waiting";
    this.#parts.lost();
    const wait = backoff(this.#failures++, RETRY, this.#parts.timers.random);
    this.#stopWait = this.#parts.timers.after(wait, () => {
      if (this.#windows.size === 0) this.#connection.value = "idle";
      else this.#connect();
    });
  }

  #received(message: ConsoleResponse): void {
    if (message.type === "error" && message.id === 0) return this.#refused(message);
    this.#failures = 0;
    const window = this.#windows.get(message.id);
    // A window that was closed meanwhile.
    if (!window) return;
    this.#show(window, withMessage(window.view, message));
    if (message.type === "progress") return;
    window.awaited?.();
    window.awaited = undefined;
    this.#sendMove(message.id, window);
  }

  /** The server ends the stream: a request without a response is the reason, and is not sent again. */
  #refused(message: ConsoleResponse): void {
    for (const window of this.#windows.values()) {
      if (!window.awaited) continue;
      window.refused = true;
      this.#show(window, withMessage(window.view, message));
    }
  }

  /**
   * Detects a connection that no longer transfers anything although no side has closed it: a machine was asleep, a router has
   * forgotten it. After a silence a window is asked for again, and a connection without a response has ended.
   */
  #observe(socket: Socket): void {
    this.#stopObserving?.();
    this.#stopObserving = this.#parts.timers.after(SILENCE_MS, () => {
      const [first] = [...this.#windows].filter(([, { refused }]) => !refused);
      if (!first) return this.#observe(socket);
      this.#sendOpen(...first);
      this.#stopObserving = this.#parts.timers.after(RESPONSE_TIMEOUT_MS, () => this.#ended(socket));
    });
  }

  #show(window: Window, view: WindowView): void {
    window.view = view;
    window.onState(view);
  }

  #sendMove(id: number, window: Window): void {
    if (!window.moved || window.awaited || this.#connection.value !== "open" || !this.#windows.has(id)) return;
    this.#sendOpen(id, window);
  }

  #sendOpen(id: number, window: Window): void {
    window.awaited?.();
    window.moved = false;
    const text = JSON.stringify({ type: "open", id, list: window.list, ...window.range } satisfies ConsoleRequest);
    const { length } = new TextEncoder().encode(text);
    if (length > MAX_CONSOLE_REQUEST_BYTES) {
      // The server would end the stream, and all other windows with it.
      window.refused = true;
      this.#show(window, { ...window.view, state: "failed", failure: tooLong(length) });
      return;
    }
    window.awaited = this.#parts.timers.after(MOVE_WAIT_MS, () => {
      window.awaited = undefined;
      this.#sendMove(id, window);
    });
    this.#socket?.send(text);
  }

  #send(message: ConsoleRequest): void {
    this.#socket?.send(JSON.stringify(message));
  }
}

const tooLong = (bytes: number): Status =>
  failure(
    413,
    `expected the filters of a list to have at most ${MAX_CONSOLE_REQUEST_BYTES} bytes, got ${bytes}: shorten them`,
  );

const pageStream = new WindowStream({
  connect: () =>
    new WebSocket(new URL(CONSOLE_STREAM_PATH, location.href.replace(/^http/, "ws")), "keelson.console.v1"),
  timers: browserTimers,
  // The page learns of a session that is over from a response, not from a WebSocket.
  lost: () => void checkSession(),
});

/** The connection of the page's stream. */
export const connection = pageStream.connection;

/** Opens a window on the page's stream. */
export const openWindow = pageStream.open.bind(pageStream);

/** Connects the page's stream ahead of its first window. */
export const beginStream = pageStream.begin.bind(pageStream);

/** Keeps the page's stream in step with the network and the session; call it once. */
export function keepConnected(): void {
  addEventListener("online", () => pageStream.connectNow());
  addEventListener("offline", () => pageStream.disconnect());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") pageStream.connectNow();
  });
  effect(() => {
    if (session.value === "open") untracked(() => pageStream.connectNow());
  });
}
