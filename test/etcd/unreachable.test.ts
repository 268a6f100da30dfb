import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { Keelson, Scratch, run } from "../serve/keelson.ts";
import { Proxy } from "./proxy.ts";
import { hasEtcd, startEtcd } from "./start.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

test(
  "a server that cannot reach any member says so and ends, whether they refuse connections or break them",
  { timeout: 120_000, concurrent: true },
  async () => {
    const breaking = createServer((socket) => socket.resetAndDestroy()).listen(0, "127.0.0.1");
    await once(breaking, "listening");
    const { port } = breaking.address() as { port: number };
    try {
      const urls = [`http://127.0.0.1:${port}`, "http://127.0.0.1:1"];
      const ends = urls.map((url) => {
        const args = ["--data-dir", scratch.fresh(), "--port", "0", "--store", "etcd", "--etcd-servers", url];
        return run(["serve", ...args]);
      });
      for (const { code, stderr } of await Promise.all(ends)) {
        expect(stderr).toContain("keelson: ");
        expect(stderr).not.toContain("await main");
        expect(code).toBe(1);
      }
    } finally {
      breaking.close();
    }
  },
);

test.skipIf(!(await hasEtcd()))(
  "a server that has lost every member still ends in order",
  { timeout: 120_000, concurrent: true },
  async () => {
    const etcd = await startEtcd();
    const proxy = await Proxy.to(etcd.endpoints[0]!);
    try {
      const where = ["--store", "etcd", "--etcd-servers", proxy.url];
      const server = await Keelson.serve(["--data-dir", scratch.fresh(), "--port", "0", ...where]);
      proxy.refuse(true);
      proxy.cut();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await server.stop("SIGTERM")).toEqual({ code: 0, signal: null });
    } finally {
      proxy.close();
      await etcd.close();
    }
  },
);
