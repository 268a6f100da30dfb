import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../util/clock.ts";
import type { Actions } from "./actions.ts";
import { type AuditRequest, runAudit } from "./audit-run.ts";

const path = mkdtempSync(join(tmpdir(), "keelson-search-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

interface Sent {
  readonly user?: string;
  readonly as?: string;
  readonly verb?: string;
  readonly stage?: string;
  readonly name?: string;
  readonly resource?: string;
  readonly at?: string;
}

/** A line of a log. */
function line({
  user = "jane",
  as,
  verb = "get",
  stage = "ResponseComplete",
  name = "web",
  resource = "pods",
  at = "2026-01-01T00:00:00",
}: Sent): string {
  return `${JSON.stringify({
    stage,
    verb,
    user: { username: user },
    ...(as === undefined ? {} : { impersonatedUser: { username: as } }),
    objectRef: { resource, namespace: "default", name, apiVersion: "v1" },
    responseStatus: { code: 200 },
    requestURI: "/x",
    stageTimestamp: `${at}.000000Z`,
  })}\n`;
}

/** The output and the messages of a search. */
async function search(request: Partial<AuditRequest>) {
  const printed: string[] = [];
  const told: string[] = [];
  const actions = {
    print: (text: string) => void printed.push(text),
    clock: { ...systemClock, now: () => Date.UTC(2026, 0, 1, 2) },
    terminal: { env: {}, tell: (text: string) => void told.push(text) },
  } as unknown as Actions;
  const run = runAudit(actions, { file: undefined, output: "json", follow: false, ...request });
  return { printed, told, run };
}

const names = (printed: readonly string[]): string[] =>
  printed.map((text) => (JSON.parse(text) as { objectRef: { name: string } }).objectRef.name);

async function found(request: Partial<AuditRequest>): Promise<string[]> {
  const { printed, run } = await search(request);
  await run;
  return names(printed);
}

const file = join(path, "audit.log");
writeFileSync(
  file,
  [
    line({ name: "a", user: "joe", at: "2026-01-01T00:30:00" }),
    line({ name: "b", user: "admin", as: "joe", verb: "delete", at: "2026-01-01T01:30:00" }),
    line({ name: "c", stage: "RequestReceived" }),
    line({ name: "d", resource: "networkpolicies", at: "2026-01-01T01:45:00" }),
  ].join(""),
);
writeFileSync(join(path, "audit-2026-01-01T00-10-00.000.log.gz"), gzipSync(line({ name: "older" })));
writeFileSync(join(path, "audit-2026-01-01T00-20-00.000.log"), line({ name: "old", at: "2026-01-01T00:15:00" }));
writeFileSync(join(path, "audit-notes.log"), "no log of ours\n");

test("finds all events, the oldest first, also in rotated and compressed files", async () => {
  expect(await found({ file })).toEqual(["older", "old", "a", "b", "d"]);
});

test("finds events by user, impersonated user, verb and object", async () => {
  expect(await found({ file, user: "joe" })).toEqual(["a", "b"]);
  expect(await found({ file, user: "joe", verb: "delete" })).toEqual(["b"]);
  expect(await found({ file, object: "default/pods/a" })).toEqual(["a"]);
  expect(await found({ file, object: "Pod/a" })).toEqual(["a"]);
  expect(await found({ file, object: "other/pods/a" })).toEqual([]);
  expect(await found({ file, object: "networkpolicy/*" })).toEqual(["d"]);
  expect(await found({ file, object: "networkpolicies.networking.k8s.io/*" })).toEqual([]);
});

test("finds events by time, also relative to now", async () => {
  expect(await found({ file, since: "1h" })).toEqual(["b", "d"]);
  expect(await found({ file, since: "2026-01-01T00:15:00Z", until: "2026-01-01T00:30:00Z" })).toEqual(["old", "a"]);
});

test("a table has a line for each event, without control characters", async () => {
  const { printed, run } = await search({ file, output: "table", user: "joe" });
  await run;
  expect(printed.map((row) => row.replaceAll(/ +/g, " "))).toEqual([
    "TIME USER VERB CODE OBJECT",
    "2026-01-01T00:30:00.000Z joe get 200 default/pods/a",
    "2026-01-01T01:30:00.000Z joe (by admin) delete 200 default/pods/b",
  ]);
  const evil = join(path, "evil.log");
  writeFileSync(evil, line({ user: "\u001b[31mred" }));
  const shown = await search({ file: evil, output: "table" });
  await shown.run;
  expect(shown.printed[1]).not.toContain("\u001b");
});

test("invalid lines are counted, and an unreadable file is reported", async () => {
  const strange = join(path, "strange.txt");
  writeFileSync(strange, `2026 AUDIT: id="x"\n{}\n${line({ name: "a" })}`);
  const { printed, told, run } = await search({ file: strange });
  await run;
  expect(names(printed)).toEqual(["a"]);
  expect(told).toEqual(["2 lines held no event of audit.k8s.io/v1 in JSON\n"]);
  await expect(found({ file: join(path, "none.log") })).rejects.toThrow(/none\.log to be a log that can be read/);
  await expect(found({})).rejects.toMatchObject({ usage: true });
  await expect(found({ file, object: "x" })).rejects.toMatchObject({ usage: true });
  await expect(found({ file, since: "yesterday" })).rejects.toMatchObject({ usage: true });
});

test("a log is followed, also after a rotation", async () => {
  const growing = join(path, "growing.log");
  writeFileSync(growing, line({ name: "first" }));
  const abort = new AbortController();
  const { printed, run } = await search({ file: growing, follow: true, signal: abort.signal });
  const seen = async (count: number): Promise<void> => {
    for (let i = 0; i < 100 && printed.length < count; i++)
      await new Promise((resolve) => void setTimeout(resolve, 50));
  };
  await seen(1);
  const second = line({ name: "second" });
  appendFileSync(growing, second.slice(0, 20));
  appendFileSync(growing, second.slice(20));
  await seen(2);
  renameSync(growing, join(path, "growing-old.log"));
  writeFileSync(growing, line({ name: "third" }));
  await seen(3);
  abort.abort();
  await run;
  expect(names(printed)).toEqual(["first", "second", "third"]);
});
