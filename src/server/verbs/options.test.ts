import { describe, expect, test } from "vitest";
import type { ApiError } from "../../meta/status.ts";
import {
  writeOptions,
  deleteOptionsOfBody,
  deleteOptionsOfQuery,
  getVersion,
  listOptions,
  patchOptions,
  timeoutSeconds,
  watchOptions,
} from "./options.ts";
import { Query } from "../request/query.ts";

/** `code kind reason:field ...` of what a call throws, or its value. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    const { status, code } = error as ApiError;
    const causes = (status.details?.causes ?? []).map(
      ({ reason, field }) => `${reason?.replace("FieldValue", "")}:${field}`,
    );
    return [code, status.details?.kind, ...causes].filter(Boolean).join(" ");
  }
}
const query = (text: string): Query => new Query(text);

describe("options of writes", () => {
  test.each([
    ["dryRun=Some", "422 CreateOptions NotSupported:dryRun"],
    ["dryRun=", "422 CreateOptions NotSupported:dryRun"],
    ["dryRun=All,All", "422 CreateOptions NotSupported:dryRun"],
    ["dryRun=All&dryRun=Some", "422 CreateOptions NotSupported:dryRun"],
    ["fieldValidation=strict", "422 CreateOptions NotSupported:fieldValidation"],
    [`fieldManager=${"m".repeat(129)}`, "422 CreateOptions TooLong:fieldManager"],
    [`fieldManager=${encodeURIComponent("é".repeat(65))}`, "422 CreateOptions TooLong:fieldManager"],
    ["fieldManager=new%0Aline", "422 CreateOptions Invalid:fieldManager"],
  ])("DEC-15, DEC-23, DEC-24: %s is refused", (text, expected) => {
    expect(outcome(() => writeOptions(query(text), "CreateOptions"))).toBe(expected);
  });

  test("DEC-23, DEC-24: what is allowed is read, and nothing means Warn and no dry run", () => {
    expect(
      writeOptions(query("dryRun=All&dryRun=All&fieldManager=n+m%2F1&fieldValidation=Strict"), "CreateOptions"),
    ).toEqual({
      dryRun: true,
      fieldManager: "n m/1",
      fieldValidation: "Strict",
    });
    expect(writeOptions(query("fieldValidation="), "CreateOptions")).toEqual({
      dryRun: false,
      fieldManager: "",
      fieldValidation: "Warn",
    });
  });

  test("APPLY: an apply needs a manager, and only an apply is forced", () => {
    expect(outcome(() => patchOptions(query(""), "apply"))).toBe("422 PatchOptions Required:fieldManager");
    expect(outcome(() => patchOptions(query("force=false"), "merge"))).toBe("422 PatchOptions Forbidden:force");
    expect(patchOptions(query("fieldManager=a&force="), "apply")).toMatchObject({ force: true });
    expect(patchOptions(query("fieldManager=a&force=False"), "apply")).toMatchObject({ force: false });
  });
});

describe("options of lists and watches", () => {
  test.each([
    ["limit=", "400"],
    ["limit=1.5", "400"],
    ["limit=99999999999999999999", "400"],
    ["resourceVersion=abc", "400"],
    ["resourceVersion=-1", "400"],
    ["resourceVersion=99999999999999999999999", "400"],
    ["resourceVersionMatch=Exact", "422 ListOptions Forbidden:resourceVersionMatch"],
    ["resourceVersionMatch=exact", "422 ListOptions Forbidden:resourceVersionMatch NotSupported:resourceVersionMatch"],
    ["resourceVersion=0&resourceVersionMatch=Exact", "422 ListOptions Forbidden:resourceVersionMatch"],
    ["sendInitialEvents=false", "422 ListOptions Forbidden:sendInitialEvents"],
  ])("DEC-25: list with %s is refused", (text, expected) => {
    expect(outcome(() => listOptions(query(text)))).toBe(expected);
  });

  test("DEC-25: a limit below one is none, and a sign or zeros in front do not matter", () => {
    const limits = ["limit=-1", "limit=0", "limit=%2B1", "limit=01"].map((text) => listOptions(query(text)).limit);
    expect(limits).toEqual([0, 0, 1, 1]);
  });

  test.each([
    ["sendInitialEvents=true", "422 ListOptions Forbidden:resourceVersionMatch"],
    ["resourceVersionMatch=NotOlderThan", "422 ListOptions Forbidden:resourceVersionMatch"],
    ["continue=abc", "422 ListOptions Forbidden:resourceVersionMatch"],
    ["continue=abc&resourceVersion=0", "422 ListOptions Forbidden:resourceVersionMatch"],
    [
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      "422 ListOptions Forbidden:resourceVersionMatch NotSupported:resourceVersionMatch",
    ],
    ["limit=abc", "400"],
    ["resourceVersion=1.5", "400"],
  ])("DEC-28: watch with %s is refused", (text, expected) => {
    expect(outcome(() => watchOptions(query(text)))).toBe(expected);
  });

  test("DEC-28: initial events are asked for, switched off, or left to the version", () => {
    const asked = (text: string) => watchOptions(query(text)).sendInitialEvents;
    expect(asked("sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).toBe(true);
    expect(asked("sendInitialEvents=0&resourceVersionMatch=NotOlderThan")).toBe(false);
    expect(asked("resourceVersion=5")).toBeUndefined();
    expect(watchOptions(query("continue=abc&resourceVersion=5"))).toMatchObject({ resourceVersion: "5" });
    expect(timeoutSeconds(query("timeoutSeconds=-1"))).toBe(-1);
    expect(outcome(() => getVersion(query("resourceVersion=x")))).toBe("400");
  });
});

describe("DeleteOptions", () => {
  test.each([
    [{ kind: "Secret" }, "400"],
    [[], "400"],
    [{ orphanDependents: "x" }, "400"],
    [{ dryRun: ["Some"] }, "422 DeleteOptions NotSupported:dryRun"],
    [{ dryRun: "All" }, "400"],
    [{ propagationPolicy: "Sideways" }, "422 DeleteOptions NotSupported:propagationPolicy"],
    [{ propagationPolicy: "Orphan", orphanDependents: true }, "422 DeleteOptions Invalid:propagationPolicy"],
    [{ gracePeriodSeconds: 1.5 }, "400"],
    [{ apiVersion: "a/b/c" }, "400"],
    [{ apiVersion: 1 }, "400"],
    [{ ignoreStoreReadErrorWithClusterBreakingPotential: "x" }, "400"],
  ])("DEC-26: a body %j is refused", (body, expected) => {
    expect(outcome(() => deleteOptionsOfBody(body as never))).toBe(expected);
  });

  test("DEC-26: the body is read, unknown members do not matter, null is an empty one", () => {
    const body = { kind: "DeleteOptions", dryRun: ["All"], preconditions: { uid: "" }, what: 1, gracePeriodSeconds: 0 };
    expect(deleteOptionsOfBody(body)).toEqual({ dryRun: true, gracePeriodSeconds: 0, preconditions: { uid: "" } });
    expect(deleteOptionsOfBody(null)).toEqual({ dryRun: false });
  });

  test("DEC-26: the query is read, preconditions included", () => {
    const text = query("propagationPolicy=Foreground&uid=u&resourceVersion=7&orphanDependents=");
    expect(outcome(() => deleteOptionsOfQuery(text))).toBe("422 DeleteOptions Invalid:propagationPolicy");
    expect(deleteOptionsOfQuery(query("uid=u&resourceVersion=7&gracePeriodSeconds=5"))).toEqual({
      dryRun: false,
      gracePeriodSeconds: 5,
      preconditions: { uid: "u", resourceVersion: "7" },
    });
  });
});
