import { expect, test } from "vitest";
import type { Lookup } from "../schema/lookup.ts";
import type { Session, SessionStreams } from "../schema/session.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { ExecRequest, Simulation } from "../simulation/index.ts";
import { LogOfStart } from "../simulation/scripts/log-book.ts";
import { ManualClock } from "../util/clock.ts";
import { leastCpu } from "../util/testing/cpu-time.ts";
import { simulatedPrograms } from "./simulated-programs.ts";

const MIB = 1 << 20;
const pod = {
  metadata: { namespace: "n", name: "p", uid: "u" },
  spec: { nodeName: "one", containers: [{ name: "c" }] },
  status: { containerStatuses: [{ name: "c", state: { running: {} } }] },
} as unknown as ApiObject;

/** Runs a command whose input comes in messages; returns what the command was given. */
async function inputOf(messages: Iterable<Uint8Array>): Promise<{ readonly stdin: string; readonly memory: number }> {
  let stdin = "";
  const simulation = {
    isSimulated: () => true,
    exec: async (_: unknown, request: ExecRequest) => {
      stdin = request.stdin ?? "";
      return {};
    },
  } as unknown as Simulation;
  const lookup = { get: () => ({}) } as unknown as Lookup;
  const programs = simulatedPrograms({
    lookup,
    clock: new ManualClock(),
    simulation: () => simulation,
    others: undefined,
  });
  const query = Object.assign(() => "", { all: () => ["cat"] });
  const session = (await programs("exec", pod, query, new AbortController().signal)) as Session;
  const before = process.memoryUsage().arrayBuffers;
  let memory = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const message of messages) {
      memory = Math.max(memory, process.memoryUsage().arrayBuffers - before);
      yield message;
    }
  }
  const streams: SessionStreams = {
    stdin: pieces(),
    size: undefined,
    signal: new AbortController().signal,
    write: async () => {},
  };
  await session.run(streams);
  return { stdin, memory };
}

test("standard input of many small messages is put together, and is a mebibyte at most", async () => {
  const text = "ab\u00e4".repeat(5000);
  const bytes = Buffer.from(text);
  const single = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  expect((await inputOf(single)).stdin).toBe(text);
  expect((await inputOf([Buffer.alloc(MIB, "x")])).stdin).toHaveLength(MIB);
  await expect(inputOf([Buffer.alloc(MIB), Buffer.alloc(1)])).rejects.toThrow(`at most ${MIB} bytes`);
});

test("who follows a log and does not read makes no line dearer, and gets those that the log keeps", async () => {
  const log = new LogOfStart();
  const clock = new ManualClock();
  const running = { ...pod, status: { containerStatuses: [{ name: "c", state: { running: {} }, restartCount: 0 }] } };
  const simulation = { isSimulated: () => true, logs: () => log } as unknown as Simulation;
  const lookup = { get: () => running } as unknown as Lookup;
  const programs = simulatedPrograms({ lookup, clock, simulation: () => simulation, others: undefined });
  const words: Record<string, string> = { follow: "true", previous: "false", timestamps: "false" };
  const parameter = (name: string): string => words[name] ?? "";
  const query = Object.assign(parameter, { all: () => [] });
  const read = await programs("log", running as unknown as ApiObject, query, new AbortController().signal);
  const pieces = (read as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  log.write(0, "first");
  expect(Buffer.from((await pieces.next()).value!).toString()).toBe("first\n");
  const next = pieces.next();
  log.write(0, "second");
  expect(Buffer.from((await next).value!).toString()).toBe("second\n");
  log.write(0, "\n".repeat(300_000));
  expect(await leastCpu(() => log.write(0, "\n".repeat(20_000)), 500)).toBeLessThan(500);
  log.write(0, "last");
  log.end();
  let text = "";
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
    text += Buffer.from(piece.value).toString();
  expect({ length: text.length, end: text.slice(-6) }).toEqual({ length: 256 << 10, end: "\nlast\n" });
});

test("a message does not keep the buffer in which it came", async () => {
  function* messages(): Generator<Uint8Array> {
    for (let i = 0; i < 4000; i++) yield new Uint8Array(new ArrayBuffer(64 * 1024), 0, 1);
  }
  const { stdin, memory } = await inputOf(messages());
  expect(stdin).toHaveLength(4000);
  // All of them would be 250 MiB.
  expect(memory).toBeLessThan(200 * MIB);
});
