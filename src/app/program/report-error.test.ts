import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { nodeTransport } from "../../client/transport-node.ts";
import { CliError } from "../../cli/cli-error.ts";
import { reportError } from "./report-error.ts";

function told(error: Error): string {
  const lines: string[] = [];
  expect(reportError(error, 1, (message) => lines.push(message))).toBe(1);
  return lines.join("\n");
}

test("a connection that is refused says what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const transport = nodeTransport({ url: `https://127.0.0.1:${port}` });
  const failed = await transport({ method: "GET", path: "/api", headers: {} }).then(
    () => new Error("expected a refusal"),
    (error: Error) => error,
  );
  transport.close();
  expect(told(failed)).toBe(
    `no response from https://127.0.0.1:${port} to GET /api: connect ECONNREFUSED 127.0.0.1:${port}; ` +
      "nothing listens there: start the server, or use the kubeconfig of another one",
  );
});

test("an expected error is its message, any other one its stack", () => {
  expect(told(new CliError("expected a file"))).toBe("expected a file");
  expect(told(new TypeError("wrong"))).toMatch(/^TypeError: wrong\n +at /);
});
