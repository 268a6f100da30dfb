import { expect, test } from "vitest";
import type { ConsoleRequest, ConsoleResponse } from "../../../src/meta/console-protocol.ts";
import { FakeTimers } from "../testing/fake-timers.ts";
import { WindowStream, type Socket } from "./stream.ts";
import type { WindowView } from "./window-state.ts";

class FakeSocket implements Socket {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly sent: ConsoleRequest[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ConsoleRequest);
  }
  close(): void {
    this.isClosed = true;
  }
  opens(): void {
    this.onopen?.({} as never);
  }
  says(message: ConsoleResponse | string): void {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.onmessage?.({ data } as never);
  }
  ends(): void {
    this.onclose?.({} as never);
  }
}

function newStream() {
  const sockets: FakeSocket[] = [];
  const timers = new FakeTimers();
  let lost = 0;
  const stream = new WindowStream({
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    timers,
    lost: () => lost++,
  });
  return { stream, sockets, timers, lost: () => lost, last: () => sockets.at(-1)! };
}

const LIST = { group: "", version: "v1", resource: "configmaps" };
const state = (id: number, offset = 0): ConsoleResponse => ({
  type: "window",
  id,
  matching: 1000,
  total: 1000,
  offset,
  resourceVersion: "5",
  columns: [{ name: "Name", type: "string", format: "", description: "", priority: 0 }],
  rows: [
    { namespace: "a", name: `row-${offset}`, uid: `u${offset}`, resourceVersion: "1", deleting: false, cells: [] },
  ],
});
const opens = (socket: FakeSocket): ConsoleRequest[] => socket.sent.filter(({ type }) => type === "open");

test("a stream may begin before its first window, which is opened as soon as it is connected", () => {
  const { stream, sockets, last } = newStream();
  stream.begin();
  stream.begin();
  expect(sockets).toHaveLength(1);
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  expect(sockets).toHaveLength(1);
  last().opens();
  expect(opens(last()).map(({ id }) => id)).toEqual([1]);
});

test("a stream without windows that ends is not begun again", () => {
  const { stream, sockets, timers, last, lost } = newStream();
  stream.begin();
  last().ends();
  timers.pass(60_000);
  expect([stream.connection.value, sockets.length, lost()]).toEqual(["idle", 1, 0]);
});

test("windows share one connection, which begins with the first one", () => {
  const { stream, sockets, last } = newStream();
  expect(stream.connection.value).toBe("idle");
  const views: WindowView[] = [];
  const one = stream.open(LIST, { offset: 0, size: 50 }, (view) => views.push(view));
  stream.open(LIST, { offset: 0, size: 10 }, () => undefined);
  expect(sockets).toHaveLength(1);
  expect(last().sent).toEqual([]);
  last().opens();
  expect(opens(last()).map(({ id }) => id)).toEqual([1, 2]);
  last().says(state(1));
  expect(views.map((view) => view.state)).toEqual(["loading", "live"]);
  one.close();
  expect(last().sent.at(-1)).toEqual({ type: "close", id: 1 });
  last().says(state(1));
  expect(views).toHaveLength(2);
});

test("after a loss it connects again, later each time, and every window opens where it was", () => {
  const { stream, sockets, timers, last, lost } = newStream();
  const views: WindowView[] = [];
  const handle = stream.open(LIST, { offset: 0, size: 50 }, (view) => views.push(view));
  last().opens();
  last().says(state(1));
  handle.move(400, 50);
  last().says(state(1, 400));
  last().ends();
  expect(views.at(-1)).toMatchObject({ state: "stale", offset: 400 });
  expect(stream.connection.value).toBe("waiting");
  expect(lost()).toBe(1);
  const waits: number[] = [];
  for (let attempt = 0; attempt < 9; attempt++) {
    waits.push(timers.next!);
    timers.pass(timers.next!);
    expect(stream.connection.value).toBe("connecting");
    last().ends();
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  timers.pass(10_000);
  expect(sockets).toHaveLength(11);
  last().opens();
  expect(opens(last())).toEqual([{ type: "open", id: 1, list: LIST, offset: 400, size: 50 }]);
  last().says(state(1, 400));
  expect(views.at(-1)).toMatchObject({ state: "live", offset: 400 });
  // The next loss begins with a short wait again.
  last().ends();
  expect(timers.next).toBe(250);
});

test("the network that comes back, or a new session, ends the wait", () => {
  const { stream, sockets, timers, last } = newStream();
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  last().opens();
  last().says(state(1));
  stream.disconnect();
  expect(sockets[0]!.isClosed).toBe(true);
  expect(stream.connection.value).toBe("waiting");
  stream.connectNow();
  expect(sockets).toHaveLength(2);
  timers.pass(60_000);
  expect(sockets).toHaveLength(2);
});

test("without windows nothing is connected again", () => {
  const { stream, sockets, timers, last } = newStream();
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined).close();
  last().opens();
  expect(last().sent).toEqual([]);
  last().ends();
  expect(stream.connection.value).toBe("idle");
  timers.pass(60_000);
  expect(sockets).toHaveLength(1);
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  expect(sockets).toHaveLength(2);
});

test("a hundred moves while the server is slow are one move, to where the list is now", () => {
  const { stream, timers, last } = newStream();
  const handle = stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  last().opens();
  for (let offset = 1; offset <= 100; offset++) handle.move(offset, 50);
  expect(opens(last())).toHaveLength(1);
  last().says(state(1));
  expect(opens(last()).at(-1)).toMatchObject({ offset: 100 });
  expect(opens(last())).toHaveLength(2);
  // The response is lost: the next move waits half a second for it.
  handle.move(200, 50);
  expect(opens(last())).toHaveLength(2);
  timers.pass(500);
  expect(opens(last()).at(-1)).toMatchObject({ offset: 200 });
});

test("a message of an unknown form restarts the connection", () => {
  const { stream, sockets, timers, last } = newStream();
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  for (const message of ["{", '"x"', JSON.stringify({ ...state(1), rows: [7] })]) {
    last().opens();
    last().says(message === '"x"' ? '{"id":1,"type":"window","rows":5}' : message);
    expect(last().isClosed).toBe(true);
    timers.pass(timers.next!);
  }
  expect(sockets).toHaveLength(4);
});

test("a window that failed is asked for again, by the user or after a loss", () => {
  const { stream, timers, last } = newStream();
  const views: WindowView[] = [];
  const handle = stream.open(LIST, { offset: 0, size: 50 }, (view) => views.push(view));
  last().opens();
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "no" } as const;
  last().says({ type: "error", id: 1, status });
  expect(views.at(-1)).toMatchObject({ state: "failed", failure: { message: "no" } });
  handle.retry();
  expect(opens(last())).toHaveLength(2);
  last().ends();
  timers.pass(250);
  last().opens();
  last().says(state(1));
  expect(views.at(-1)).toMatchObject({ state: "live" });
});

test("what the server ends a stream for is not sent again by itself, and the other windows go on", () => {
  const { stream, timers, last } = newStream();
  const views: WindowView[] = [];
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  last().opens();
  last().says(state(1));
  const handle = stream.open({ ...LIST, namespace: "<no name>" }, { offset: 0, size: 50 }, (view) => views.push(view));
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "no name" } as const;
  last().says({ type: "error", id: 0, status });
  last().ends();
  expect(views.at(-1)).toMatchObject({ state: "failed", failure: { message: "no name" } });
  timers.pass(250);
  last().opens();
  expect(opens(last()).map(({ id }) => id)).toEqual([1]);
  last().says(state(1));
  handle.retry();
  expect(opens(last()).map(({ id }) => id)).toEqual([1, 2]);
});

test("a connection that nothing passes any more is noticed after a minute, one that is only quiet stays", () => {
  const { stream, sockets, timers, last } = newStream();
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  last().opens();
  last().says(state(1));
  timers.pass(45_000);
  expect(opens(last())).toHaveLength(2);
  last().says(state(1));
  timers.pass(59_000);
  expect(sockets[0]!.isClosed).toBe(false);
  timers.pass(1000);
  expect(sockets[0]!.isClosed).toBe(true);
  expect(stream.connection.value).toBe("waiting");
});

test("a window that no message can ask for is not asked for: the server would end the stream of the others", () => {
  const { stream, last } = newStream();
  const views: WindowView[] = [];
  stream.open(LIST, { offset: 0, size: 50 }, () => undefined);
  const long = { ...LIST, labelSelector: "\u00e9".repeat(8200) };
  const handle = stream.open(long, { offset: 0, size: 50 }, (view) => views.push(view));
  last().opens();
  expect(opens(last())).toHaveLength(1);
  expect(views.at(-1)?.failure?.message).toMatch(
    /^expected the filters of a list to have at most 16384 bytes, got 16\d\d\d: /,
  );
  handle.move(50, 50);
  handle.retry();
  expect(opens(last())).toHaveLength(1);
  expect(views.at(-1)?.state).toBe("failed");
});
