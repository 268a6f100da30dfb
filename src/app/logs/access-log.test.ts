import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, openSync, closeSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ManualClock } from "../../util/clock.ts";
import { silentLog } from "../../util/log.ts";
import { AccessFile } from "./access-log.ts";
import { startServer } from "../start/start.ts";

const path = mkdtempSync(join(tmpdir(), "keelson-access-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("each request has a line with user, path and result, and without query, body and token", async () => {
  const file = join(path, "access.log");
  const server = await startServer({ dev: true, port: 0, insecureHttp: true, accessLog: file, controllers: ["none"] });
  const headers = {
    authorization: `Bearer ${server.pki.adminToken}`,
    "user-agent": "tester/1",
    "content-type": "application/json",
  };
  const url = `${server.url}/api/v1/namespaces/default/configmaps`;
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { secret: "hidden-in-body" } };
  await (await fetch(url, { method: "POST", headers, body: JSON.stringify(object) })).text();
  await (await fetch(`${url}/b?token=hidden-in-query`, { headers })).text();
  await (await fetch(`${server.url}/version`)).text();
  await server.close();
  const all = linesOf(file);
  expect(all).toMatchObject([
    { client: "127.0.0.1", user: "keelson:admin", method: "POST", verb: "create", resource: "configmaps", code: 201 },
    { path: "/api/v1/namespaces/default/configmaps/b", verb: "get", code: 404, userAgent: "tester/1" },
    { user: "system:anonymous", path: "/version", resource: "", code: 200 },
  ]);
  for (const { bytes, millis, time } of all)
    expect([Number(bytes) > 0, Number(millis) >= 0, typeof time]).toEqual([true, true, "string"]);
  expect(readFileSync(file, "utf8")).not.toMatch(new RegExp(`hidden|${server.pki.adminToken}`));
});

test("the length of a line is bounded", async () => {
  const file = join(path, "long.log");
  const server = await startServer({ dev: true, port: 0, insecureHttp: true, accessLog: file, controllers: ["none"] });
  const long = "x".repeat(10_000);
  const headers = { "user-agent": long, "audit-id": long };
  await (await fetch(`${server.url}/${long}?${long}`, { headers })).text();
  await server.close();
  const [{ path: asked, userAgent, auditId } = {}] = linesOf(file);
  expect([asked, userAgent, auditId].map((text) => String(text).length)).toEqual([1000, 1000, 1000]);
});

/** Waits until the thread that writes is idle. */
const written = async (clock: ManualClock): Promise<void> => {
  clock.advance(200);
  await new Promise((resolve) => setTimeout(resolve, 30));
};

test("a renamed file is opened again", async () => {
  const clock = new ManualClock();
  const [file, moved] = [join(path, "rotated.log"), join(path, "rotated.log.1")];
  const log = new AccessFile(file, { clock, log: silentLog });
  log.add("1");
  await written(clock);
  renameSync(file, moved);
  log.add("2");
  await written(clock);
  log.add("3");
  await written(clock);
  log[Symbol.dispose]();
  // A program that compresses the rotated file may rely on it: nothing is appended any more.
  expect([readFileSync(moved, "utf8"), readFileSync(file, "utf8")]).toEqual(["1\n", "2\n3\n"]);
});

test("lines for a blocked pipe are dropped and counted, no request waits, and writing continues with a reader", async () => {
  const clock = new ManualClock();
  const pipe = join(path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const told: unknown[] = [];
  const log = new AccessFile(pipe, { clock, log: { ...silentLog, warn: (message) => void told.push(message) } });
  const line = "x".repeat(1023);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 1000; i++) log.add(line);
    await written(clock);
  }
  const [metric] = await log.metrics();
  const dropped = metric!.samples[0]!.value;
  expect(dropped).toBeGreaterThan(5000);
  expect(dropped).toBeLessThan(6500);
  expect(told[0]).toBe("lines of the access log were dropped");
  expect(() => log[Symbol.dispose]()).not.toThrow();
  closeSync(reader);
});

test("a file that cannot be written is an OptionError", () => {
  const around = { clock: new ManualClock(), log: silentLog };
  expect(() => new AccessFile(path, around)).toThrow("expected --access-log to name a file that can be written");
});
