/**
 * One stream of a client: its messages in, the rows of its windows out.
 *
 * Nothing is queued for the client. A window is marked as changed; when the last message was taken by the socket, the rows of the
 * window that has waited longest are read as they are then. So a slow client costs one message, however much changes.
 *
 * @module
 */
import type { Connection, Identity } from "../../auth/contract.ts";
import { MAX_WINDOWS, type OpenWindow, type WindowError, type WindowProgress } from "../../meta/console-protocol.ts";
import { ApiError, badRequest, internalError } from "../../meta/status.ts";
import type { Messages, OngoingResponse, ServerContext } from "../../server/index.ts";
import type { Timer } from "../../util/clock.ts";
import { type Steps, inSlices } from "../../util/steps.ts";
import { type Seats, permitList } from "./access.ts";
import { type Lists, isPlain, keyOf } from "./lists.ts";
import { MessageRate } from "./message-rate.ts";
import { type RefusedWindow, readRequest } from "./requests.ts";
import type { Rights } from "./rights.ts";
import type { SharedList } from "./shared-list.ts";
import type { Untaken } from "./untaken.ts";
import { Window, type WindowMessage } from "./window.ts";

/** Milliseconds between two messages of a window that follow from changes. */
const CHANGES_MS = 100;
/** Milliseconds between two messages that say how far a list is built. */
const PROGRESS_MS = 250;
/** A client that takes nothing for so long is broken off. */
const STALLED_MS = 60_000;
/** Windows whose errors may wait beside those that are open. */
const MAX_WAITING_ERRORS = 64;
const UPKEEP = { owner: "windows of the console", upkeep: true };
const CHANGES = { owner: "windows of the console" };

/** Close codes of RFC 6455 and of its registry. */
const CLOSE = { goingAway: 1001, policy: 1008, internal: 1011 };

/** What streams share. */
export interface StreamParts {
  readonly server: ServerContext;
  readonly lists: Lists;
  readonly rights: Rights;
  readonly seats: Seats;
  readonly untaken: Untaken;
}

/** Who has opened a stream. */
export interface StreamUser {
  readonly identity: Identity;
  /** Whose credential it was opened with. */
  readonly owner: Identity;
  readonly connection: Connection;
}

/** See the head of this file. */
export class ConsoleStream implements OngoingResponse {
  readonly owner: Identity;
  readonly connection: Connection;
  readonly #parts: StreamParts;
  readonly #identity: Identity;
  readonly #messages: Messages;
  readonly #windows = new Map<number, Window>();
  readonly #rate: MessageRate;
  readonly #closed: () => void;
  readonly #rights: Disposable;
  #isWoken = false;
  #isWriting = false;
  #isChecking = false;
  /** Rights have changed since the check has begun. */
  #isCheckDue = false;
  #timer: Timer | undefined;
  #isOver = false;

  /** @param closed called once, when the stream is over */
  constructor(parts: StreamParts, user: StreamUser, messages: Messages, closed: () => void) {
    this.#parts = parts;
    this.#identity = user.identity;
    this.owner = user.owner;
    this.connection = user.connection;
    this.#messages = messages;
    this.#closed = closed;
    this.#rate = new MessageRate(parts.server.clock, messages);
    this.#rights = parts.rights.onChange(() => void this.#checkRights());
    messages.onMessage = (message) => this.#take(message);
    messages.onClose = () => this.#end();
    parts.server.ongoing.add(this);
    parts.server.watchers.add(this);
  }

  /** The name of the user. */
  get user(): string {
    return this.#identity.user;
  }

  /** The number of windows. */
  get windows(): number {
    return this.#windows.size;
  }

  /** Ends it: the user has lost the credential. */
  revoke(): void {
    this.#close(CLOSE.policy);
  }

  /** Ends it in order: the server stops. */
  finish(): void {
    this.#close(CLOSE.goingAway);
  }

  /** Breaks it off. */
  destroy(): void {
    this.#messages.destroy();
    this.#end();
  }

  #take(message: Uint8Array): void {
    if (this.#isOver) return;
    this.#rate.count(message.length);
    const turn = this.#parts.server.clock.loop.admit(this.#identity.user);
    if (!turn) return this.#read(message);
    const copy = new Uint8Array(message);
    void turn.then(() => this.#read(copy));
  }

  #read(message: Uint8Array): void {
    if (this.#isOver) return;
    try {
      const request = readRequest(message);
      if (request.type === "open") this.#open(request);
      else if (request.type === "refused") this.#refuseWindow(request);
      else this.#closeWindow(request.id);
    } catch (error) {
      if (error instanceof ApiError) this.#refuse(error);
      else this.#fault(error);
    }
  }

  /** Ends the stream with an error: what came is no request. */
  #refuse(error: ApiError): void {
    const message: WindowError = { type: "error", id: 0, status: error.status };
    void this.#messages.send(JSON.stringify(message));
    this.#close(CLOSE.policy);
  }

  #open(request: OpenWindow): void {
    const { id, offset, size, list } = request;
    const window = this.#windowOf(id);
    if (!window) return;
    window.offset = offset;
    window.size = size;
    window.isAsked = true;
    window.failure = undefined;
    if (window.shared && window.shared.key === keyOf(list)) {
      window.listChanged();
      return;
    }
    if (this.#windows.size > MAX_WINDOWS) {
      this.#fail(window, badRequest(`expected at most ${MAX_WINDOWS} windows of one stream, got another one`));
      return;
    }
    this.#rate.countList();
    void this.#begin(window, request);
  }

  /** What was asked for cannot be shown; the window that it would have replaced is gone. */
  #refuseWindow({ id, error }: RefusedWindow): void {
    const window = this.#windowOf(id);
    if (window) this.#fail(window, error);
  }

  /** The window of an ID; undefined where the client has too many, and the stream ends. */
  #windowOf(id: number): Window | undefined {
    const known = this.#windows.get(id);
    if (known) return known;
    if (this.#windows.size >= MAX_WINDOWS + MAX_WAITING_ERRORS) {
      this.#close(CLOSE.policy);
      return undefined;
    }
    const window = new Window(id, this.#identity.user, () => this.#wake());
    this.#windows.set(id, window);
    return window;
  }

  /** Begins to show another list. */
  async #begin(window: Window, { list, size }: OpenWindow): Promise<void> {
    const { server, lists } = this.#parts;
    this.#leave(window);
    window.forget();
    const opening = (window.opening = new AbortController());
    const isLate = (): boolean => opening.signal.aborted;
    try {
      window.slot ??= server.watchSlots.take(this.#identity);
      await permitList(server, this.#identity, list);
      if (isLate()) return;
      // Those who come to a list that is there need what is read for a page.
      const limit = lists.has(list) || isPlain(list) ? Math.max(1, size) : 0;
      await this.#parts.seats.run(this.#identity, { list, limit, signal: opening.signal }, async () => {
        window.shared = lists.follow(list, window);
        window.listChanged();
        await window.shared.untilBuilt(opening.signal);
      });
    } catch (error) {
      if (!isLate()) this.#fail(window, error);
    }
  }

  #closeWindow(id: number): void {
    const window = this.#windows.get(id);
    if (!window) return;
    this.#leave(window);
    window.slot?.[Symbol.dispose]();
    this.#windows.delete(id);
  }

  /** Ends showing its list. */
  #leave(window: Window): void {
    window.opening?.abort(new Error("the window shows another list"));
    window.opening = undefined;
    const { shared } = window;
    window.shared = undefined;
    window.isChanged = false;
    if (shared) this.#parts.lists.leave(shared, window);
  }

  #fail(window: Window, error: unknown): void {
    if (this.#isOver || this.#windows.get(window.id) !== window) return;
    this.#leave(window);
    window.failure = error instanceof ApiError ? error : internalError(error);
    this.#wake();
  }

  async #checkRights(): Promise<void> {
    this.#isCheckDue = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { loop } = this.#parts.server.clock;
    while (this.#isCheckDue && !this.#isOver) {
      this.#isCheckDue = false;
      // A change of roles may concern all windows of all streams.
      await loop.yield();
      for (const window of this.#windows.values()) await this.#checkWindow(window);
    }
    this.#isChecking = false;
  }

  async #checkWindow(window: Window): Promise<void> {
    const { shared } = window;
    if (!shared || this.#isOver) return;
    try {
      await permitList(this.#parts.server, this.#identity, shared.list);
    } catch (error) {
      if (window.shared === shared) this.#fail(window, error);
    }
  }

  /** Sees to what is due when the change that is being delivered has been delivered to all. */
  #wake(): void {
    if (this.#isWoken || this.#isWriting) return;
    this.#isWoken = true;
    this.#parts.server.clock.loop.later(() => {
      this.#isWoken = false;
      this.#write();
    });
  }

  /** Sends what is due, unless that is being done; and sees to what is due later. */
  #write(): void {
    if (this.#isWriting || this.#isOver) return;
    const now = this.#parts.server.clock.steady();
    const at = this.#first()?.dueAt;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (at === undefined) return;
    if (at > now) {
      this.#timer = this.#parts.server.clock.after(at - now, () => this.#write(), CHANGES);
      return;
    }
    this.#isWriting = true;
    void this.#writeDue().then(
      () => {
        this.#isWriting = false;
        this.#write();
      },
      (error: unknown) => this.#fault(error),
    );
  }

  /** The window that is due first. */
  #first(): Window | undefined {
    let first: Window | undefined;
    for (const window of this.#windows.values()) {
      const { dueAt } = window;
      if (dueAt !== undefined && (first?.dueAt === undefined || dueAt < first.dueAt)) first = window;
    }
    return first;
  }

  /** The window that is due first, where one is due now. */
  #due(): Window | undefined {
    const first = this.#isOver ? undefined : this.#first();
    return (first?.dueAt ?? Infinity) <= this.#parts.server.clock.steady() ? first : undefined;
  }

  async #writeDue(): Promise<void> {
    while (this.#due()) {
      await this.#parts.lists.slices.next();
      const window = this.#due();
      if (window) await this.#writeOne(window);
    }
  }

  /** Sends what there is to say of a window now. */
  async #writeOne(window: Window): Promise<void> {
    const { shared } = window;
    window.isChanged = false;
    try {
      if (window.failure) return await this.#sendFailure(window, window.failure);
      if (!shared) return;
      if (!shared.isBuilt && !shared.failure) return await this.#sendProgress(window);
      const text = await this.#nextText(window, shared);
      if (text === undefined) return;
      await this.#send(text);
      window.changesAt = this.#parts.server.clock.steady() + CHANGES_MS;
    } catch (error) {
      if (window.shared === shared) this.#fail(window, error);
    }
  }

  /**
   * Makes the next message of a window; undefined where there is nothing to say. It has the objects of the rows, which nothing
   * keeps while the client takes the text.
   */
  async #nextText(window: Window, shared: SharedList): Promise<string | undefined> {
    const state = shared.state();
    // It is behind the changes, and tells when it is not.
    if (!state || !shared.table) return undefined;
    const message = window.next(state, shared.table);
    window.changesAt = this.#parts.server.clock.steady() + CHANGES_MS;
    if (!message) return undefined;
    const text = await this.#textOf(window, message);
    // The client may have asked for other rows meanwhile.
    if (this.#isOver || window.shared !== shared) return undefined;
    window.isAsked = window.offset !== message.offset;
    if (window.isAsked) window.isChanged = true;
    window.took(message);
    return text;
  }

  async #sendFailure(window: Window, { status }: ApiError): Promise<void> {
    this.#closeWindow(window.id);
    const message: WindowError = { type: "error", id: window.id, status };
    await this.#send(JSON.stringify(message));
  }

  async #sendProgress(window: Window): Promise<void> {
    const { shared, id } = window;
    window.changesAt = this.#parts.server.clock.steady() + PROGRESS_MS;
    const progress = shared && window.newProgress(shared.progress);
    if (!progress) return;
    const message: WindowProgress = { type: "progress", id, ...progress };
    await this.#send(JSON.stringify(message));
  }

  /** The JSON of a message, made in slices. */
  async #textOf({ id }: Window, message: WindowMessage): Promise<string> {
    const { table, entries } = message;
    const wait = table.resource.ready(entries);
    if (wait) await wait;
    return await inSlices(textInSteps(id, message), this.#parts.server.clock.loop.slice());
  }

  async #send(text: string): Promise<void> {
    const stalled = this.#parts.server.clock.after(STALLED_MS, () => this.#messages.destroy(), UPKEEP);
    try {
      await this.#parts.untaken.count(this, text, this.#messages.send(text));
    } finally {
      stalled.cancel();
    }
  }

  #fault(error: unknown): void {
    this.#parts.server.faults.report("connection", error);
    this.#close(CLOSE.internal);
  }

  #close(code: number): void {
    this.#messages.end(code);
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { server } = this.#parts;
    this.#timer?.cancel();
    this.#rate.close();
    this.#rights[Symbol.dispose]();
    for (const id of this.#windows.keys()) this.#closeWindow(id);
    server.ongoing.delete(this);
    server.watchers.delete(this);
    this.#closed();
  }
}

/** A row for each step. */
function* textInSteps(id: number, { state, table, entries, offset, before }: WindowMessage): Steps<string> {
  const { matching, total, revision } = state;
  const head = { type: "window", id, matching, total, offset, resourceVersion: String(revision) };
  const rows: (string | number)[] = [];
  for (const entry of entries) {
    rows.push(before?.positionOf(entry) ?? table.row(entry));
    yield;
  }
  const columns = before ? "" : `,"columns":${JSON.stringify(table.columns)}`;
  return `${JSON.stringify(head).slice(0, -1)}${columns},"rows":[${rows.join(",")}]}`;
}
