import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { type SealedSession, SessionSeals } from "./sealed-session.ts";

const newKey = (): string =>
  String(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }));
const session: SealedSession = {
  id: "a",
  user: "u",
  begun: 1,
  ends: 2,
  credential: { kind: "token", token: "a secret of somebody" },
};
const seals = new SessionSeals(newKey);
const key = newKey();
const ours = new SessionSeals(() => key);
const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("a session is read only with the same key", async () => {
  const sealed = await ours.seal(session);
  expect(await new SessionSeals(() => key).open(sealed)).toEqual(session);
  expect(await seals.open(sealed)).toBeUndefined();
});

const changes: [string, (parts: string[]) => string[]][] = [
  ["without an algorithm", ([, ...rest]) => [text({ alg: "none" }), ...rest]],
  ["of another algorithm", ([, ...rest]) => [text({ alg: "RSA-OAEP", enc: "A256GCM" }), ...rest]],
  [
    "whose key takes long to derive",
    ([, ...rest]) => [text({ alg: "PBES2-HS256+A128KW", enc: "A256GCM", p2c: 1e9, p2s: "aaaaaaaa" }), ...rest],
  ],
  ["that is compressed", ([, ...rest]) => [text({ alg: "dir", enc: "A256GCM", zip: "DEF" }), ...rest]],
  ["with a key of its own", ([head, , ...rest]) => [head!, "AAAA", ...rest]],
  ["without a tag", (parts) => parts.slice(0, 4)],
  ["with a shorter tag", (parts) => [...parts.slice(0, 4), parts[4]!.slice(0, 6)]],
  ["with another tag", (parts) => [...parts.slice(0, 4), randomBytes(16).toString("base64url")]],
  ["with another content", ([a, b, c, d, e]) => [a!, b!, c!, (d!.startsWith("A") ? "B" : "A") + d!.slice(1), e!]],
  ["of more parts", (parts) => [...parts, ""]],
  ["that is empty", () => [""]],
];
test.each(changes)("a cookie %s is none of ours", async (_, change) => {
  const parts = (await ours.seal(session)).split(".");
  expect(await ours.open(change(parts).join("."))).toBeUndefined();
});
