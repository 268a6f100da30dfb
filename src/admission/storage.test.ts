import { describe, expect, test } from "vitest";
import type { ApiObject } from "../schema/definition.ts";
import { kubernetes, neutral } from "../meta/dialect.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage.ts";
import { atOnce, lookupOf, objectOf, reading, requestOf } from "./testing/requests.ts";

const CLAIMS = { group: "", plural: "persistentvolumeclaims", kind: "PersistentVolumeClaim" };
const CLASSES = "storageclasses.storage.k8s.io";

const claim = (spec: object = {}, metadata: object = {}, more: object = {}): ApiObject =>
  objectOf({ name: "c", namespace: "team", ...metadata }, { spec, ...more });

describe("storageObjectInUseProtection", () => {
  const step = storageObjectInUseProtection(kubernetes);
  const protect = (resource: string, object: ApiObject, more = {}): readonly string[] | undefined => {
    const [plural = "", ...group] = resource.split(".");
    atOnce(step.mutate!(requestOf({ ref: { group: group.join("."), plural, kind: "X" }, object, ...more })));
    return object.metadata.finalizers;
  };

  test.each([
    ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
    ["persistentvolumes", "kubernetes.io/pv-protection"],
    ["volumeattributesclasses.storage.k8s.io", "kubernetes.io/vac-protection"],
  ])("DEC-57: a new object of %s gets the finalizer %s, after those that it has", (plural, finalizer) => {
    expect(protect(plural, objectOf({ name: "a" }))).toEqual([finalizer]);
    expect(protect(plural, objectOf({ name: "a", finalizers: ["mine/x"] }))).toEqual(["mine/x", finalizer]);
    expect(protect(plural, objectOf({ name: "a", finalizers: [finalizer] }))).toEqual([finalizer]);
  });

  test("DEC-57: nothing is added to kinds of the same name in other groups", () => {
    expect(protect("persistentvolumeclaims.example.com", objectOf({ name: "a" }))).toBeUndefined();
    expect(protect("volumeattributesclasses", objectOf({ name: "a" }))).toBeUndefined();
  });

  test("DEC-57: nothing is added to other kinds, nor by updates and subresources", () => {
    expect(protect("configmaps", objectOf({ name: "a" }))).toBeUndefined();
    expect(protect("persistentvolumes", objectOf({ name: "a" }), { operation: "UPDATE" })).toBeUndefined();
    expect(protect("persistentvolumes", objectOf({ name: "a" }), { subresource: "status" })).toBeUndefined();
  });
});

describe("defaultStorageClass", () => {
  const storageClass = (name: string, creationTimestamp: string, annotations: object): ApiObject =>
    objectOf({ name, creationTimestamp, annotations });
  const DEFAULT = { "storageclass.kubernetes.io/is-default-class": "true" };
  const classes = [
    storageClass("plain", "2026-01-09T00:00:00Z", {}),
    storageClass("old", "2026-01-01T00:00:00Z", DEFAULT),
    storageClass("b-new", "2026-01-02T00:00:00Z", DEFAULT),
    storageClass("a-new", "2026-01-02T00:00:00Z", { "storageclass.beta.kubernetes.io/is-default-class": "true" }),
    storageClass("off", "2026-01-08T00:00:00Z", { "storageclass.kubernetes.io/is-default-class": "yes" }),
  ];
  const choose = async (object: ApiObject, more = {}, known = classes): Promise<unknown> => {
    const step = reading(lookupOf({ [CLASSES]: known }), defaultStorageClass(kubernetes));
    await step.mutate!(requestOf({ ref: CLAIMS, object, ...more }));
    return (object["spec"] as { storageClassName?: string } | undefined)?.storageClassName;
  };

  test("DEC-40: a claim without a class gets the newest default class, of two the first by name", async () => {
    expect(await choose(claim())).toBe("a-new");
    expect(await choose(claim(), {}, classes.slice(0, 2))).toBe("old");
  });

  test("DEC-40: nothing is chosen where no class is the default", async () => {
    expect(await choose(claim(), {}, [classes[0]!, classes[4]!])).toBeUndefined();
  });

  test.each([
    ["names a class", claim({ storageClassName: "mine" }), "mine"],
    ["asks for none", claim({ storageClassName: "" }), ""],
    [
      "names one in the old annotation",
      claim({}, { annotations: { "volume.beta.kubernetes.io/storage-class": "x" } }),
      undefined,
    ],
    ["has no spec", objectOf({ name: "c" }), undefined],
  ])("DEC-40: a claim that %s is left as it is", async (_, object, expected) => {
    expect(await choose(object)).toBe(expected);
  });

  test("DEC-40: only creates of claims are looked at", async () => {
    expect(await choose(claim(), { operation: "UPDATE" })).toBeUndefined();
    expect(await choose(claim(), { subresource: "status" })).toBeUndefined();
    expect(await choose(claim(), { ref: { group: "", plural: "configmaps", kind: "ConfigMap" } })).toBeUndefined();
  });

  test("DEC-40: the neutral dialect has names of its own", async () => {
    const annotations = { "storageclass.svc.io/is-default-class": "true" };
    const lookup = lookupOf({
      "storageclasses.storage.svc.io": [storageClass("fast", "2026-01-01T00:00:00Z", annotations)],
    });
    const object = claim();
    await reading(lookup, defaultStorageClass(neutral)).mutate!(requestOf({ ref: CLAIMS, object }));
    expect(object["spec"]).toEqual({ storageClassName: "fast" });
  });
});

describe("persistentVolumeClaimResize", () => {
  const lookup = lookupOf({
    [CLASSES]: [
      objectOf({ name: "grows" }, { allowVolumeExpansion: true }),
      objectOf({ name: "fixed" }, { allowVolumeExpansion: false }),
      objectOf({ name: "silent" }),
    ],
  });
  const step = reading(lookup, persistentVolumeClaimResize(kubernetes));
  const spec = (storage: string, storageClassName?: string): object => ({
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  });
  const resize = (from: string, to: string, storageClassName?: string, phase = "Bound", more = {}) =>
    step.validate!(
      requestOf({
        operation: "UPDATE",
        ref: CLAIMS,
        object: claim(spec(to, storageClassName)),
        old: claim(spec(from, storageClassName), {}, { status: { phase } }),
        ...more,
      }),
    );
  const FORBIDDEN = expect.objectContaining({ code: 403 }) as Error;

  test("DEC-39: a bound claim grows where its class allows it", () => {
    expect(() => resize("1Gi", "2Gi", "grows")).not.toThrow();
  });

  test.each(["fixed", "silent", "unknown", "", undefined])(
    "DEC-39: a bound claim of the class %j does not grow",
    (name) => {
      expect(() => resize("1Gi", "2Gi", name)).toThrow(FORBIDDEN);
    },
  );

  test("DEC-39: the same amount in other words, or less, is no growth", () => {
    expect(() => resize("1Gi", "1024Mi", "fixed")).not.toThrow();
    expect(() => resize("2Gi", "1Gi", "fixed")).not.toThrow();
    expect(() => resize("1000Mi", "1Gi", "fixed")).toThrow(FORBIDDEN);
  });

  test("DEC-39: claims that are not bound, creates and the status are left to others", () => {
    expect(() => resize("1Gi", "2Gi", "fixed", "Pending")).not.toThrow();
    expect(() => resize("1Gi", "2Gi", "fixed", "Bound", { operation: "CREATE" })).not.toThrow();
    expect(() => resize("1Gi", "2Gi", "fixed", "Bound", { subresource: "status" })).not.toThrow();
  });
});
