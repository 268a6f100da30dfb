/**
 * The logs of simulated Pods as clients of a port read them, and commands beside them.
 */
import https from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, type Endpoint, createCluster } from "../../src/testing/index.ts";

let cluster: Cluster;
let endpoint: Endpoint;
beforeAll(async () => {
  cluster = await createCluster({ nodes: 1 });
  endpoint = await cluster.listen();
  cluster.image("talker", async (ctx) => {
    await ctx.ready();
    for (let i = 0; i < 10; i++) {
      ctx.log(`line ${i} of start ${ctx.attempt}`);
      await ctx.sleep("1s");
    }
    if (ctx.attempt === 0) await ctx.exit(1);
    await ctx.untilTerminated();
    ctx.log("terminated");
  });
  await cluster.apply(Pod, {
    metadata: { name: "talker", namespace: "default" },
    spec: { containers: [{ name: "c", image: "talker" }] },
  });
  await cluster.clock.advance("30s");
});
afterAll(async () => {
  await endpoint.close();
  await cluster.close();
});

const request = (path: string): Promise<{ code: number; text: string; pieces: () => string }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${endpoint.token}` };
    https
      .get(`${endpoint.url}/api/v1/namespaces/default/pods/talker/${path}`, { ca: endpoint.ca, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        const done = (): void => resolve({ code: answer.statusCode!, text, pieces: () => text });
        if (path.includes("follow")) done();
        else answer.on("end", done);
      })
      .on("error", reject);
  });
const lines = async (query: string): Promise<string[]> => (await request(`log?${query}`)).text.split("\n").slice(0, -1);

describe("the log of a simulated container", () => {
  test("is that of its present start, or of the one before", async () => {
    expect(await lines("")).toEqual(Array.from({ length: 10 }, (_, i) => `line ${i} of start 1`));
    expect(await lines("previous=true&tailLines=2")).toEqual(["line 8 of start 0", "line 9 of start 0"]);
  });

  test("is cut by lines, time and bytes; lines have their times where that is asked for", async () => {
    expect(await lines("tailLines=1")).toEqual(["line 9 of start 1"]);
    expect(await lines("tailLines=0")).toEqual([]);
    const [stamped] = await lines("tailLines=1&timestamps=true");
    expect(stamped).toMatch(/^2026-01-01T00:00:\d\d\.000000000Z line 9 of start 1$/);
    const since = stamped!.slice(0, 30);
    expect(await lines(`sinceTime=${since}`)).toEqual(["line 9 of start 1"]);
    const seconds = Math.round((cluster.clock.now() - Date.parse(since)) / 1000);
    expect(await lines(`sinceSeconds=${seconds + 1}`)).toEqual(["line 8 of start 1", "line 9 of start 1"]);
    expect((await request("log?limitBytes=6")).text).toBe("line 0");
  });

  test("a follower gets each line as it is written, and the end; it is no work that settled waits for", async () => {
    const { pieces } = await request("log?follow=true&tailLines=0");
    await cluster.client().resource(Pod).delete({ namespace: "default", name: "talker" });
    await cluster.clock.advance("31s");
    await expect.poll(pieces).toBe("terminated\n");
    expect((await request("log")).code).toBe(404);
  });
});

test("a command over WebSocket is answered by the script, and recorded as a request", async () => {
  cluster.image("shell", async (ctx) => {
    ctx.on.exec((command, stdin) => ({ stdout: `${command.join(" ")}: ${stdin ?? "nothing"}`, stderr: "!", code: 5 }));
    await ctx.untilTerminated();
  });
  await cluster.apply(Pod, {
    metadata: { name: "shell", namespace: "default" },
    spec: { containers: [{ name: "c", image: "shell" }] },
  });
  await cluster.clock.advance("5s");
  const url = `${endpoint.url.replace("https", "wss")}/api/v1/namespaces/default/pods/shell/exec?command=a&command=b&stdin=1&stdout=1&stderr=1`;
  const headers = { authorization: `Bearer ${endpoint.token}` };
  const socket = new WebSocket(url, ["v5.channel.k8s.io"], { ca: endpoint.ca, headers });
  const texts: Record<number, string> = {};
  socket.on("message", (data) => {
    const [channel] = data as Buffer;
    texts[channel!] = (texts[channel!] ?? "") + (data as Buffer).subarray(1).toString();
  });
  socket.on("open", () => {
    socket.send(Buffer.concat([Uint8Array.of(0), Buffer.from("input")]));
    socket.send(Uint8Array.of(255, 0));
  });
  const code = await new Promise((resolve, reject) => socket.on("close", resolve).on("error", reject));
  expect(code).toBe(1000);
  expect(texts).toMatchObject({ 1: "a b: input", 2: "!", 3: expect.stringContaining('"ExitCode","message":"5"') });
  expect(cluster.requests().some(({ subresource }) => subresource === "exec")).toBe(true);
});
