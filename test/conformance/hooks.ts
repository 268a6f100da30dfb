/**
 * A webhook server that does as its URL says, and remembers what it was asked: `/KEY/BEHAVIOUR/member=value`. It answers
 * reviews of conversion here, those of admission in `hooks-admission.ts`.
 *
 * `GET /ca` gives the certificate that signed its own (base64 of the PEM), `GET /seen/KEY` what was asked under a key,
 * `DELETE /seen/KEY` forgets that.
 *
 * @module
 */
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { authority, serving } from "../../src/pki/certificate.ts";
import { type AdmissionReview, reviewed } from "./hooks-admission.ts";

/** A running hook server. */
export interface HookServer extends AsyncDisposable {
  readonly url: string;
  /** The same without encryption, for those who look at what was asked. */
  readonly plainUrl: string;
  /** Base64 of the PEM that its certificate is signed by. */
  readonly ca: string;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Converted[];
  };
}

type Converted = {
  apiVersion: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  [member: string]: unknown;
};

/** Starts a hook server on a free port of the loopback. */
export async function startHookServer(): Promise<HookServer> {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const own = serving(ca, ["127.0.0.1", "localhost"], term);
  const seen = new Map<string, { tag: string | undefined; review: unknown }[]>();
  const base64 = Buffer.from(ca.cert).toString("base64");
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void text(request).then((body) => answer(request.method!, request.url!, body, response, seen, base64));
  };
  const servers = [createServer({ key: own.key, cert: own.cert }, handle), createPlainServer(handle)] as const;
  const [port, plainPort] = await Promise.all(
    servers.map(async (server) => {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    }),
  );
  return {
    url: `https://127.0.0.1:${port}`,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    ca: base64,
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      await Promise.all(servers.map((server) => once(server, "close")));
    },
  };
}

function answer(
  method: string,
  url: string,
  body: string,
  response: ServerResponse,
  seen: Map<string, { tag: string | undefined; review: unknown }[]>,
  ca: string,
): void {
  const send = (value: unknown, status = 200): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  };
  const [path = ""] = url.split("?");
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const [first, key = ""] = parts;
  if (first === "ca") return send({ ca });
  if (first === "seen") {
    const list = seen.get(key) ?? [];
    if (method === "DELETE") seen.delete(key);
    const tags = list.map(({ tag }) => tag);
    return send({
      count: list.length,
      tags,
      sorted: tags.toSorted((a = "", b = "") => (a < b ? -1 : 1)),
      reviews: list.map(({ review }) => review),
    });
  }
  const options = Object.fromEntries(parts.filter((part) => part.includes("=")).map(memberOf));
  const words = parts.filter((part) => !part.includes("="));
  const behaviour = words.at(-1) ?? "";
  const review = JSON.parse(body) as Review | AdmissionReview;
  if (words.length > 1) {
    const list = seen.get(words[0]!) ?? [];
    seen.set(words[0]!, [...list, { tag: options["tag"], review }]);
  }
  if (behaviour === "hangup") return void response.destroy();
  if (behaviour === "broken") return send("{ no JSON");
  if (behaviour === "empty") return send("");
  if (behaviour === "status") return send({ message: "as told" }, Number(options["code"] ?? 500));
  if (behaviour === "redirect") return void response.writeHead(302, { location: "/allow" }).end();
  if (isConversion(review)) return send(converted(review, behaviour, options));
  void reviewed(review, behaviour, options).then((answered) => send(answered));
}

const isConversion = (review: Review | AdmissionReview): review is Review => review.kind === "ConversionReview";

/** `code=403` as a member. */
function memberOf(part: string): [string, string] {
  const [name = "", ...value] = part.split("=");
  return [name, value.join("=")];
}

/** What a ConversionReview is answered. */
function converted(
  { apiVersion, kind, request }: Review,
  behaviour: string,
  options: Readonly<Record<string, string>>,
): unknown {
  const { uid, desiredAPIVersion, objects } = request;
  const all = objects.map((object) => inVersion(object, desiredAPIVersion, options["rename"] ?? "x:y"));
  const change = CHANGES[behaviour];
  const response =
    behaviour === "convert-fail"
      ? { uid, result: { status: "Failure", message: "cannot" } }
      : {
          uid: behaviour === "convert-wrong-uid" ? "other" : uid,
          convertedObjects: change ? change(all) : all,
          result: { status: "Success" },
        };
  return { apiVersion, kind, response };
}

/** `a:b`: spec.a of v1 is spec.b of other versions. */
function inVersion(object: Converted, wanted: string, rename: string): Converted {
  const out = structuredClone(object);
  const [ofV1 = "", ofOthers = ""] = rename.split(":");
  const isV1 = (version: string): boolean => version.endsWith("/v1");
  const [from, to] = isV1(object.apiVersion) ? [ofV1, ofOthers] : [ofOthers, ofV1];
  out.apiVersion = wanted;
  if (isV1(wanted) !== isV1(object.apiVersion) && out.spec?.[from] !== undefined) {
    out.spec[to] = out.spec[from];
    delete out.spec[from];
  }
  return out;
}

const withMetadata = (object: Converted, metadata: object): Converted => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

const MARK = { converted: "yes" };

const CHANGES: Readonly<Record<string, (all: readonly Converted[]) => readonly Converted[]>> = {
  "convert-fewer": (all) => all.slice(1),
  "convert-order": (all) => all.toReversed(),
  "convert-name": (all) => all.map((one) => withMetadata(one, { name: `${String(one.metadata["name"])}-x` })),
  "convert-uid": (all) => all.map((one) => withMetadata(one, { uid: "x" })),
  "convert-labels": (all) =>
    all.map((one) => withMetadata(one, { labels: MARK, annotations: MARK, finalizers: ["example.com/x"] })),
  "convert-version": (all) => all.map((one) => ({ ...one, apiVersion: "example.com/v9" })),
  "convert-invalid": (all) => all.map((one) => ({ ...one, spec: { x: "not an integer", y: "not an integer" } })),
};
