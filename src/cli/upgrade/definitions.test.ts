import { describe, expect, test } from "vitest";
import { type TextResponse, TooLongError } from "../ask-server.ts";
import { CliError } from "../cli-error.ts";
import { storedVersionsOf } from "./definitions.ts";

/** A server with definitions of some sizes, which responds in pages of at most 100 bytes. */
function serverOf(sizes: readonly number[], path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions") {
  const limits: number[] = [];
  const ask = async (url: string): Promise<TextResponse> => {
    const { pathname, searchParams } = new URL(url, "http://server");
    if (pathname !== path) return { status: 404, text: "" };
    const [limit, start] = [Number(searchParams.get("limit")), Number(searchParams.get("continue") ?? 0)];
    limits.push(limit);
    const page = sizes.slice(start, start + limit);
    if (page.reduce((sum, size) => sum + size, 0) > 100)
      throw new CliError("too long", { cause: new TooLongError("too long") });
    const items = page.map((_, i) => ({
      metadata: { name: `things-${start + i}.example` },
      spec: { versions: [{ name: "v1" }] },
      status: { storedVersions: start + i === sizes.length - 1 ? ["v0"] : ["v1"] },
    }));
    const end = start + limit;
    return { status: 200, text: JSON.stringify({ items, metadata: end < sizes.length ? { continue: `${end}` } : {} }) };
  };
  return { ask, limits };
}

describe("definitions", () => {
  test("are read to the last page, which a continue token names", async () => {
    const { ask, limits } = serverOf(Array.from({ length: 1000 }, () => 1));
    expect(await storedVersionsOf(ask)).toMatchObject({ verdict: "warn", found: "not served: things-999.example v0" });
    expect(limits).toHaveLength(16);
  });

  test("that are long are read in shorter pages", async () => {
    const { ask, limits } = serverOf([1, 1, 90, 90, 1, 90, 60]);
    expect(await storedVersionsOf(ask)).toMatchObject({ found: "not served: things-6.example v0" });
    expect(limits).toEqual([64, 32, 16, 8, 4, 2, 2, 1, 1, 1, 1, 1]);
  });

  test("of which one alone is too long cannot be checked", async () => {
    await expect(storedVersionsOf(serverOf([1, 101]).ask)).rejects.toThrow("too long");
  });

  test("of the neutral dialect have another path", async () => {
    const { ask } = serverOf([1], "/apis/apiextensions.svc.io/v1/customresourcedefinitions");
    expect(await storedVersionsOf(ask)).toMatchObject({ found: "not served: things-0.example v0" });
  });

  test.each([
    [403, "use the admin's kubeconfig"],
    [404, "run it again"],
    [500, "run it again"],
  ])("that the server refuses with %i are a warning", async (status, advice) => {
    const check = await storedVersionsOf(async () => ({ status, text: "" }));
    expect(check).toMatchObject({ verdict: "warn", found: `the server responded with ${status}`, advice });
  });

  test("that fail for another reason are requested once", async () => {
    let calls = 0;
    const ask = async () => {
      calls++;
      throw new CliError("no response");
    };
    await expect(storedVersionsOf(ask)).rejects.toThrow("no response");
    expect(calls).toBe(1);
  });
});
