import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiError } from "../../meta/status.ts";
import { LIST, OBJECT, type Offer, WATCH, failureFormat, isPretty, negotiate } from "./negotiate.ts";
import { NO_QUERY, Query } from "../query.ts";

const on = (accept: string, offer: Offer = OBJECT): string => {
  try {
    const { media, shape, version, pretty } = negotiate(accept, offer, false);
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
    ["application/vnd.kubernetes.protobuf,application/json", "json"],
    ["application/json;stream=watch", "json"],
    ["application/json;pretty=1", "json pretty"],
    [TABLE, "json Table v1"],
    [`${TABLE},application/json`, "json Table v1"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io", "406"],
    ["application/json;as=Table;v=v1", "406"],
    ["application/json;as=Table;v=v9;g=meta.k8s.io,application/json", "json"],
    ["application/yaml;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io", "yaml PartialObjectMetadata v1beta1"],
    ["application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "406"],
  ])("DEC-17: Accept %j gives %s", (accept, expected) => {
    expect(on(accept)).toBe(expected);
  });

  test("DEC-17: a list gives lists of metadata, a watch gives no YAML", () => {
    const partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    expect(on(partial, LIST)).toBe("json PartialObjectMetadataList v1");
    expect(on("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", LIST)).toBe("406");
    expect(on("application/yaml", WATCH)).toBe("406");
  });

  test("DEC-17: failures come in the media type of the client, never as a table", () => {
    expect(failureFormat("application/yaml", false).media).toBe("yaml");
    expect(failureFormat("text/html", false).media).toBe("json");
    expect(failureFormat(TABLE, false)).toMatchObject({ media: "json", shape: "" });
  });

  test("DEC-21: the query decides about indentation, then the user agent", () => {
    const pretty = (text: string, agent = "x"): boolean => isPretty(text === "" ? NO_QUERY : new Query(text), agent);
    expect(["pretty=true", "pretty=1", "pretty=t"].map((text) => pretty(text))).toEqual([true, true, true]);
    expect(["pretty=false", "pretty=0", "pretty=yes", "pretty=", ""].map((text) => pretty(text))).not.toContain(true);
    expect(pretty("", "curl/8")).toBe(true);
    expect(pretty("", "Mozilla/5.0 (X11)")).toBe(true);
    expect(pretty("pretty=false", "curl/8")).toBe(false);
  });

  test("any Accept header gives a form or 406, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (accept) => {
        expect(["json", "yaml", "406"]).toContain(on(accept).split(" ")[0]);
      }),
    );
  });
});
