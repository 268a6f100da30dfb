import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { Keelson, Scratch, run } from "./keelson.ts";

const scratch = new Scratch();
afterAll(() => scratch.remove());

describe("keelson health", () => {
  test("tells the checks of the server of a data directory, and fails when it has stopped", async () => {
    const directory = scratch.fresh();
    const server = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    const ready = await run(["health", "--data-dir", directory]);
    expect(ready).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/^\[\+\]ping ok\n[^]*readyz check passed\n$/) as string,
    });
    const live = await run(["health", "--check", "livez", "--server", server.url]);
    expect(live).toMatchObject({ code: 0, stdout: expect.stringContaining("livez check passed") as string });
    await server.stop();
    const stopped = await run(["health", "--data-dir", directory]);
    expect(stopped).toMatchObject({
      code: 1,
      stderr: `keelson: expected a server to run on ${directory}, found none\n`,
    });
  });

  test("waits for a server that starts", async () => {
    const directory = scratch.fresh();
    const waiting = run(["health", "--data-dir", directory, "--wait", "30s"]);
    const server = await Keelson.serve(["--data-dir", directory, "--port", "0"]);
    expect(await waiting).toMatchObject({ code: 0 });
    await server.stop();
  });

  test("prints nothing that a terminal obeys", async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url!.startsWith("/livez") ? 500 : 200;
      response.end("\u001b]0;title\u0007\u001b[2Jfine\u202e\n");
    }).listen(0);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const shown = "\uFFFD]0;title\uFFFD\uFFFD[2Jfine\uFFFD";
    expect(await run(["health", "--server", url])).toMatchObject({ code: 0, stdout: `${shown}\n` });
    const failed = await run(["health", "--server", url, "--check", "livez"]);
    expect(failed.stderr).toBe(`keelson: expected 200 from ${url}/livez, got 500: ${shown}\n`);
  });

  test("fails where the answer is not 200, is late, or is without an end", async () => {
    const server = createServer((request, response) => {
      if (request.url!.startsWith("/livez")) return;
      response.statusCode = request.headers.host!.startsWith("localhost") ? 200 : 503;
      const write = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      if (response.statusCode === 503) response.end("[-]etcd failed");
      else {
        response.on("drain", write);
        write();
      }
    }).listen(0);
    onTestFinished(() => server.closeAllConnections());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    expect(await run(["health", "--server", url])).toMatchObject({
      code: 1,
      stderr: `keelson: expected 200 from ${url}/readyz, got 503: [-]etcd failed\n`,
    });
    expect(await run(["health", "--server", url, "--check", "livez", "--timeout", "200ms"])).toMatchObject({
      code: 1,
      stderr: `keelson: ${url} did not respond to /livez: no response within 200 ms\n`,
    });
    expect(await run(["health", "--server", `http://localhost:${port}`])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expected a response of at most 4194304 bytes") as string,
    });
    server.close();
  });

  test("refuses a duration that is none", async () => {
    expect(await run(["health", "--wait", "long"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected --wait to be a duration such as 5s, got long") as string,
    });
  });
});
