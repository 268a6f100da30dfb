import { afterAll, expect, test } from "vitest";
import { CONFIG_MAPS, Http2Client, Keelson, Scratch, WatchReader, configMap, run } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

test.each(["SIGTERM", "SIGKILL"] as const)(
  "--read-only serves what a server left that ended by %s, twice at once, and refuses every write",
  async (signal) => {
    const directory = scratch.fresh();
    const before = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    const writer = await Http2Client.connect(before, directory);
    const { json: kept } = await writer.send("POST", CONFIG_MAPS, configMap("kept", { colour: "red" }));
    const refused = await run(["serve", "--read-only", "--data-dir", directory, "--port", "0"]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`in use by process ${before.pid}`)]);
    await before.stop(signal);
    writer.session.destroy();

    const start = (): Promise<Keelson> => Keelson.serve(["--read-only", "--data-dir", directory, "--port", "0"]);
    const readers = await Promise.all([start(), start()]);
    for (const reader of readers) {
      const client = await Http2Client.connect(reader, directory);
      const list = await client.send("GET", CONFIG_MAPS);
      expect([list.status, list.json.items]).toEqual([200, [kept]]);
      const from = list.json.metadata.resourceVersion as string;
      const watch = new WatchReader(
        client.open("GET", `${CONFIG_MAPS}?watch=1&resourceVersion=${from}&timeoutSeconds=1`),
      );
      expect(await client.send("POST", CONFIG_MAPS, configMap("new"))).toMatchObject({
        status: 403,
        json: { reason: "Forbidden", message: expect.stringContaining("--read-only") },
      });
      expect((await client.send("DELETE", `${CONFIG_MAPS}/kept`)).status).toBe(403);
      // Until its own time is over, and in order.
      await watch.ended;
      expect(watch.events).toEqual([]);
      client.close();
    }
    await Promise.all(readers.map((reader) => reader.stop()));
  },
);
