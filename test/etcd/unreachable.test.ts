import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { Scratch, run } from "../serve/keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

test(
  "a server that cannot reach any member says so and ends, whether they refuse connections or break them",
  { timeout: 120_000 },
  async () => {
    const breaking = createServer((socket) => socket.resetAndDestroy()).listen(0, "127.0.0.1");
    await once(breaking, "listening");
    const { port } = breaking.address() as { port: number };
    try {
      for (const url of [`http://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
        const args = ["--data-dir", scratch.fresh(), "--port", "0", "--store", "etcd", "--etcd-servers", url];
        const { code, stderr } = await run(["serve", ...args]);
        expect(stderr).toContain("keelson: ");
        expect(stderr).not.toContain("await main");
        expect(code).toBe(1);
      }
    } finally {
      breaking.close();
    }
  },
);
