/**
 * Those who make a server remember: names that are long, or many, in every place of a request, by a stranger and by an
 * account without roles. What is remembered of them has a bound in bytes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { client as clientCertificate } from "../../src/pki/index.ts";
import { authority } from "../../src/pki/certificate.ts";
import { requestBlock } from "../../src/http2/testing/frames.ts";
import { Scratch } from "../serve/keelson.ts";
import { list } from "./begun.ts";
import { type Attack, LONG, type Row, SHORT, attacks, becomes } from "./rows.ts";
import { Wire, headersOf } from "./wire.ts";

const TOKEN = "the-token-of-an-account-without-roles";

/** The users, by the headers that they send. */
const WHO: readonly (readonly [name: string, headers: Headers])[] = [
  ["nobody", []],
  ["an account without roles", [["authorization", `Bearer ${TOKEN}`]]],
];

type Headers = readonly (readonly [name: string, value: string])[];

/** A request with a name somewhere. */
interface Named {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Headers;
}

/** A place of a request where a name may stand. */
type Place = (name: string) => Named;

const at =
  (path: string): Place =>
  (name) => ({ path: path.replace("NAME", name) });

const IN_PATHS: readonly Place[] = [
  at("/api/v1/namespaces/NAME/pods"),
  at("/api/v1/namespaces/n/pods/NAME"),
  at("/api/v1/namespaces/n/NAME/a"),
  at("/api/v1/namespaces/n/pods/a/NAME"),
  at("/api/NAME/namespaces/n/pods"),
  at("/apis/NAME/v1/namespaces/n/pods"),
  at("/apis/apps/v1/NAME"),
  at("/apis/NAME"),
  at("/NAME"),
  at("/healthz/NAME"),
  at("/openapi/v3/apis/NAME/v1"),
];

const IN_QUERIES: readonly Place[] = [
  "NAME=x",
  "x=NAME",
  "labelSelector=NAME%3Dx",
  "fieldSelector=metadata.name%3DNAME",
  "continue=NAME",
  "resourceVersion=NAME",
  "fieldManager=NAME",
  "timeout=NAME",
  "watch=true&labelSelector=NAME",
].map((query) => at(`/api/v1/namespaces/n/pods?${query}`));

const header =
  (name: string, value = "NAME", more: Headers = []): Place =>
  (text) => ({ headers: [[name, value.replace("NAME", text)], ...more] });

const IN_HEADERS: readonly Place[] = [
  header("user-agent"),
  header("accept"),
  header("accept", "application/json;as=NAME;g=meta.k8s.io;v=v1"),
  header("content-type"),
  header("if-match"),
  header("if-none-match"),
  header("audit-id"),
  header("x-forwarded-for", "2001:db8::aaaa:bbbb, NAME"),
  header("x-remote-user"),
  header("x-remote-group"),
  header("cookie"),
  (name) => ({ method: name.toUpperCase() }),
];

const IMPERSONATED: readonly Place[] = [
  header("impersonate-user"),
  header("impersonate-user", "system:serviceaccount:n:NAME"),
  header("impersonate-group", "NAME", [["impersonate-user", "x"]]),
  header("impersonate-uid", "NAME", [["impersonate-user", "x"]]),
  header("impersonate-extra-key", "NAME", [["impersonate-user", "x"]]),
  (name) => ({
    headers: [
      ["impersonate-user", "x"],
      [`impersonate-extra-${name}`, "value"],
    ],
  }),
];

const CREDENTIALS: readonly Place[] = [
  header("authorization", "Bearer NAME"),
  header("authorization", "Bearer eyJhbGciOiJSUzI1NiJ9.NAME.c2ln"),
  header("authorization", "NAME"),
];

const ALL: readonly Place[] = [...IN_PATHS, ...IN_QUERIES, ...IN_HEADERS, ...IMPERSONATED];

const AT_ONCE = 4;
/** Of each name; one alone would be kept without harm. */
const LARGE = LONG ? 100 : SHORT ? 4 : 10;
const LENGTH = 900_000;
const SMALL = LONG ? 2000 : SHORT ? 20 : 100;
/** Requests on one connection. */
const TOGETHER = 5;

/** Does something so many times, a few at once. */
async function each(count: number, play: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const some = async (): Promise<void> => {
    while (next < count) await play(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
}

/** The `i`th of the requests with a name of so many characters, each another one, in one of the places. */
function namedBy(places: readonly Place[], i: number, length: number): Required<Named> {
  const name = `${String(i).padStart(8, "0")}${"n".repeat(length)}`;
  return { method: "GET", path: "/api/v1/namespaces/n/pods", headers: [], ...places[i % places.length]!(name) };
}

/** Asks with long names: by HTTP/1.1, where one header may have all the room that there is for headers. */
const asksLong =
  (who: Headers, places: readonly Place[]) =>
  async ({ target }: Attack): Promise<void> => {
    await each(LARGE * places.length, async (i) => {
      const { method, path, headers } = namedBy(places, i, LENGTH);
      const wire = await Wire.open(target, "http/1.1");
      const lines = [...who, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
      wire.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join("")}\r\n`);
      expect(await becomes(() => wire.closed || wire.codes.length > 0)).toBe(true);
      wire.destroy();
    });
  };

/** Asks with many names, some on each connection. */
const asksOften =
  (who: Headers, places: readonly Place[]) =>
  async ({ target }: Attack): Promise<void> => {
    const blockOf = (i: number): Buffer => {
      const { method, path, headers } = namedBy(places, i, 192);
      return requestBlock(method, path, [...who, ...headers]);
    };
    await each((SMALL * places.length) / TOGETHER, async (i) => {
      const wire = await Wire.begin(target);
      wire.send(...list(TOGETHER, (k) => headersOf(2 * k + 1, blockOf(i * TOGETHER + k))));
      expect(await becomes(() => wire.closed || wire.answers >= TOGETHER)).toBe(true);
      wire.destroy();
    });
  };

/** Shows certificates of an unknown authority, each with other long names. */
async function certificates({ target }: Attack): Promise<void> {
  const term = { now: Date.now(), days: 1 };
  const unknown = authority(term);
  await each(LARGE, async (i) => {
    const name = `${i}${"n".repeat(20_000)}`;
    const { cert, key } = clientCertificate(unknown, name, [`g${name}`], term);
    const wire = await Wire.open(target, "http/1.1", { cert, key });
    wire.send("GET /api/v1/namespaces/n/pods HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(await becomes(() => wire.closed || wire.got.length > 50)).toBe(true);
    wire.destroy();
  });
}

const BOUNDS = { keptMiB: 5 };

const rowsOf = ([who, headers]: (typeof WHO)[0]): Row[] => [
  { name: `names of 900 kB in paths, by ${who}`, play: asksLong(headers, IN_PATHS), bounds: BOUNDS },
  { name: `names of 900 kB in queries, by ${who}`, play: asksLong(headers, IN_QUERIES), bounds: BOUNDS },
  { name: `names of 900 kB in headers, by ${who}`, play: asksLong(headers, IN_HEADERS), bounds: BOUNDS },
  {
    name: `names of 900 kB of others whom one wants to be, by ${who}`,
    play: asksLong(headers, IMPERSONATED),
    bounds: BOUNDS,
  },
  {
    name: `${SMALL} names of 200 bytes in each place of a request, by ${who}`,
    play: asksOften(headers, ALL),
    // Those that there may be are remembered, up to a bound.
    bounds: { keptMiB: 20 },
  },
];

const ROWS: readonly Row[] = [
  ...WHO.flatMap(rowsOf),
  { name: "credentials of 900 kB", play: asksLong([], CREDENTIALS), bounds: BOUNDS },
  { name: "certificates of an unknown authority with names of 20 kB", play: certificates, bounds: BOUNDS },
];

const scratch = new Scratch();
afterAll(() => scratch.remove());
const users = join(scratch.path, "users.csv");
writeFileSync(users, `${TOKEN},min,1\n`);

attacks("Long names and many names", "test/attacks/names.test.ts", ROWS, {
  args: ["--dialect=kubernetes", `--token-auth-file=${users}`],
});
