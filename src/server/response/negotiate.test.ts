import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiError } from "../../meta/status.ts";
import { LIST, OBJECT, type Offer, WATCH, failureFormat, isPretty, negotiate, streams } from "./negotiate.ts";
import { STATUS } from "../../wire/protobuf/index.ts";
import type { SentRequest } from "../request/exchange.ts";
import { IncomingRequest } from "../request/incoming.ts";

/** A request with some headers and a query. */
const sent = (accept: string, agent = "x", query = ""): IncomingRequest => {
  const headers: Record<string, string> = { accept, "user-agent": agent };
  return new IncomingRequest({ url: `/?${query}`, header: (name) => headers[name] ?? "" } as SentRequest, 0);
};

const on = (accept: string, offer: Offer = OBJECT): string => {
  try {
    const { media, shape, version, pretty } = negotiate(sent(accept), offer, { protobufKind: STATUS });
    return [media, shape, version, pretty ? "pretty" : ""].filter(Boolean).join(" ");
  } catch (error) {
    return String((error as ApiError).code);
  }
};
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

describe("negotiation", () => {
  test.each([
    ["", "json"],
    ["*/*", "json"],
    ["application/*", "406"],
    ["application/json;charset=utf-8", "json"],
    ["application/yaml", "yaml"],
    ["application/yaml;q=0.5,application/json", "json"],
    ["application/json;q=0.1,application/yaml;q=0.9", "yaml"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "json"],
    ["text/html", "406"],
    ["application/json;q=0", "json"],
    ["nonsense", "406"],
    ["application/json;v=v1", "406"],
    ["application/cbor", "406"],
    ["application/vnd.kubernetes.protobuf,application/json", "protobuf"],
    ["application/json,application/vnd.kubernetes.protobuf", "json"],
    ["application/vnd.kubernetes.protobuf;q=0.5,application/json", "json"],
    ["application/*,application/yaml", "yaml"],
    ["application/yaml;q=0.5,application/*", "json"],
    ["application/*,application/yaml;q=0.5", "yaml"],
    ["application/*,application/xml,*/*", "json"],
    ["Application/JSON", "406"],
    ["application/json;stream=watch", "json"],
    ["application/json;stream=log", "406"],
    ["application/yaml;stream=watch,application/json", "json"],
    ["application/json;sv=v1", "json"],
    ["application/json;sv=v2", "406"],
    ["application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", "json"],
    ["application/json;pretty=1", "json pretty"],
    [TABLE, "json Table v1"],
    [`${TABLE},application/json`, "json Table v1"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io", "406"],
    ["application/json;as=Table;v=v1", "406"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "json"],
    ["application/yaml;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", "yaml PartialObjectMetadata v1beta1"],
    ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "406"],
    ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json", "406"],
    [
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,*/*",
      "protobuf PartialObjectMetadata v1",
    ],
  ])("DEC-17: Accept %j gives %s", (accept, expected) => {
    expect(on(accept)).toBe(expected);
  });

  test("DEC-17: a list gives lists of metadata, a watch gives no YAML", () => {
    const partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    expect(on(partial, LIST)).toBe("json PartialObjectMetadataList v1");
    expect(on("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", LIST)).toBe("406");
  });

  test("a kind without a protobuf form gives the next one, but its metadata has that form", () => {
    const given = (accept: string) => negotiate(sent(accept), OBJECT, { protobufKind: undefined });
    expect(given("application/vnd.kubernetes.protobuf,application/yaml").media).toBe("yaml");
    expect(() => given("application/vnd.kubernetes.protobuf")).toThrow("only the following media types are accepted");
    expect(given("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")).toMatchObject({
      media: "protobuf",
      kind: { kind: "PartialObjectMetadata", version: "v1" },
    });
  });

  test("DEC-28: the form of a watch is chosen as any other, and refused where events have no such form", () => {
    const chosen = (accept: string): void => streams(negotiate(sent(accept), WATCH));
    for (const accept of ["application/yaml", "application/yaml,application/json", "application/*,text/plain"]) {
      expect(() => chosen(accept)).toThrow("only the following media types are accepted");
    }
    expect(() => chosen("application/json;stream=watch,application/yaml")).not.toThrow();
  });

  test("DEC-17: failures come in the media type of the client, never as a table", () => {
    expect(failureFormat(sent("application/yaml")).media).toBe("yaml");
    expect(failureFormat(sent("text/html")).media).toBe("json");
    expect(failureFormat(sent("application/vnd.kubernetes.protobuf,application/json")).media).toBe("protobuf");
    expect(failureFormat(sent("application/yaml;as=Table;v=v1;g=meta.k8s.io")).media).toBe("json");
    expect(failureFormat(sent(TABLE))).toMatchObject({ media: "json", shape: "" });
  });

  test("DEC-21: the query decides about indentation, then the user agent", () => {
    const pretty = (query: string, agent = "x"): boolean => isPretty(sent("", agent, query));
    expect(["pretty=true", "pretty=1", "pretty=t"].map((text) => pretty(text))).toEqual([true, true, true]);
    expect(["pretty=false", "pretty=0", "pretty=yes", "pretty=", ""].map((text) => pretty(text))).not.toContain(true);
    expect(pretty("", "curl/8")).toBe(true);
    expect(pretty("", "Mozilla/5.0 (X11)")).toBe(true);
    expect(pretty("pretty=false", "curl/8")).toBe(false);
  });

  test("any Accept header gives a form or 406, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (accept) => {
        expect(["json", "yaml", "protobuf", "406"]).toContain(on(accept).split(" ")[0]);
      }),
    );
  });
});
