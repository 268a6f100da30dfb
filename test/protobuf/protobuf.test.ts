import { describe, expect, test } from "vitest";
import {
  DELETE_OPTIONS,
  PROTOBUF,
  type ProtobufKind,
  STATUS,
  decodeProtobuf,
  partialObjectMetadata,
} from "../../src/wire/protobuf/index.ts";
import { encodeProtobuf } from "../../src/wire/protobuf/envelope.ts";
import { binding } from "../../src/kinds/core/v1/binding.ts";
import { configMap } from "../../src/kinds/core/v1/configmap.ts";
import { serviceAccount } from "../../src/kinds/core/v1/service-account.ts";
import { eviction } from "../../src/kinds/policy/v1/eviction.ts";
import { tokenRequest } from "../../src/kinds/authentication/v1/group.ts";
import { field, fields } from "../../src/wire/protobuf/testing/fields.ts";
import { headersOf } from "../rules/answer.ts";
import { type Api, fresh, serve } from "../rules/api.ts";

interface Answered {
  readonly code: number;
  readonly type: string | null;
  readonly bytes: Buffer;
}

/** A client that sends and takes protobuf only. */
function packed(api: Api) {
  const headers = { "content-type": PROTOBUF, accept: PROTOBUF };
  const send = async (
    method: string,
    path: string,
    body?: Uint8Array,
    more: Record<string, string> = {},
  ): Promise<Answered> => {
    const answer = await api.raw(method, path, body, { headers: { ...headers, ...more } });
    return { code: answer.code, type: headersOf(answer.headers).get("content-type"), bytes: await answer.bytes() };
  };
  return {
    send,
    /** Sends an object and reads the answer as the same kind. */
    async object(method: string, path: string, kind: ProtobufKind, object: object, answered: ProtobufKind = kind) {
      const answer = await send(method, path, Uint8Array.from(encodeProtobuf(object, kind)));
      // oxlint-disable-next-line typescript/no-explicit-any
      const read: any =
        answer.code < 300 ? decodeProtobuf(answer.bytes, answered) : decodeProtobuf(answer.bytes, STATUS);
      return { ...answer, read };
    },
  };
}

const collection = (ns: string): string => `/api/v1/namespaces/${ns}/configmaps`;

describe.each(["neutral", "kubernetes"])("a client of the %s dialect that knows protobuf only", (dialect) => {
  const api = serve({ dialect });
  const client = packed(api);
  const namespace = async (): Promise<string> => {
    const ns = fresh("ns");
    await api.post("/api/v1/namespaces", { metadata: { name: ns } });
    return ns;
  };

  test("creates, reads, updates and deletes", async () => {
    const ns = await namespace();
    const sent = { metadata: { name: "c", labels: { a: "b" } }, data: { k: "v" }, binaryData: { f: "AP8B" } };
    const made = await client.object("POST", collection(ns), configMap, sent);
    expect(made).toMatchObject({ code: 201, type: PROTOBUF, read: { kind: "ConfigMap", apiVersion: "v1", ...sent } });
    expect((await api.get(`${collection(ns)}/c`)).body).toEqual(made.read);
    const next = await client.object("PUT", `${collection(ns)}/c`, configMap, { ...made.read, data: { k: "w" } });
    expect(next).toMatchObject({ code: 200, read: { data: { k: "w" } } });
    const stale = await client.object("PUT", `${collection(ns)}/c`, configMap, made.read);
    expect(stale).toMatchObject({ code: 409, type: PROTOBUF, read: { kind: "Status", reason: "Conflict", code: 409 } });
    const wrong = { preconditions: { uid: "other" } };
    expect(await client.object("DELETE", `${collection(ns)}/c`, DELETE_OPTIONS, wrong)).toMatchObject({ code: 409 });
    const options = { preconditions: { uid: made.read.metadata.uid } };
    const gone = await client.object("DELETE", `${collection(ns)}/c`, DELETE_OPTIONS, options, STATUS);
    expect(gone).toMatchObject({ code: 200, type: PROTOBUF, read: { status: "Success", details: { name: "c" } } });
    const none = await client.send("GET", `${collection(ns)}/c`);
    expect({ ...none, bytes: decodeProtobuf(none.bytes, STATUS) }).toMatchObject({
      code: 404,
      type: PROTOBUF,
      bytes: { reason: "NotFound", details: { name: "c", kind: "configmaps" } },
    });
  });

  test("lists pages of objects, and of their metadata", async () => {
    const ns = await namespace();
    for (const name of ["a", "b", "c"]) {
      await api.post(collection(ns), { metadata: { name, labels: { own: "yes" } }, data: { k: name } });
    }
    const page = await client.send("GET", `${collection(ns)}?limit=2&labelSelector=own`);
    expect(page).toMatchObject({ code: 200, type: PROTOBUF });
    expect(field(page.bytes.subarray(4), 1, 2).toString()).toBe("ConfigMapList");
    const items = fields(field(page.bytes.subarray(4), 2)).get(2)!;
    expect(items.map((item) => field(item, 1, 1).toString())).toEqual(["a", "b"]);
    expect(items.map((item) => field(item, 2, 2).toString())).toEqual(["a", "b"]);
    const next = field(page.bytes.subarray(4), 2, 1, 3).toString();
    const last = await client.send(
      "GET",
      `${collection(ns)}?limit=2&labelSelector=own&continue=${encodeURIComponent(next)}`,
    );
    expect(fields(field(last.bytes.subarray(4), 2)).get(2)).toHaveLength(1);
    const accept = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const metadata = await client.send("GET", `${collection(ns)}?labelSelector=own`, undefined, { accept });
    expect(field(metadata.bytes.subarray(4), 1, 2).toString()).toBe("PartialObjectMetadataList");
    expect(
      fields(field(metadata.bytes.subarray(4), 2))
        .get(2)!
        .map((item) => [...fields(item).keys()]),
    ).toEqual([[1], [1], [1]]);
    const one = await client.send("GET", `${collection(ns)}/a`, undefined, { accept: accept.replace("List", "") });
    expect(decodeProtobuf(one.bytes, partialObjectMetadata("v1"))).toMatchObject({ metadata: { name: "a" } });
  });

  test("deletes a collection", async () => {
    const ns = await namespace();
    await api.post(collection(ns), { metadata: { name: "a", labels: { own: "yes" } } });
    const answer = await client.send("DELETE", `${collection(ns)}?labelSelector=own`);
    expect(answer).toMatchObject({ code: 200, type: PROTOBUF });
    expect(field(answer.bytes.subarray(4), 1, 2).toString()).toBe(dialect === "neutral" ? "Status" : "ConfigMapList");
    expect((await api.get(`${collection(ns)}/a`)).status).toBe(404);
  });

  test("SUP-7: asks for a token, and gets a TokenRequest", async () => {
    const ns = await namespace();
    await client.object("POST", `/api/v1/namespaces/${ns}/serviceaccounts`, serviceAccount, {
      metadata: { name: "s" },
    });
    const answer = await client.object("POST", `/api/v1/namespaces/${ns}/serviceaccounts/s/token`, tokenRequest, {
      spec: {},
    });
    expect(answer).toMatchObject({ code: 201, read: { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1" } });
    expect(answer.read.status.token.split(".")).toHaveLength(3);
  });

  test("KIND-Pod-8, KIND-PodDisruptionBudget-7: what is asked of a Pod is asked in protobuf, and a Status answers", async () => {
    const ns = await namespace();
    const pods = `/api/v1/namespaces/${ns}/pods`;
    const metadata = { name: "x" };
    await api.post(pods, { metadata, spec: { containers: [{ name: "c", image: "i" }] } });
    const target = { kind: "Node", name: "n" };
    const bound = await client.object("POST", `${pods}/x/binding`, binding, { metadata, target }, STATUS);
    const deleteOptions = { gracePeriodSeconds: 5 };
    const evicted = await client.object("POST", `${pods}/x/eviction`, eviction, { metadata, deleteOptions }, STATUS);
    for (const answer of [bound, evicted]) expect(answer).toMatchObject({ code: 201, read: { status: "Success" } });
    expect((await api.get(`${pods}/x`)).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 5 },
      spec: { nodeName: "n" },
    });
  });

  test("DEC-28: watches, with the end of the initial events in the words that Go clients wait for", async () => {
    const ns = await namespace();
    await api.post(collection(ns), { metadata: { name: "a", labels: { own: "yes" } } });
    const query =
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    const watched = client.send("GET", `${collection(ns)}?${query}&labelSelector=own`);
    await api.pass(2000);
    const answer = await watched;
    expect(answer).toMatchObject({ code: 200, type: `${PROTOBUF};stream=watch` });
    const events: { type: string; object: unknown }[] = [];
    for (let at = 0; at < answer.bytes.length;) {
      const length = answer.bytes.readUInt32BE(at);
      const event = answer.bytes.subarray(at + 4, at + 4 + length);
      const object = decodeProtobuf(field(event, 2, 1), configMap);
      events.push({ type: field(event, 1).toString(), object });
      at += 4 + length;
    }
    expect(events.slice(0, 2)).toMatchObject([
      { type: "ADDED", object: { metadata: { name: "a" } } },
      { type: "BOOKMARK", object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
    ]);
  });

  test("DEC-18: bodies that are not what they say are 400, and told in protobuf", async () => {
    const path = collection(await namespace());
    const bodies: [Uint8Array<ArrayBuffer>, RegExp][] = [
      [new Uint8Array(0), /four bytes/],
      [Uint8Array.from(Buffer.from('{"kind":"ConfigMap"}')), /four bytes/],
      [Uint8Array.from([...Buffer.from("k8s\0"), 0x12, 5, 0x0a]), /at most 1 bytes/],
      [Uint8Array.from([...Buffer.from("k8s\0"), 0x12, 3, 0x7a, 1, 65]), /field 15/],
      [
        Uint8Array.from(encodeProtobuf({ metadata: { name: "s" } }, serviceAccount)),
        /kind "ConfigMap", got "ServiceAccount"/,
      ],
    ];
    for (const [body, message] of bodies) {
      const { code, type, bytes } = await client.send("POST", path, body);
      expect({ code, type }).toEqual({ code: 400, type: PROTOBUF });
      expect(decodeProtobuf(bytes, STATUS)).toMatchObject({
        reason: "BadRequest",
        message: expect.stringMatching(message),
      });
    }
  });

  test("DEC-17: the first form that can be given is given; a table is never protobuf", async () => {
    const ns = await namespace();
    const get = async (accept: string) => (await client.send("GET", collection(ns), undefined, { accept })).type;
    expect(await get(`${PROTOBUF},application/json`)).toBe(PROTOBUF);
    expect(await get(`application/json,${PROTOBUF}`)).toBe("application/json");
    expect(await get(`${PROTOBUF}, */*`)).toBe(PROTOBUF);
    expect(await get(`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,${PROTOBUF}`)).toBe(PROTOBUF);
    const table = await client.send("GET", collection(ns), undefined, {
      accept: `${PROTOBUF};as=Table;g=meta.k8s.io;v=v1`,
    });
    expect(table.code).toBe(406);
  });

  test("DEC-17: a patch is never protobuf, and documents have no protobuf form", async () => {
    const body = Uint8Array.from(encodeProtobuf({ metadata: { name: "c" } }, configMap));
    const accept = "application/json";
    expect((await client.send("PATCH", `${collection(await namespace())}/c`, body, { accept })).code).toBe(415);
    expect((await client.send("GET", "/version")).code).toBe(406);
  });
});

describe("kinds without a protobuf form", () => {
  const client = packed(serve({ dialect: "neutral" }));
  const classes = "/apis/storage.svc.io/v1/storageclasses";

  test("DEC-17: their bodies are 415, and who takes nothing else gets 406", async () => {
    const body = Uint8Array.from(encodeProtobuf({ metadata: { name: "c" } }, configMap));
    expect(await client.send("POST", classes, body, { accept: "application/json" })).toMatchObject({
      code: 415,
      type: "application/json",
    });
    expect(await client.send("GET", classes)).toMatchObject({ code: 406, type: PROTOBUF });
  });
});
