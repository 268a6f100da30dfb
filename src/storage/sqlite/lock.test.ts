import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../util/clock.ts";
import { openSqliteStore } from "./store.ts";
import { temporaryDirectory } from "./testing/directory.ts";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** A process that opens the store, says so, and keeps it. */
const HOLDER = `
  const [store, clock, directory] = process.argv.slice(1);
  const { openSqliteStore } = await import(store);
  const { systemClock } = await import(clock);
  const opened = await openSqliteStore({ directory, clock: systemClock });
  await opened.write({ type: "create", key: "a", value: Buffer.from("held") });
  console.log("open");
`;

test("a second process is refused with the pid of the first, and takes over once that was killed", async () => {
  const store = new URL("./store.ts", import.meta.url).href;
  const clock = new URL("../../util/clock.ts", import.meta.url).href;
  const args = ["--input-type=module", "-e", HOLDER, store, clock, directory.path];
  const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  const attempt = openSqliteStore({ directory: directory.path, clock: systemClock });
  await expect(attempt).rejects.toMatchObject({
    code: "inUse",
    owner: holder.pid,
    message: expect.stringContaining(`process ${holder.pid}`),
  });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const opened = await openSqliteStore({ directory: directory.path, clock: systemClock });
  expect(await opened.get("a")).toMatchObject({ revision: 1 });
  await opened.close();
});

test("the same process cannot open a directory twice either, and being refused does not loosen the lock", async () => {
  const options = { directory: directory.path, clock: systemClock };
  const first = await openSqliteStore(options);
  for (let i = 0; i < 3; i++) {
    await expect(openSqliteStore(options)).rejects.toThrow(`in use by process ${process.pid}`);
  }
  await first.write({ type: "create", key: "a", value: Buffer.from("1") });
  await first.close();
  const second = await openSqliteStore(options);
  expect(second.revision).toBe(1);
  await second.close();
});
