import { appendFile, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../util/clock.ts";
import { logQueryOf } from "../log-query.ts";
import { openLog } from "./read-log.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "logs-"));
});
afterEach(() => rm(directory, { recursive: true }));

const files = () => ({ file: join(directory, "c.log"), older: join(directory, "c.log.1") });
const query = (parameters: Readonly<Record<string, string>>, now = 0) => logQueryOf((name) => parameters[name], now);
const state = { hasEnded: true, over: new AbortController() };
beforeEach(() => Object.assign(state, { hasEnded: true, over: new AbortController() }));
const open = (parameters: Readonly<Record<string, string>>, now = 0) => {
  const reading = { clock: systemClock, signal: state.over.signal, hasEnded: () => state.hasEnded };
  return openLog(files(), query(parameters, now), reading);
};

async function read(parameters: Readonly<Record<string, string>>, now = 0): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await open(parameters, now))!) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test("a log is read from its older part on, and its end is the requested one", async () => {
  expect(await open({})).toBeUndefined();
  await writeFile(files().file, "3\n4\n5\n");
  expect(await read({})).toBe("3\n4\n5\n");
  await writeFile(files().older, "1\n2\n");
  expect(await read({})).toBe("1\n2\n3\n4\n5\n");
  const ends = await Promise.all(["0", "1", "3", "4", "5", "99"].map((tailLines) => read({ tailLines })));
  expect(ends).toEqual(["", "5\n", "3\n4\n5\n", "2\n3\n4\n5\n", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n"]);
  await appendFile(files().file, "open");
  expect(await read({ tailLines: "2" })).toBe("5\nopen");
  expect(await read({ limitBytes: "3" })).toBe("1\n2");
});

test("the last lines are found in a log of many chunks", async () => {
  const line = `${"x".repeat(999)}\n`;
  await writeFile(files().file, line.repeat(1000));
  expect((await read({ tailLines: "500" })).length).toBe(500_000);
});

test("lines have the recorded times, the last ones that of the file", async () => {
  const [first, second] = [Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 2)];
  await writeFile(files().file, "a\nb\nc\nd\n");
  await writeFile(`${files().file}.times`, `4 ${first}\n6 ${second}\n`);
  const timed = (await read({ timestamps: "true" })).trimEnd().split("\n");
  expect(timed.map((line) => line.split(" ")[1])).toEqual(["a", "b", "c", "d"]);
  expect(timed.slice(0, 3).map((line) => line.split(" ")[0])).toEqual([
    "2030-01-01T00:00:00.000Z",
    "2030-01-01T00:00:00.000Z",
    "2030-01-02T00:00:00.000Z",
  ]);
  expect(Math.abs(Date.parse(timed[3]!.split(" ")[0]!) - Date.now())).toBeLessThan(600_000);
  expect(await read({ sinceTime: "2030-01-02T00:00:00Z" })).toBe("c\n");
  expect(await read({ sinceSeconds: "3600" }, second + 60_000)).toBe("c\n");
  expect(await read({ sinceTime: "2030-01-02T00:00:00Z", tailLines: "1" })).toBe("");
});

test("a follower gets new lines, also after a rotation, until the container has ended", async () => {
  state.hasEnded = false;
  await writeFile(files().file, "one\n");
  const pieces = (await open({ follow: "true", tailLines: "0" }))!;
  const next = async () => Buffer.from((await pieces.next()).value as Uint8Array).toString();
  const waiting = next();
  await appendFile(files().file, "two\n");
  expect(await waiting).toBe("two\n");
  const later = next();
  await truncate(files().file);
  await appendFile(files().file, "new\n");
  expect(await later).toBe("new\n");
  const end = pieces.next();
  state.hasEnded = true;
  expect(await end).toEqual({ done: true, value: undefined });
});

test("a follower that leaves does not wait any longer", async () => {
  state.hasEnded = false;
  await writeFile(files().file, "one\n");
  const pieces = (await open({ follow: "1" }))!;
  await pieces.next();
  const end = pieces.next();
  state.over.abort();
  expect((await end).done).toBe(true);
});

test("a link instead of a log is not followed", async () => {
  await writeFile(join(directory, "secret"), "secret");
  await symlink("secret", files().file);
  expect(await open({})).toBeUndefined();
});
