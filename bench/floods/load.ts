import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";

/** What a thread of clients does. */
export interface Load {
  readonly url: string;
  /** The authority of its certificate. */
  readonly ca: string;
  /** The tokens of its clients. */
  readonly tokens: readonly string[];
  readonly kind: "reads" | "gets" | "lists" | "writes" | "watches";
  readonly objects: number;
  readonly seconds: number;
  /** Requests that each client has under way at a time. */
  readonly deep: number;
  /** Ms between two requests of a client that reads. */
  readonly pause: number;
}

/** What came of it. */
export interface LoadResult {
  /** Of each answer with 200, in ms. */
  readonly millis: readonly number[];
  readonly refused: number;
}

/** Where the objects are. */
export const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";

/** One request. */
export interface Ask {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  /** Of the body. */
  readonly type?: string;
}

/** Asks as all clients do, for as long as was said. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const millis: number[] = [];
  let refused = 0;
  let until = 0;
  let next = 0;
  const client = async (session: ClientHttp2Session, token: string): Promise<void> => {
    await sleep(Math.random() * load.pause);
    while (performance.now() < until) {
      const began = performance.now();
      const code = await ask(session, token, askOf(load, next++)).catch(() => 0);
      if (code < 300 && code > 0) millis.push(performance.now() - began);
      else refused++;
      // Who is refused comes back soon, though not at once: a flood that keeps to Retry-After is none.
      await sleep(code === 429 ? 10 : load.pause);
    }
  };
  const sessions = load.tokens.map(() => connect(load.url, { ca: load.ca }));
  // Handshakes are no requests: they are over before the time is taken.
  await Promise.all(sessions.map((session) => once(session, "connect")));
  until = performance.now() + load.seconds * 1000;
  await Promise.all(
    sessions.flatMap((session, i) => Array.from({ length: load.deep }, () => client(session, load.tokens[i]!))),
  );
  for (const session of sessions) session.destroy();
  return { millis, refused };
}

function askOf({ kind, objects }: Load, i: number): Ask {
  const name = `c-${(i * 7919) % objects}`;
  if (kind === "lists") return { path: CONFIGMAPS };
  if (kind === "watches") return { path: `${CONFIGMAPS}?watch=1&timeoutSeconds=1` };
  if (kind === "reads" || kind === "gets") return { path: `${CONFIGMAPS}/${name}` };
  const body = JSON.stringify({ data: { value: `${i}`, pad: "y".repeat(900) } });
  return { path: `${CONFIGMAPS}/${name}`, method: "PATCH", body, type: "application/merge-patch+json" };
}

/** Asks once; resolves to the code when the whole answer is there. */
export function ask(
  session: ClientHttp2Session,
  token: string,
  { path, method = "GET", body, type }: Ask,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":path": path,
      ":method": method,
      authorization: `Bearer ${token}`,
      ...(type === undefined ? {} : { "content-type": type }),
    });
    let code = 0;
    stream.on("response", (headers) => (code = Number(headers[":status"])));
    stream.on("data", () => {});
    stream.on("end", () => resolve(code));
    stream.on("error", reject);
    stream.on("close", () => resolve(code));
    stream.end(body);
  });
}

const sleep = (ms: number): Promise<void> =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
