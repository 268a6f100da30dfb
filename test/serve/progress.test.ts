/**
 * Progress of commands on a real terminal: a line that is rewritten, and gone at the end.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/store.ts";
import { systemClock } from "../../src/util/clock.ts";
import { amount } from "../../src/util/testing/amount.ts";
import { EXECUTABLE, Keelson, Scratch } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

const RECORDS = amount("PROGRESS_RECORDS", 60_000, 1_000_000);
const has = existsSync("/usr/bin/script");

/** A data directory with many records. */
async function filled(): Promise<string> {
  const directory = scratch.fresh();
  const first = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
  await first.stop();
  const store = await openSqliteStore({ directory: join(directory, "store"), clock: systemClock });
  for (let from = 0; from < RECORDS; from += 5000) {
    await Promise.all(
      Array.from({ length: Math.min(5000, RECORDS - from) }, (_, i) => {
        const name = `map-${from + i}`;
        const metadata = {
          name,
          namespace: "default",
          uid: crypto.randomUUID(),
          creationTimestamp: "2026-01-01T00:00:00Z",
        };
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { k: "v".repeat(100) } };
        const value = Buffer.from(JSON.stringify(object));
        return store.write({ type: "create", key: `/core/configmaps/default/${name}`, value });
      }),
    );
  }
  await store.close();
  return directory;
}

/** What a command writes to a terminal of 60 columns. */
async function onTerminal(args: readonly string[]): Promise<string> {
  const command = `stty cols 60; ${[process.execPath, EXECUTABLE, ...args].join(" ")}`;
  const { stdout } = await promisify(execFile)("script", ["-qec", command, "/dev/null"], { maxBuffer: 1 << 26 });
  return stdout;
}

describe.skipIf(!has)("on a terminal", () => {
  test(
    "check and repair show a line that is rewritten, within its width, and gone at the end",
    { timeout: 180_000 },
    async () => {
      const directory = await filled();
      for (const args of [
        ["check", directory],
        ["repair", directory, scratch.fresh()],
      ]) {
        const lines = (await onTerminal(args)).split("\r\u001b[K");
        // The line is removed before the report.
        const [shown, report] = [lines.slice(1, -1).filter((line) => line !== ""), lines.at(-1)!];
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.filter((line) => !/^(?:checking|reading|copying)\b[^\n]{0,58}$/.test(line))).toEqual([]);
        expect(report).toMatch(/records/);
        expect(report).not.toMatch(/%/);
      }
    },
  );
});
