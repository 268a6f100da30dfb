import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** Writes one key after the other, then prints how each write ended and whether the store has failed. */
const WRITER = `
  const [store, clock, directory] = process.argv.slice(1);
  const { openSqliteStore } = await import(store);
  const { systemClock } = await import(clock);
  const opened = await openSqliteStore({ directory, clock: systemClock });
  const outcomes = [];
  for (let i = 0; i < 30; i++) {
    const write = { type: "create", key: "k" + String(i).padStart(2, "0"), value: Buffer.from("v") };
    outcomes.push(await opened.write(write).then(() => "ok", (error) => error.code));
  }
  const failed = outcomes.includes("failed") ? (await opened.failed).code : "none";
  const read = await opened.get("k00").then(() => "ok", (error) => error.code);
  await opened.close();
  console.log(JSON.stringify({ outcomes, failed, read }));
`;

interface Report {
  readonly outcomes: string[];
  readonly failed: string;
  readonly read: string;
}

/** Runs the writer with system calls that fail as `inject` says (see strace(1)); undefined without strace. */
function runWith(inject: string): Report | undefined {
  const store = new URL("./store.ts", import.meta.url).href;
  const clock = new URL("../../util/clock.ts", import.meta.url).href;
  const node = [process.execPath, "--input-type=module", "-e", WRITER, store, clock, directory.path];
  const trace = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync,pwrite64", "-e", `inject=${inject}`];
  const { stdout, status } = spawnSync("strace", [...trace, ...node], { encoding: "utf8", timeout: 20_000 });
  return status === 0 ? (JSON.parse(stdout) as Report) : undefined;
}

test.for(["fsync:error=EIO:when=18", "pwrite64:error=EIO:when=70"])(
  "after a failed commit (%s) nothing more is acknowledged, and what was acknowledged is there",
  async (inject, context) => {
    const report = runWith(inject);
    if (report === undefined) return context.skip("this machine has no strace, or does not let it trace");
    const acknowledged = report.outcomes.filter((outcome) => outcome === "ok").length;
    expect(acknowledged).toBeGreaterThan(0);
    expect(report.outcomes.slice(acknowledged, acknowledged + 1)).toEqual(["unknown"]);
    expect(report.outcomes.slice(acknowledged + 1)).toEqual(Array.from({ length: 29 - acknowledged }, () => "failed"));
    expect(report).toMatchObject({ failed: "failed", read: "failed" });

    const store = await openSqliteStore({ directory: directory.path, clock: systemClock });
    const { records } = await store.range("");
    // The write whose outcome was unknown may be there, and no other.
    expect([acknowledged, acknowledged + 1]).toContain(records.length);
    await store.close();
  },
);
