/**
 * Many who hold connections and show no credential, against the real executable: what they cost, and that a client with
 * a credential goes on. `ATTACKERS=10000` plays the long version.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { KINDS } from "../../src/server/testing/attackers.ts";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, until } from "../serve/keelson.ts";

const ATTACKERS = Number(process.env["ATTACKERS"] ?? 600);
const MOST_TURN_MS = 100;
/** Garbage of the handshakes included, which is collected later. */
const MOST_MORE_MIB = 100;

const scratch = new Scratch();
afterAll(() => scratch.remove());

/** How long a request takes, again and again until `over`: the 99th of a hundred, in ms. */
async function p99(ask: () => Promise<unknown>, over: () => boolean): Promise<number> {
  const times: number[] = [];
  while (!over() || times.length < 100) {
    const from = performance.now();
    await ask();
    times.push(performance.now() - from);
    await sleep(1);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

const PROBE = new URL("turn-probe.mjs", import.meta.url).pathname;
const ATTACKER = new URL("attacker.ts", import.meta.url).pathname;

/** As many connections as 1024 descriptors leave room for, and in the long version as many as there are by default. */
const BOUNDS: readonly (readonly [string, readonly string[]])[] = [
  ["as many as 1024 descriptors leave room for", ["--max-connections", "896"]],
  ["as many as by default", []],
];

describe.each(ATTACKERS > 1000 ? BOUNDS : BOUNDS.slice(0, 1))(`${ATTACKERS} connections, %s`, (_what, options) => {
  // Resident memory is read from /proc.
  test.skipIf(process.platform !== "linux").each(Object.keys(KINDS))("%s", { timeout: 300_000 }, async (kind) => {
    const directory = scratch.fresh();
    const file = `${directory}-turn`;
    const env = { NODE_OPTIONS: `--import ${PROBE}`, TURN_FILE: file };
    const keelson = await Keelson.serve(["--data-dir", directory, "--port", "0", ...options], { env });
    const client = await Http2Client.connect(keelson, directory);
    const ask = (): Promise<unknown> => client.send("GET", CONFIG_MAPS);
    await p99(ask, () => existsSync(file));
    const before = keelson.residentMiB;

    const { port } = new URL(keelson.url);
    const attacker = spawn(process.execPath, [ATTACKER, kind, port, join(directory, "pki/ca.crt"), String(ATTACKERS)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let opened = false;
    void once(attacker.stdout, "data").then(() => (opened = true));
    const coming = await p99(ask, () => opened);
    const staying = await p99(ask, () => true);
    const more = keelson.residentMiB - before;
    // Somebody new with a credential finds room.
    const newcomer = await Http2Client.connect(keelson, directory);
    expect((await newcomer.send("GET", CONFIG_MAPS)).status).toBe(200);
    const turn = Number(readFileSync(file, "utf8"));
    console.log(
      `${kind}: p99 ${coming.toFixed(1)} ms while they come, ${staying.toFixed(1)} ms then; longest turn ` +
        `${turn.toFixed(1)} ms of CPU; ${more.toFixed(0)} MiB more than ${before.toFixed(0)}`,
    );
    attacker.kill("SIGKILL");
    const strangers = async (): Promise<number> => {
      const { text } = await client.send("GET", "/metrics");
      return Number(/^keelson_connections\{trusted="false"\} (\d+)$/m.exec(text)![1]);
    };
    await until(async () => (await strangers()) === 0);
    await keelson.stop("SIGKILL");
    expect(turn).toBeLessThan(MOST_TURN_MS);
    expect(more).toBeLessThan(MOST_MORE_MIB);
  });
});
