/**
 * Spans of calls of etcd. An etcd that can trace sends its own spans to the same receiver, so that both sides are seen.
 */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findEtcd } from "../etcd/binary.ts";
import { startEtcd } from "../etcd/start.ts";
import { MAPS, MILLION, map, newHome, ofRequest, receiving, serverWith, shape } from "./kit.ts";

const found = await findEtcd();
/** Whether it has the flags for traces without `experimental` before them. */
const traces = found.path !== undefined && /^3\.([6-9]|\d\d)\./.test(found.version);

const CREATE = "POST /api/v1/namespaces/{:namespace}/configmaps";
const DELETE = "DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}";

test.runIf(found.path !== undefined)(
  "calls of etcd are parts of the request, and etcd continues its trace",
  async () => {
    const { spans, port } = await receiving();
    const etcd = await startEtcd({
      settings: traces
        ? { "enable-distributed-tracing": "true", "distributed-tracing-address": `127.0.0.1:${port}` }
        : {},
    });
    onTestFinished(() => etcd.close());
    const { server, send } = await serverWith(port, MILLION, {
      dev: false,
      "data-dir": join(newHome(), "data"),
      store: "etcd",
      "etcd-servers": etcd.endpoints.join(","),
    });
    expect((await send("POST", MAPS, map("a"))).code).toBe(201);
    // They wait for each other: each begins when the response to the one before arrives.
    const updates = ["b", "c", "d"].map((k) => send("PUT", `${MAPS}/a`, { ...map("a"), data: { k } }));
    expect((await Promise.all(updates)).map(({ code }) => code)).toEqual([200, 200, 200]);
    expect((await send("DELETE", `${MAPS}/a`)).code).toBe(200);
    const { text: metrics } = await send("GET", "/metrics");
    await server.close();
    const callsOf = (operation: string): number =>
      Number(
        new RegExp(`^etcd_request_duration_seconds_count\\{operation="${operation}"\\} (.*)$`, "m").exec(metrics)?.[1],
      );
    expect(callsOf("create")).toBeGreaterThanOrEqual(1);
    expect(callsOf("update")).toBeGreaterThanOrEqual(3);
    expect(callsOf("delete")).toBeGreaterThanOrEqual(1);
    expect(callsOf("list")).toBeGreaterThan(0);
    const ofServer = spans.filter(({ resource }) => resource["service.name"] === "apiserver");
    const shapeOf = (name: string): string[] => {
      const names = shape(ofRequest(ofServer, name));
      return names.slice(names.indexOf("    authorization") + 1);
    };
    const create = ofRequest(ofServer, CREATE);
    expect(shapeOf(CREATE)).toEqual([
      "    Create",
      "      Write to store",
      "        etcdserverpb.KV/Txn",
      "      SerializeObject",
    ]);
    // Before the write, the newest revision may be read for several requests at once.
    expect(shapeOf(DELETE).slice(-4)).toEqual([
      "      Write to store",
      "        etcdserverpb.KV/Range",
      "        etcdserverpb.KV/Txn",
      "      SerializeObject",
    ]);
    const put = ofServer.filter(({ name }) => name === DELETE.replace("DELETE", "PUT"));
    const written = put.map(({ traceId }) =>
      ofServer.filter((one) => one.traceId === traceId && one.name === "etcdserverpb.KV/Txn"),
    );
    expect(written.map(({ length }) => length)).toEqual([1, 1, 1]);
    const call = create.find(({ name }) => name === "etcdserverpb.KV/Txn")!;
    expect(call).toMatchObject({
      kind: 3,
      status: 0,
      attributes: {
        "rpc.system": "grpc",
        "rpc.service": "etcdserverpb.KV",
        "rpc.method": "Txn",
        "rpc.grpc.status_code": 0,
        "server.address": "127.0.0.1",
      },
    });
    if (!traces) return;
    const ofEtcd = () => spans.find(({ parentId, resource }) => parentId === call.spanId && resource !== call.resource);
    await expect.poll(() => ofEtcd()?.name).toBe("etcdserverpb.KV/Txn");
    expect(ofEtcd()).toMatchObject({ traceId: call.traceId, kind: 2 });
  },
);
