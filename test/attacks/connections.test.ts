/**
 * Many who hold connections and show no credential, against the real executable: what they cost, and that a client with
 * a credential goes on. `ATTACKERS=10000` plays the long version.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect } from "vitest";
import { KINDS } from "../../src/server/testing/attackers.ts";
import { CONFIG_MAPS, Scratch, until } from "../serve/keelson.ts";
import { ATTACKERS, type Attack, LONG, type Row, SHORT, attacks, someOf } from "./rows.ts";

const STAYING_MS = 300;
const ATTACKER = new URL("attacker.ts", import.meta.url).pathname;

type Kind = keyof typeof KINDS;

/**
 * Others hold connections in one way: who has shown a credential keeps his, who comes with one finds room, and when they
 * go nothing is left of them.
 */
const held =
  (kind: Kind, count: number) =>
  async ({ target, client }: Attack): Promise<void> => {
    expect((await client.send("GET", CONFIG_MAPS)).status).toBe(200);
    const files = [String(target.port), join(target.directory, "pki/ca.crt")];
    const attacker = spawn(process.execPath, [ATTACKER, kind, ...files, String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(attacker.stdout, "data");
      await sleep(STAYING_MS);
      const newcomer = await target.connect();
      expect((await newcomer.send("GET", CONFIG_MAPS)).status).toBe(200);
      newcomer.session.destroy();
      expect((await client.send("GET", CONFIG_MAPS)).status).toBe(200);
    } finally {
      attacker.kill("SIGKILL");
    }
    await until(async () => (await target.metric('keelson_connections{trusted="false"}')) === 0);
  };

/** What so many connections have left, with their native halves, is collected in one turn. */
const THOUSANDS = 2000;

const row = (kind: Kind, count = ATTACKERS): Row => ({
  name: kind,
  play: held(kind, count),
  bounds: count > THOUSANDS ? { turnMillis: 200, healthyMillis: 100 } : {},
});

const FILE = "test/attacks/connections.test.ts";
/** The usual run plays every second kind, chosen by `SEED`. */
const ALL = someOf(Object.keys(KINDS) as Kind[], 2).map((kind) => row(kind));

attacks(`${ATTACKERS} connections, as many as 1,024 descriptors leave room for`, FILE, ALL, {
  args: ["--max-connections", "896"],
});
if (LONG) attacks(`${ATTACKERS} connections, as many as by default`, FILE, ALL);

const UNREAD = SHORT ? 200 : 400;
attacks(`${UNREAD} connections and a heap of 128 MB`, FILE, [row("many answers that are never read", UNREAD)], {
  env: { NODE_OPTIONS: "--max-old-space-size=128" },
});

const scratch = new Scratch();
afterAll(() => scratch.remove());
const fewDescriptors = join(scratch.path, "node-with-1024-descriptors");
writeFileSync(fewDescriptors, `#!/bin/sh\nulimit -n 1024\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });

attacks("989 connections and 1,024 descriptors", FILE, [row("silent", 989)], {
  node: fewDescriptors,
});
