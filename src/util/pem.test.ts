import { describe, expect, test } from "vitest";
import { pemBlocks, pemOf } from "./pem.ts";
import { cpuMillis } from "./testing/cpu-time.ts";

const typesOf = (text: string): string[] => [...pemBlocks(text)].map(({ type }) => type);

describe("blocks of a text (RFC 7468)", () => {
  test("are parsed from any surrounding text", () => {
    const bytes = Buffer.alloc(100, 7);
    const text = `before\n${pemOf("A", bytes)}between\n${pemOf("B", Buffer.of(1))}after`;
    expect([...pemBlocks(text)]).toEqual([
      { type: "A", hasHeaders: false, bytes },
      { type: "B", hasHeaders: false, bytes: Buffer.of(1) },
    ]);
  });

  test("CERT-6: headers are detected, and line ends may be those of Windows", () => {
    const [block] = pemBlocks("-----BEGIN A-----\r\nProc-Type: 4\r\n\r\nAAAA\r\n-----END A-----\r\n");
    expect(block).toEqual({ type: "A", hasHeaders: true, bytes: Buffer.of(0, 0, 0) });
  });

  test.each([
    ["no end", "-----BEGIN A-----\nAAAA\n"],
    ["another end", "-----BEGIN A-----\nAAAA\n-----END B-----\n"],
    ["no base64", "-----BEGIN A-----\nA*AA\n-----END A-----\n"],
    ["half a group", "-----BEGIN A-----\nAAA\n-----END A-----\n"],
    ["an end alone", "-----END A-----\n"],
  ])("with %s are ignored", (_, text) => {
    expect(typesOf(text)).toEqual([]);
    expect(typesOf(text + pemOf("C", Buffer.of(1)))).toEqual(["C"]);
  });

  test("the last BEGIN line before an END line counts", () => {
    expect(typesOf(`-----BEGIN A-----\nAAAA\n${pemOf("B", Buffer.of(1))}`)).toEqual(["B"]);
  });

  test("three million bytes of BEGIN lines take little time", () => {
    const begun = cpuMillis();
    expect(typesOf("-----BEGIN A-----\n".repeat(170_000))).toEqual([]);
    expect(cpuMillis() - begun).toBeLessThan(1000);
  });
});
