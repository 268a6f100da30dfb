/**
 * Requests that are begun and not ended: answers that are never read, bodies of which a byte comes.
 *
 * @module
 */
import { TYPE, SETTING, frame, requestBlock } from "../../src/http2/testing/frames.ts";
import { CONFIG_MAPS, type Http2Client, configMap } from "../serve/keelson.ts";
import { TOKEN, type Target } from "./target.ts";
import { Wire, headersOf, request } from "./wire.ts";

/** As many streams as the server lets one connection have. */
export const EACH = 250;

/** So many of something. */
export const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const bearer = (token: string) => ["authorization", `Bearer ${token}`] as const;

/** The headers of the admin. */
export const AUTHORIZATION: readonly [string, string] = bearer(TOKEN);

/** Begins requests on as many connections as they need, of which no answer is ever read. */
export async function begin(
  target: Target,
  count: number,
  bytes: (stream: number) => Buffer,
  each = EACH,
): Promise<Wire[]> {
  const wires: Wire[] = [];
  for (let left = count; left > 0; left -= each) {
    const wire = await Wire.begin(target, [[SETTING.initialWindowSize, 0]]);
    wire.send(...list(Math.min(each, left), (i) => bytes(2 * i + 1)));
    wires.push(wire);
  }
  return wires;
}

/** A list; of one that {@link fill} has made long nothing is sent before a client reads. */
export const unreadList = (stream: number, token = TOKEN): Buffer => request(stream, CONFIG_MAPS, [bearer(token)]);

/** The object that {@link fill} has created, in a form that is computed again for each response. */
export const unreadYaml = (stream: number, token = TOKEN): Buffer =>
  request(stream, `${CONFIG_MAPS}/large`, [bearer(token), ["accept", "application/yaml"]]);

/** A POST of which one byte comes. */
export const slowPost = (stream: number, token = TOKEN): Buffer => {
  const block = requestBlock("POST", CONFIG_MAPS, [bearer(token), ["content-type", "application/json"]]);
  return Buffer.concat([headersOf(stream, block, 0), frame(TYPE.data, 0, stream, Buffer.from("{"))]);
};

/** Creates so many objects that a list cannot be sent before a client reads. */
export async function fill(client: Http2Client): Promise<void> {
  await client.send("POST", CONFIG_MAPS, configMap("large", { text: "x".repeat(900_000) }));
}
