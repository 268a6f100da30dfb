import { describe, expect, test } from "vitest";
import { cpuMillis } from "../util/testing/cpu-time.ts";
import { readCompactToken } from "./compact-token.ts";

const encoded = (text: string | Uint8Array): string => Buffer.from(text).toString("base64url");
const HEADER = encoded('{"alg":"ES256"}');
const CLAIMS = encoded('{"iss":"us"}');
/** Eight bytes, so that two bits of the last character mean nothing. */
const SIGNATURE = encoded(Uint8Array.of(255, 238, 221, 204, 187, 170, 153, 136));
const token = (header = HEADER, claims = CLAIMS, signature = SIGNATURE): string => `${header}.${claims}.${signature}`;

test("a token has a header and claims", () => {
  expect(readCompactToken(token())).toEqual({ header: { alg: "ES256" }, claims: { iss: "us" } });
});

describe("invalid tokens", () => {
  const last = SIGNATURE.slice(0, -1);
  test.each([
    ["nothing", ""],
    ["a word", "word"],
    ["two parts", `${HEADER}.${CLAIMS}`],
    ["four parts", `${token()}.${SIGNATURE}`],
    ["a dot behind", `${token()}.`],
    ["a dot in front", `.${token()}`],
    ["two dots", token(HEADER, `.${CLAIMS}`)],
    ["no signature", token(HEADER, CLAIMS, "")],
    ["no header", token("")],
    ["padding at the signature", `${token()}=`],
    ["padding at the header", token(`${HEADER}=`)],
    ["padding at the claims", token(HEADER, `${CLAIMS}==`)],
    ["a blank", token(HEADER, `${CLAIMS} `)],
    ["a newline at the signature", `${token()}\n`],
    ["a newline inside", token(HEADER, `${CLAIMS.slice(0, 4)}\r\n${CLAIMS.slice(4)}`)],
    [
      "the other alphabet",
      token(HEADER, CLAIMS, Buffer.from(SIGNATURE, "base64url").toString("base64").replace("=", "")),
    ],
    ["bits that mean nothing", token(HEADER, CLAIMS, `${last}${String.fromCharCode(SIGNATURE.charCodeAt(10) + 1)}`)],
    ["one character that is no byte", token(HEADER, CLAIMS, `${SIGNATURE}AA`)],
    ["a character of no alphabet", token(HEADER, `${CLAIMS}!`)],
    ["a member of the header twice", token(encoded('{"alg":"ES256","alg":"none"}'))],
    ["a member of the header twice, written otherwise", token(encoded('{"alg":"ES256","\\u0061lg":"none"}'))],
    ["a claim twice", token(HEADER, encoded('{"iss":"us","iss":"them"}'))],
    ["a claim twice, further in", token(HEADER, encoded('{"a":[{"b":1,"b":2}]}'))],
    ["claims that are no object", token(HEADER, encoded("[]"))],
    ["claims that are no JSON", token(HEADER, encoded("{'iss':'us'}"))],
    ["something behind the claims", token(HEADER, encoded('{"iss":"us"}{}'))],
    ["claims that are no UTF-8", token(HEADER, encoded(Buffer.from('{"iss":"\xff"}', "latin1")))],
    ["something that must be understood", token(encoded('{"alg":"ES256","crit":["b64"],"b64":false}'))],
    ["more than any client needs", token(HEADER, encoded(JSON.stringify({ iss: "us", more: "x".repeat(64_000) })))],
  ])("%s", (_, text) => {
    expect(readCompactToken(text)).toBeUndefined();
  });
});

test("a long token is not decoded", () => {
  const long = token(HEADER, encoded(JSON.stringify({ iss: "us", more: "x".repeat(3_000_000) })));
  const before = cpuMillis();
  for (let i = 0; i < 1000; i++) readCompactToken(long);
  expect(cpuMillis() - before).toBeLessThan(50);
});
